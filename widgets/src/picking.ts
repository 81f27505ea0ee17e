// Parts of a graph clicked one after the other, as the answer to an exercise.
import { button, h, on } from "./dom";
import { leaves } from "./keys";
import { t } from "./language";
import { prose } from "./question";

/** An exercise as Python sends it: `names` says what each thing that counts is called. */
export interface PickingData {
  id: string;
  text: string;
  names: Record<string, string>;
}

export class Picking {
  readonly element: HTMLElement;
  private picked: string[] = [];
  private readonly list = h("ol", { class: "picked", "aria-label": t`Picked so far` });
  private readonly verdict = h("p", { class: "note", role: "status" });

  /** `home` is where the graph is, whose parts stand for `things`; `hand` hands an answer in. */
  constructor(
    private readonly data: PickingData,
    home: HTMLElement,
    private readonly things: (part: string) => readonly string[],
    hand: (picked: string[]) => void,
  ) {
    const undo = button(() => this.set(this.picked.slice(0, -1)), {}, t`Undo`);
    const clear = button(() => this.set([]), {}, t`Clear`);
    const done = button(() => hand(this.picked), {}, t`Check`);
    const buttons = h("div", { class: "buttons" }, undo, clear, done);
    const how = h("p", {}, t`Click parts of the graph, or go to them with ↑ and ↓ and press Enter.`);
    this.element = h("section", { class: "card", "aria-label": t`Exercise ${data.id}` });
    this.element.append(h("p", { class: "asked" }, ...prose(data.text)), how, this.list, buttons, this.verdict);
    on(this.element, "keydown", (event) => leaves(event) || event.stopPropagation());
    on(home, "click", (event) => this.add(event));
    on(home, "keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) this.add(event);
    });
    this.set([]);
  }

  private add(event: Event): void {
    const target = event.composedPath()[0];
    const part = target instanceof Element && !target.closest("svg.dragged") ? target.closest("[data-part]") : null;
    const id = part?.getAttribute("data-part");
    const thing = id ? [id, ...this.things(id)].find((each) => each in this.data.names) : undefined;
    if (thing !== undefined) this.set([...this.picked, thing]);
  }

  private set(picked: string[]): void {
    this.picked = picked;
    this.list.replaceChildren(...picked.map((id) => h("li", {}, this.data.names[id]!)));
    this.verdict.textContent = picked.length ? t`${this.data.names[picked.at(-1)!]!} picked` : t`nothing picked yet`;
  }

  say(verdict: string): void {
    this.verdict.replaceChildren(...prose(verdict));
  }
}
