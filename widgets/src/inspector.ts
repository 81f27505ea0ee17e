// What can be said of one part of the picture: its texts now, what never changes, and its whole life.
import { button, h, iconButton, set } from "./dom";
import type { arrayFigure } from "./figures";
import { type Film, neighbour, type Part, type Row, type Sheet } from "./film";
import { t } from "./language";
import { kindName } from "./names";

const LISTED = 200;
/** How ops and tensors are called. */
const [OP, TENSOR] = [/^o\d+$/, /^b\d+$/];
/** Parts that have a state besides what they hold. */
const STATES = new Set(["card", "slot"]);
/** Parts that come after all others, in this order. */
const LATER = ["link", "number", "slot"];

/** What is asked of the picture. */
interface Pictured {
  /** A part in words, as it is now. */
  describe(part: Part): string;
  isVisible(part: Part): boolean;
  /** What can be done with a card that stands for several. */
  opens(part: Part): "open" | "close" | undefined;
  toggle(part: Part): void;
}

/** A figure of a value, with its title; of one that is gone, how that came about. */
function figure(title: string, sheet: Sheet, gone = ""): HTMLElement {
  const { rows, note = "" } = sheet;
  const [one, ...others] = rows?.flat().filter(Boolean) ?? [];
  const array = (one ? others.length : sheet.facts || !note) ? Inspector.arrayFigure?.(title, sheet) : undefined;
  const shown = array ?? h("figure", {}, h("figcaption", {}, title), one ? h("span", { class: "one" }, one) : h("p", { class: "remark" }, note));
  if (gone) {
    shown.classList.add("gone");
    shown.append(h("span", { class: "remark" }, gone));
  }
  return shown;
}

export class Inspector {
  /** What shows arrays, where that is built in. */
  static arrayFigure: typeof arrayFigure | undefined;
  readonly element = h("section", { class: "inspector", "aria-label": t`Inspector`, hidden: true });
  private life: { step: number; row: HTMLElement }[] = [];
  private readonly now = h("div", { class: "now-texts" });
  private readonly figures = h("div", { class: "figures" });
  private shown = "";
  private part: Part | undefined;
  private family: Part[] = [];
  private step = 0;

  constructor(
    private readonly film: Film,
    private readonly seek: (step: number) => void,
    private readonly graph: Pictured,
    private readonly ask: () => void,
    private readonly close: () => void,
  ) {}

  /** Tell of another part, or of none. */
  open(part: Part | undefined, family: Part[], step: number): void {
    this.part = part;
    this.family = [...family].sort((a, b) => LATER.indexOf(a.kind) - LATER.indexOf(b.kind));
    this.element.hidden = !part;
    if (!part) return;
    const rows = this.rowsOf(part);
    const steps = this.film.lifeOf(family);
    const first = Math.max(0, steps.findIndex((each) => each > step) - LISTED / 2);
    this.life = steps.slice(first, first + LISTED).map((each) => this.lifeRow(each));
    const how = this.graph.opens(part);
    const more = steps.length > LISTED ? [h("p", {}, t`${LISTED} of them are listed`)] : [];
    this.element.replaceChildren(
      h(
        "header",
        {},
        h("h3", {}, this.titleOf(part)!),
        ...(how ? [button(() => this.graph.toggle(part), {}, how === "open" ? t`open` : t`close`)] : []),
        ...(part.things.length ? [button(() => this.ask(), {}, t`why?`)] : []),
        button(() => this.close(), { "aria-label": t`Close the inspector` }, "×"),
      ),
      this.now,
      this.figures,
      h("dl", {}, ...rows.slice(1).flatMap((row) => this.row(row))),
      h(
        "div",
        { class: "buttons" },
        iconButton("previous", t`Previous step of its life`, () => this.go(-1)),
        iconButton("next", t`Next step of its life`, () => this.go(1)),
        ...(this.visits.length ? [button(() => this.awaitVisit(), {}, t`until visited`)] : []),
      ),
      h("h4", {}, steps.length === 1 ? t`Its life: 1 step` : t`Its life: ${steps.length} steps`),
      h("ol", { class: "life" }, ...this.life.map(({ row }) => h("li", {}, row))),
      ...more,
    );
    this.show(step);
  }

  /** What a part is called. */
  titleOf(part: Part | undefined): string | undefined {
    const first = part && this.rowsOf(part)[0];
    return first ? `${first[0]} ${first[1]}` : part && kindName(part.kind, []);
  }

  /** Of a card of one op its rows and those of what it makes; else its own, or those of the first thing there. */
  private rowsOf(part: Part): Row[] {
    const { about, rows } = this.film.data;
    const ops = part.things.filter((thing) => OP.test(thing));
    const whole = part.kind === "card" && ops.length === 1;
    const told = whole ? [...ops, part.things.find((thing) => TENSOR.test(thing))!] : [part.id in about ? part.id : part.of];
    return [...new Set(told.flatMap((thing) => about[thing] ?? []))].map((number) => rows[number]!);
  }

  /** To the next or previous step at which something happens to it. */
  go(way: 1 | -1): void {
    const step = neighbour(this.film.lifeOf(this.family), this.step, way);
    if (step !== undefined) this.seek(step);
  }

  /** The steps at which backward visits it. */
  private get visits(): number[] {
    return this.film.becoming("running", this.family);
  }

  /** On to where backward visits it; after its last visit, to the first. */
  awaitVisit(): void {
    const { visits } = this;
    const step = neighbour(visits, this.step, 1) ?? visits[0];
    if (step !== undefined) this.seek(step);
  }

  private row([word, text, step]: Row): HTMLElement[] {
    const said =
      step === undefined
        ? h("span", {}, text)
        : button(() => this.seek(step), { class: "jump", title: t`Go to step ${step}` }, text);
    return [h("dt", {}, word), h("dd", {}, said)];
  }

  private lifeRow(step: number): { step: number; row: HTMLElement } {
    const said = [h("b", {}, String(step)), ` ${this.film.data.captions[step] ?? ""}`];
    return { step, row: button(() => this.seek(step), { class: "jump" }, ...said) };
  }

  show(step: number): void {
    this.step = step;
    if (!this.family.length) return;
    const told = this.family.filter((part) => STATES.has(part.kind) || !this.film.data.contents[part.id]);
    const isThere = this.family.some((part) => this.graph.isVisible(part));
    const lines = isThere ? told.map((part) => this.graph.describe(part)).filter(Boolean) : [t`not there yet`];
    const came = this.part!.things.map((thing) => this.film.answers.at(thing, step)).filter((row) => row && !row[0] && row[2]! <= step);
    this.now.replaceChildren(...[...lines, ...came.map((row) => row![1])].map((line) => h("div", {}, line)));
    this.showFigures(step);
    let current: HTMLElement | undefined;
    for (const { step: each, row } of this.life) {
      row.removeAttribute("aria-current");
      row.classList.toggle("future", each > step);
      if (each <= step) current = row;
    }
    set(current, "aria-current", "step");
  }

  /** All values that are held here, as they are now; what stayed the same is left alone, with its scrolling. */
  private showFigures(step: number): void {
    const held = this.family.flatMap((part) => this.film.holds(part, step));
    const shown = JSON.stringify(held);
    if (shown === this.shown) return;
    this.shown = shown;
    this.figures.replaceChildren(...held.map(([title, sheet, gone]) => figure(title, this.film.data.sheets[sheet]!, gone)));
  }
}
