// Parts of a graph clicked one after the other, as the answer to an exercise.
import { button, h, on, silent } from "./dom";
import type { Graph } from "./graph";
import { leaves } from "./keys";
import { t } from "./language";
import { prose } from "./question";
import { marked, outline } from "./way";

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
  private readonly marks = silent("light");

  /** `home` is where the graph is; `hand` hands an answer in. */
  constructor(
    private readonly data: PickingData,
    home: HTMLElement,
    private readonly graph: Graph,
    hand: (picked: string[]) => void,
  ) {
    const clear = button(() => this.set([]), {}, t`Clear`);
    const done = button(() => hand(this.picked), {}, t`Check`);
    const buttons = h("div", { class: "buttons" }, clear, done);
    const how = h("p", {}, t`Click parts of the graph, or go to them with ↑ and ↓ and press Enter; once more takes a part out.`);
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
    const thing = id ? [id, ...(this.graph.part(id)?.things ?? [])].find((each) => each in this.data.names) : undefined;
    if (!thing) return;
    const name = this.data.names[thing]!;
    if (this.picked.includes(thing)) this.set(this.picked.filter((each) => each !== thing), t`${name} taken out`);
    else this.set([...this.picked, thing], t`${name} picked`);
  }

  private set(picked: string[], said = t`nothing picked yet`): void {
    this.picked = picked;
    this.list.replaceChildren(...picked.map((id) => h("li", {}, this.data.names[id]!)));
    this.mark();
    this.verdict.textContent = said;
  }

  /** Frame what is picked where it stands now, each with its number. */
  mark(): void {
    const { graph } = this;
    const parts = this.picked.map((id) => graph.partOf(id)).filter((part) => !!part);
    this.marks.replaceChildren(...parts.flatMap((part, i) => [outline(graph, part), marked(part, `${i + 1}`)]));
    graph.overlay.append(this.marks);
    graph.note(new Map(parts.map(({ id }) => [id, [t`picked`]])));
  }

  say(verdict: string): void {
    this.verdict.replaceChildren(...prose(verdict));
  }
}
