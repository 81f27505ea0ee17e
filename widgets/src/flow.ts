// The row of a timeline that shows how gradients flow: layers × iterations, each iteration where its steps are.
import type { Telling } from "./bands";
import { claim, h, on, rectOf, s, set } from "./dom";
import type { Changes, FilmData } from "./film";
import { t } from "./language";
import type { Span } from "./span";

/** Layers; of each, by iterations, the size of its gradient in figures and its step on the scale: a letter each, a dot where nothing is known. */
export interface FlowData {
  rows: string[];
  sizes: string[][];
  steps: string[];
}

/** From where to where an iteration goes, where its backward begins, and what it is called. */
interface Column {
  from: number;
  to: number;
  backward: number;
  name: string;
}

/** All rows are so high, and each of them at most and at least; px. */
const [HIGH, MOST, LEAST] = [36, 7, 3];
/** What no colour of the scale is for. */
const OTHERS: Record<string, string> = { "0": "var(--paper)", "!": "var(--alarm)" };

/** The iterations of a run, as a band names them, each with the first of the passes that are in it. */
function columnsOf(band: Changes<string>, passes: readonly number[], end: number): Column[] {
  const stretches = band.map(([from, name], i) => ({ from, to: band[i + 1]?.[0] ?? end, name }));
  return stretches.filter(({ name }) => name).map((each) => ({ ...each, backward: passes.find((step) => step >= each.from && step < each.to) ?? each.from }));
}

export class FlowRow implements Telling {
  private readonly svg = s("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
  private readonly text = h("span", { class: "held-now", "aria-hidden": "true" });
  private readonly now = s("rect", { class: "here", y: 0 });
  readonly element: HTMLElement;
  private readonly columns: readonly Column[];
  /** The number of the iteration that a step belongs to. */
  private current = 0;

  constructor(
    private readonly data: FlowData,
    { loops, marks, steps }: FilmData,
    private readonly seek: (step: number) => void,
  ) {
    const { rows } = data;
    this.columns = columnsOf(loops[0]!, marks["backward"] ?? [], steps);
    this.svg.style.height = `${rows.length * Math.min(MOST, Math.max(LEAST, HIGH / rows.length))}px`;
    set(this.now, "height", rows.length);
    this.svg.append(...this.cells(), this.now);
    const range = { "aria-valuemin": 1, "aria-valuemax": this.columns.length };
    this.element = h("div", { class: "stripe held flow", role: "slider", tabindex: 0, "aria-label": t`Gradient flow, by iterations`, ...range }, this.text, this.svg);
    on(this.element, "keydown", (event) => this.press(event));
  }

  /** A path for each colour. */
  private cells(): SVGElement[] {
    const paths: Record<string, string> = {};
    this.data.steps.forEach((steps, y) =>
      this.columns.forEach(({ from, to }, i) => {
        const step = steps[i] ?? ".";
        paths[step] = `${paths[step] ?? ""}M${from} ${y}H${to}v1H${from}z`;
      }),
    );
    delete paths["."];
    return Object.entries(paths).map(([step, d]) => s("path", { d, style: `fill:${OTHERS[step] ?? `var(--grad_plus${step})`}` }));
  }

  draw({ from, length }: Span): void {
    set(this.svg, "viewBox", `${from} 0 ${length || 1} ${this.data.rows.length}`);
  }

  /** The number of the iteration at a time, or of the one before. */
  private at(time: number): number {
    return Math.max(0, this.columns.filter(({ from }) => from <= time).length - 1);
  }

  /** Of the cell where a pointer is; above the cells, of the whole iteration. */
  said(time: number, { clientY }: MouseEvent): string {
    const { rows, sizes } = this.data;
    const { top, height } = rectOf(this.svg);
    const [i, y] = [this.at(time), Math.floor(((clientY - top) / height) * rows.length)];
    return rows[y] === undefined ? this.told(i) : `${this.columns[i]!.name}, ${rows[y]}: ‖grad‖ ${sizes[y]![i] || t`unknown`}`;
  }

  /** The smallest and the largest gradient of an iteration. */
  private told(i: number): string {
    const { rows, sizes } = this.data;
    const known = rows.map((name, y) => [sizes[y]![i] ?? "", name] as const).filter(([size]) => size);
    known.sort(([one], [other]) => Number(one) - Number(other) || 0);
    const [least, most] = [known[0], known.at(-1)].map((each) => each && t`${each[0]} in ${each[1]}`);
    const range = least === undefined ? t`no gradient` : least === most ? `‖grad‖ ${least}` : t`‖grad‖ from ${least} to ${most}`;
    return `${this.columns[i]!.name}: ${range}`;
  }

  step(time: number): number {
    return this.columns[this.at(time)]!.backward;
  }

  show(step: number): void {
    this.current = this.at(step);
    const { from, to } = this.columns[this.current]!;
    set(this.now, "x", from);
    set(this.now, "width", to - from);
    const said = this.told(this.current);
    this.text.textContent = said;
    set(this.element, "aria-valuenow", this.current + 1);
    set(this.element, "aria-valuetext", said);
  }

  private press(event: KeyboardEvent): void {
    const last = this.columns.length - 1;
    const ways: Record<string, number> = { ArrowRight: this.current + 1, ArrowLeft: this.current - 1, Home: 0, End: last };
    const to = event.shiftKey ? undefined : ways[event.key];
    if (to === undefined) return;
    claim(event);
    this.seek(this.columns[Math.min(Math.max(to, 0), last)]!.backward);
  }
}
