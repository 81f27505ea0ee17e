// What can be said of one part of the picture: its texts now, what never changes, and its whole life.
import { h } from "./dom";
import { type Film, type Part, type Row } from "./film";

const LISTED = 200;

export class Inspector {
  readonly element = h("section", { class: "inspector", "aria-label": "Inspector", hidden: true });
  private life: { step: number; row: HTMLElement }[] = [];
  private readonly now = h("div", { class: "now-texts" });
  private part: Part | undefined;

  constructor(
    private readonly film: Film,
    private readonly seek: (step: number) => void,
    private readonly close: () => void,
  ) {}

  /** Tell of another part, or of none. */
  open(part: Part | undefined, step: number, look: number): void {
    this.part = part;
    this.element.hidden = !part;
    if (!part) return;
    const rows = this.rowsOf(part);
    const title = rows[0] ? `${rows[0][0]} ${rows[0][1]}` : part.kind;
    const steps = this.film.life(part);
    this.life = steps.slice(0, LISTED).map((each) => this.lifeRow(each));
    const more = steps.length > LISTED ? [h("p", {}, `and ${steps.length - LISTED} more steps`)] : [];
    this.element.replaceChildren(
      h(
        "header",
        {},
        h("h3", {}, title),
        h("button", { type: "button", "aria-label": "Close the inspector", onclick: () => this.close() }, "×"),
      ),
      this.now,
      h("dl", {}, ...rows.slice(1).flatMap((row) => this.describe(row))),
      h("h4", {}, `Its life: ${steps.length} step${steps.length === 1 ? "" : "s"}`),
      h("ol", { class: "life" }, ...this.life.map(({ row }) => h("li", {}, row))),
      ...more,
    );
    this.show(step, look);
  }

  /** A slot has rows of its own, anything else those of what it is part of. */
  private rowsOf(part: Part): Row[] {
    const { about, rows } = this.film.data;
    const own = part.kind === "slot" ? about[`${part.of}.${part.index}`] : undefined;
    return (own ?? about[part.of] ?? []).map((number) => rows[number]!);
  }

  private describe([word, text, step]: Row): HTMLElement[] {
    const said =
      step === undefined
        ? h("span", {}, text)
        : h("button", { type: "button", class: "jump", title: `Go to step ${step}`, onclick: () => this.seek(step) }, text);
    return [h("dt", {}, word), h("dd", {}, said)];
  }

  private lifeRow(step: number): { step: number; row: HTMLElement } {
    const said = [h("b", {}, String(step)), ` ${this.film.data.captions[step] ?? ""}`];
    return { step, row: h("button", { type: "button", class: "jump", onclick: () => this.seek(step) }, ...said) };
  }

  show(step: number, look: number): void {
    if (!this.part) return;
    const lines = this.film.said(look).split("\n").filter(Boolean);
    const hidden = this.film.classes(look) === "hidden";
    this.now.replaceChildren(...(hidden ? ["not there yet"] : lines).map((line) => h("div", {}, line)));
    let current: HTMLElement | undefined;
    for (const { step: each, row } of this.life) {
      row.removeAttribute("aria-current");
      row.classList.toggle("future", each > step);
      if (each <= step) current = row;
    }
    current?.setAttribute("aria-current", "step");
  }
}
