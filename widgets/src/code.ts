// The program, with the line that runs, and those that saved, overwrote or freed what a trouble is about.
import { button, h } from "./dom";
import { at, type Film } from "./film";

/** What stands for the kinds of tokens in the film: a letter each. */
const KINDS: Record<string, string> = { k: "keyword", s: "string", f: "figure", c: "comment" };
/** By how much a line that goes on below is set in, more than the line itself; characters. */
const HANG = 4;
const NOTES = ["saved here", "overwritten here", "freed here"];

interface Line {
  row: HTMLElement;
  note: HTMLElement;
  steps: number[];
}

/** The text of a line as its tokens, of which Python has told kinds and lengths; it counts whole characters. */
function coloured(text: string, runs: string): (Node | string)[] {
  const characters = [...text];
  const parts = [...runs.matchAll(/(\D)(\d+)/g)].map(([, kind, length]) => {
    const part = characters.splice(0, Number(length)).join("");
    return KINDS[kind!] ? h("span", { class: KINDS[kind!] }, part) : part;
  });
  return [...parts, characters.join("")];
}

export class Code {
  readonly element = h("div", { class: "code", role: "group", "aria-label": "Program", tabindex: 0 });
  private lines = new Map<string, Line>();
  private lit: Line[] = [];
  private here: Line | undefined;
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
  }

  private add(file: number, number: number, text: string, runs: string): void {
    const steps = this.film.stepsOf(file, number);
    const note = h("span", { class: "note" });
    const code = h("span", { class: "text", style: `--hang: ${text.search(/\S|$/) + HANG}ch` }, ...coloured(text, runs));
    const inner = [h("span", { class: "number" }, String(number)), code, note];
    const row = steps.length
      ? button(() => this.go(steps), { tabindex: -1, class: "line" }, ...inner)
      : h("div", { class: "line still" }, ...inner);
    this.lines.set(`${file}:${number}`, { row, note, steps });
    this.element.append(row);
  }

  /** To the next step of a line; from its last one back to its first. */
  private go(steps: number[]): void {
    this.seek(steps.find((step) => step > this.step()) ?? steps[0]!);
  }

  show(step: number): void {
    for (const { row, note } of this.lit) {
      row.classList.remove("now", "saved", "overwritten", "freed");
      row.removeAttribute("aria-current");
      note.textContent = "";
    }
    this.lit = [];
    this.here = this.light(at(this.film.data.here, step), "now", "");
    this.here?.row.setAttribute("aria-current", "step");
    at(this.film.data.culprits, step).forEach((place, i) => this.light(place, NOTES[i]!.split(" ")[0]!, NOTES[i]!));
    cancelAnimationFrame(this.soon);
    this.soon = requestAnimationFrame(() => this.scroll());
  }

  private light(place: [] | [number, number], name: string, said: string): Line | undefined {
    const line = this.lines.get(place.join(":"));
    if (!line) return undefined;
    line.row.classList.add(name);
    line.note.textContent = [line.note.textContent, said].filter(Boolean).join(" · ");
    this.lit.push(line);
    return line;
  }

  /** Bring the running line into sight. Scrolls this panel alone; `scrollIntoView` would move the page, too. */
  private scroll(): void {
    if (!this.here) return;
    const [top, height] = [this.here.row.offsetTop, this.element.clientHeight];
    const seen = top >= this.element.scrollTop + 20 && top + 40 <= this.element.scrollTop + height;
    if (!seen) this.element.scrollTop = Math.max(0, top - height / 2);
  }
}
