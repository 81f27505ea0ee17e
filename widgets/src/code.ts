// The program, with the line that runs, and those that saved, overwrote or freed what a trouble is about.
import { button, h } from "./dom";
import { at, type Film } from "./film";

const NOTES = ["saved here", "overwritten here", "freed here"];

interface Line {
  row: HTMLElement;
  note: HTMLElement;
  steps: number[];
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
    film.data.files.forEach(([name, texts], file) => {
      if (many) this.element.append(h("div", { class: "file" }, name));
      texts.forEach((text, i) => this.add(file, i + 1, text));
    });
    new ResizeObserver(() => this.scroll()).observe(this.element);
  }

  private add(file: number, number: number, text: string): void {
    const steps = this.film.stepsOf(file, number);
    const note = h("span", { class: "note" });
    const inner = [h("span", { class: "number" }, String(number)), h("span", { class: "text" }, text), note];
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
