// Whole runs at a glance: phases, what is notable, and how many bytes are held, over one slider.
import { MARKS } from "./controls";
import { h, s } from "./dom";
import { at, type Changes } from "./film";

const WIDE = 1000;
/** The part of a timeline that a letter of a phase takes, where there is little room. */
const NAMED = 0.0075;
/** What each kind of notable step is drawn as, in a row 10 high. */
const SIGNS: Record<string, (x: number) => string> = {
  difference: (x) => `M${x - 4} 3h8M${x - 4} 7h8M${x + 3} 0l-6 10`,
  visit: (x) => `M${x} 3v5`,
  save: (x) => `M${x - 3} 3h6v4h-6z`,
  free: (x) => `M${x - 3} 3h6v4h-6z`,
  write: (x) => `M${x} 1l4 7h-8z`,
  store: (x) => `M${x} 8l-3 -5h6z`,
  backward: (x) => `M${x} 0v10`,
  error: (x) => `M${x - 4} 1l8 8m0 -8l-8 8`,
  pass: (x) => `M${x} 0v10`,
  drop: (x) => `M${x - 3} 2l6 6m0 -6l-6 6`,
  rewrite: (x) => `M${x - 4} 5h8l-3 -3m3 3l-3 3`,
  fuse: (x) => `M${x - 3} 2h6m-6 3h6m-6 3h6`,
  keep: (x) => `M${x - 3} 3h6v4h-6z`,
  place: (x) => `M${x} 3v5`,
};

/** The sign of a kind of notable step, at some places. */
const drawn = (kind: string, places: number[]): SVGElement => s("path", { class: `mark mark-${kind}`, d: places.map(SIGNS[kind]!).join("") });

/** Marks of a kind that are nearer to each other than this would melt into one bar. */
const NEAR = 8;
/** How many such bands find room one above the other. */
const BANDS = 4;

/** Places in order, those that are near to each other together; of few, each by itself. */
export function runs(places: readonly number[]): number[][] {
  const found: number[][] = [];
  for (const place of places) {
    const run = found.at(-1);
    if (run && place - run.at(-1)! < NEAR) run.push(place);
    else found.push([place]);
  }
  return found.flatMap((run) => (run.length > 3 ? [run] : run.map((place) => [place])));
}

/** Thin bands, in a row of their own for each kind that needs some. */
const band = (kind: string, found: number[][], row: number): SVGElement => {
  const d = found.map((run) => `M${run[0]!.toFixed(1)} ${1.5 + 2 * (row % BANDS)}H${run.at(-1)!.toFixed(1)}`);
  return s("path", { class: `mark band mark-${kind}`, d: d.join("") });
};

/** A sign, and what it stands for. */
function explained(kind: string): HTMLElement {
  const svg = s("svg", { class: "marks", viewBox: "-6 -1 12 12", "aria-hidden": "true" });
  svg.append(drawn(kind, [0]));
  return h("li", {}, svg, MARKS[kind]!);
}

export const bytes = (count: number): string => {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    unit += 1;
  }
  return `${count < 10 && unit ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
};

/** What is seen of one run: its phases and the bytes that it holds. */
export interface Lane {
  name: string;
  phases: Changes<string>;
  held: Changes<number>;
  holding: string;
}

export class Timeline {
  readonly slider: HTMLInputElement;
  readonly element: HTMLElement;
  private readonly cursors: SVGElement[] = [];
  /** What the marks that there are stand for. */
  readonly key: HTMLElement;
  private step = -1;
  private readonly held: { lane: Lane; text: HTMLElement }[] = [];

  /** `told` says in words where a step is. */
  constructor(
    private readonly steps: number,
    lanes: readonly Lane[],
    marks: Record<string, number[]>,
    seek: (step: number) => void,
    private readonly told: (step: number) => string,
    grain: "any" | 1 = 1,
  ) {
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: steps,
      step: grain,
      value: 0,
      "aria-label": "Step",
      oninput: () => seek(Number(this.slider.value)),
    });
    const phases = lanes.map((lane) => this.phases(lane));
    const most = Math.max(0, ...lanes.flatMap(({ held }) => held.map(([, count]) => count)));
    const strips = most ? lanes.map((lane) => this.strip(lane, most)) : [];
    const { difference, ...others } = marks;
    const rows = [...(difference ? [this.marks({ difference })] : []), this.marks(others)];
    for (const row of [...phases, ...rows, ...strips]) row.addEventListener("click", (event) => seek(this.stepAt(event as MouseEvent)));
    this.element = h("div", { class: "timeline" }, ...phases, ...rows, this.slider, ...strips);
    this.key = h("ul", { class: "key" }, ...Object.keys(marks).filter((kind) => SIGNS[kind]).map(explained));
  }

  private stepAt({ clientX, currentTarget }: MouseEvent): number {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    return Math.round(((clientX - left) / width) * this.steps);
  }

  private x(step: number): number {
    return this.steps ? (WIDE * step) / this.steps : 0;
  }

  /** Each phase as a box with its name, as wide as it is long, if that has room for it: half a word says nothing. */
  private phases({ name: whose, phases }: Lane): HTMLElement {
    const row = h("div", { class: "phases", "aria-hidden": "true", title: whose || undefined });
    phases.forEach(([start, name], i) => {
      const end = phases[i + 1]?.[0] ?? this.steps;
      const share = (end - start) / Math.max(1, this.steps);
      const box = h("span", { title: `${name}, from step ${start}`, class: `phase phase-${name.split(/[ ,]/)[0]}` });
      box.style.left = `${this.x(start) / 10}%`;
      box.style.width = `${share * 100}%`;
      if ((share - 0.01) / NAMED >= name.length) box.append(name);
      row.append(box);
    });
    return row;
  }

  private marks(marks: Record<string, number[]>): SVGElement {
    const svg = s("svg", { class: "marks", viewBox: `0 0 ${WIDE} 10`, preserveAspectRatio: "none", "aria-hidden": "true" });
    let rows = 0;
    for (const [kind, steps] of Object.entries(marks)) {
      if (!SIGNS[kind]) continue;
      const found = runs(steps.map((step) => this.x(step)));
      const [long, alone] = [found.filter((run) => run.length > 1), found.filter((run) => run.length === 1)];
      const paths = [...(long.length ? [band(kind, long, rows++)] : []), drawn(kind, alone.flat())];
      for (const path of paths) {
        const title = s("title");
        title.textContent = MARKS[kind] ?? kind;
        path.append(title);
      }
      svg.append(...paths);
    }
    const cursor = s("path", { class: "cursor" });
    this.cursors.push(cursor);
    svg.append(cursor);
    return svg;
  }

  /** Bytes held, as steps of a stair, and how many there are now. */
  private strip(lane: Lane, most: number): HTMLElement {
    const y = (count: number): string => (22 - (20 * count) / most).toFixed(1);
    const stair = lane.held.map(([step, count]) => `H${this.x(step).toFixed(1)}V${y(count)}`).join("");
    const svg = s("svg", { viewBox: `0 0 ${WIDE} 24`, preserveAspectRatio: "none", "aria-hidden": "true" });
    svg.append(s("path", { class: "area", d: `M0 24V${y(0)}${stair}H${WIDE}V24Z` }));
    const text = h("span", { class: "held-now" });
    this.held.push({ lane, text });
    return h("div", { class: "held" }, text, svg);
  }

  /** Show a time; it is told which step that is in. */
  show(time: number): void {
    this.slider.value = String(time);
    for (const cursor of this.cursors) cursor.setAttribute("d", `M${this.x(time)} 0v10`);
    const step = Math.ceil(time);
    if (step === this.step) return;
    this.step = step;
    this.slider.setAttribute("aria-valuetext", this.told(step));
    for (const { lane, text } of this.held) {
      const whose = lane.name ? `${lane.name}: ` : "";
      text.textContent = `${whose}${bytes(at(lane.held, step))} ${lane.holding}`;
    }
  }
}
