// The program, with the line that runs, and those that saved, overwrote or freed what a trouble is about.
import { bring, button, claim, focusOn, h, on, set } from "./dom";
import { at, type Film, type Place } from "./film";
import { t } from "./language";

/** What stands for the kinds of tokens in the film: a letter each. */
const KINDS: Record<string, string> = { k: "keyword", s: "string", f: "figure", c: "comment" };
/** By how much a line that goes on below is set in, more than the line itself; characters. */
const HANG = 4;
/** Where code without a blank may go on in the next line. */
const BREAKS = /(?<=[([{,.=])(?![=.\s])/;
/** What a culprit did, in the order in which they are told; or one is to blame for something else. */
const DEEDS = ["saved", "overwritten", "freed", "blamed"];

interface Line {
  row: HTMLElement;
  code: HTMLElement;
  note: HTMLElement;
  place: Place;
  steps: number[];
  text: string;
  /** Its tokens, of which Python has told kinds and lengths. */
  tokens: string;
}

/** Some characters of a line as its tokens, which are broken last of all; it counts whole characters. */
function coloured({ text, tokens }: Pick<Line, "text" | "tokens">, start = 0, end = Infinity): (Node | string)[] {
  const characters = [...text];
  let from = 0;
  const parts = [...tokens.matchAll(/(\D)(\d+)/g), ["", "_", "Infinity"]].map(([, kind, length]) => {
    const to = from + Number(length);
    const part = characters.slice(Math.max(from, start), Math.min(to, end)).join("");
    from = to;
    return part && KINDS[kind!] ? [h("wbr"), h("span", { class: KINDS[kind!] }, part)] : part.split(BREAKS).flatMap((piece, i) => [i ? h("wbr") : "", piece]);
  });
  return parts.flat().filter((part) => part !== "");
}

/** A line in which what runs is marked. */
function marked(line: Line, range: [] | [number, number]): (Node | string)[] {
  const [start, end] = range;
  if (start === undefined) return coloured(line);
  return [...coloured(line, 0, start), h("u", {}, ...coloured(line, start, end)), ...coloured(line, end)];
}

export class Code {
  readonly element = h("div", { class: "code", role: "group", "aria-label": t`Program`, tabindex: 0 });
  private lines = new Map<string, Line>();
  private lit: Line[] = [];
  private shown = "";
  /** Told which line somebody points at, or that it is none. */
  onpoint: ((line: { steps: readonly number[]; place: Place } | undefined) => void) | undefined;
  private here: Line | undefined;
  /** The line that is to be in sight: the one that runs or, where a page opens that tells of an error, the one to blame. */
  private sought: Line | undefined;
  private soon = 0;

  constructor(
    private readonly film: Film,
    private readonly seek: (step: number) => void,
    private readonly step: () => number,
  ) {
    const many = film.data.files.length > 1;
    const tokens = (film.data as { tokens?: string[] }).tokens ?? [];
    film.data.files.forEach(([name, texts], file) => {
      const runs = tokens[file]?.split("\n") ?? [];
      if (many) this.element.append(h("div", { class: "file" }, name));
      texts.forEach((text, i) => this.add(file, i + 1, text, runs[i] ?? ""));
    });
    new ResizeObserver(() => this.scroll()).observe(this.element);
    const lineAt = (target: EventTarget | null): Line | undefined => [...this.lines.values()].find(({ row }) => row.contains(target as Node));
    const point = ({ target }: Event): void => {
      const line = lineAt(target);
      this.onpoint?.(line?.steps.length ? line : undefined);
    };
    for (const kind of ["pointerover", "focusin"]) this.element.addEventListener(kind, point);
    for (const kind of ["pointerleave", "focusout"]) this.element.addEventListener(kind, () => this.onpoint?.(undefined));
    on(this.element, "keydown", (event) => this.press(event));
  }

  private add(file: number, number: number, text: string, tokens: string): void {
    const steps = this.film.stepsOf(file, number);
    const note = h("span", { class: "note" });
    const code = h("span", { class: "text", style: `--hang: ${text.search(/\S|$/) + HANG}ch` }, ...coloured({ text, tokens }));
    const inner = [h("span", { class: "number" }, String(number)), code, note];
    const row = steps.length
      ? button(() => this.go(steps), { tabindex: -1, class: "line" }, ...inner)
      : h("div", { class: "line still" }, ...inner);
    this.lines.set(`${file}:${number}`, { row, code, note, place: [file, number], steps, text, tokens });
    this.element.append(row);
  }

  /** Have the line that runs focused, or the first one that ever does. */
  focus(): void {
    focusOn((this.here ?? [...this.lines.values()].find(({ steps }) => steps.length))?.row);
    this.scroll();
  }

  /** From line to line by ↑ and ↓, as far as they did anything. */
  private press(event: KeyboardEvent): void {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!way) return;
    const rows = [...this.lines.values()].filter(({ steps }) => steps.length).map(({ row }) => row);
    const focused = rows.findIndex((row) => row.matches(":focus"));
    const next = focused < 0 ? (this.here?.row ?? rows[0]) : rows[focused + way];
    next?.focus();
    claim(event);
  }

  /** Have some lines lit, and no others. */
  light(places: readonly Place[]): void {
    const names = new Set(places.map((place) => place.join(":")));
    for (const [name, { row }] of this.lines) row.classList.toggle("lit", names.has(name));
  }

  /** What somebody points at who points at a line; nothing, if it is not shown. */
  pointed(place: Place): { steps: readonly number[]; place: Place } | undefined {
    const line = this.lines.get(place.join(":"));
    return line && { steps: line.steps, place };
  }

  /** To the next step of a line; from its last one back to its first. */
  private go(steps: number[]): void {
    this.seek(steps.find((step) => step > this.step()) ?? steps[0]!);
  }

  show(step: number): void {
    const { data } = this.film;
    for (const { row, note } of this.lit) {
      row.classList.remove("now", ...DEEDS);
      row.removeAttribute("aria-current");
      note.textContent = "";
    }
    this.lit = [];
    const before = this.here;
    this.here = this.tell(at(data.here, step), "now", "");
    set(this.here?.row, "aria-current", "step");
    this.mark(before, at(data.running, step));
    const notes = [t`saved here`, t`overwritten here`, t`freed here`];
    const culprits = at(data.culprits, step).map((place, i) => this.tell(place, DEEDS[i]!, notes[i]!));
    const blamed = step === data.start && data.blame && this.tell(data.blame, "blamed", "");
    this.sought = blamed || culprits.filter(Boolean).at(-1) || this.here; // beside culprits the running line sticks to the edge
    cancelAnimationFrame(this.soon);
    this.soon = requestAnimationFrame(() => this.scroll());
  }

  /** Mark what runs in its line, and in the one before it nothing any more. */
  private mark(before: Line | undefined, range: [] | [number, number]): void {
    const shown = `${this.here?.place.join(":")} ${range.join(":")}`;
    if (shown === this.shown) return;
    this.shown = shown;
    if (before && before !== this.here) before.code.replaceChildren(...coloured(before));
    this.here?.code.replaceChildren(...marked(this.here, range));
  }

  private tell(place: Place, name: string, said: string): Line | undefined {
    const line = this.lines.get(place.join(":"));
    if (!line) return undefined;
    line.row.classList.add(name);
    line.note.textContent = [line.note.textContent, said].filter(Boolean).join(" · ");
    this.lit.push(line);
    return line;
  }

  private scroll(): void {
    if (this.sought) bring(this.sought.row, this.element);
  }
}
