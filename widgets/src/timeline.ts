// The whole run at a glance: phases, what is notable, and how many bytes are held, over one slider.
import { h, s } from "./dom";
import { at, type Film } from "./film";

const WIDE = 1000;
/** What each kind of notable step is drawn as, in a row 10 high. */
const SIGNS: Record<string, (x: number) => string> = {
  visit: (x) => `M${x} 3v5`,
  save: (x) => `M${x - 3} 3h6v4h-6z`,
  free: (x) => `M${x - 3} 3h6v4h-6z`,
  write: (x) => `M${x} 1l4 7h-8z`,
  store: (x) => `M${x} 8l-3 -5h6z`,
  backward: (x) => `M${x} 0v10`,
  error: (x) => `M${x - 4} 1l8 8m0 -8l-8 8`,
};

export const bytes = (count: number): string => {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    unit += 1;
  }
  return `${count < 10 && unit ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
};

export class Timeline {
  readonly slider: HTMLInputElement;
  readonly element: HTMLElement;
  private readonly cursor = s("path", { class: "cursor" });
  private readonly held = h("span", { class: "held-now" });

  constructor(
    private readonly film: Film,
    seek: (step: number) => void,
  ) {
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: film.steps,
      step: 1,
      value: 0,
      "aria-label": "Step",
      oninput: () => seek(Number(this.slider.value)),
    });
    const most = Math.max(0, ...film.data.held.map(([, count]) => count));
    const strip = most ? [h("div", { class: "held" }, this.bytesStrip(most), this.held)] : [];
    this.element = h("div", { class: "timeline" }, this.phases(), this.marks(), this.slider, ...strip);
  }

  private x(step: number): number {
    return this.film.steps ? (WIDE * step) / this.film.steps : 0;
  }

  /** Each phase as a box with its name, as wide as it is long; many short ones are left out. */
  private phases(): HTMLElement {
    const phases = this.film.data.phases;
    const row = h("div", { class: "phases", "aria-hidden": "true" });
    phases.forEach(([start, name], i) => {
      const end = phases[i + 1]?.[0] ?? this.film.steps;
      const share = (end - start) / Math.max(1, this.film.steps);
      const box = h("span", { title: `${name}, from step ${start}`, class: `phase phase-${name.split(/[ ,]/)[0]}` });
      box.style.left = `${this.x(start) / 10}%`;
      box.style.width = `${share * 100}%`;
      if (share > 0.04) box.append(name);
      row.append(box);
    });
    return row;
  }

  private marks(): SVGElement {
    const svg = s("svg", { class: "marks", viewBox: `0 0 ${WIDE} 10`, preserveAspectRatio: "none", "aria-hidden": "true" });
    for (const [kind, steps] of Object.entries(this.film.data.marks)) {
      const sign = SIGNS[kind];
      if (sign) svg.append(s("path", { class: `mark mark-${kind}`, d: steps.map((step) => sign(this.x(step))).join("") }));
    }
    svg.append(this.cursor);
    return svg;
  }

  /** Bytes held, as steps of a stair. */
  private bytesStrip(most: number): SVGElement {
    const y = (count: number): string => (22 - (20 * count) / most).toFixed(1);
    const stair = this.film.data.held.map(([step, count]) => `H${this.x(step).toFixed(1)}V${y(count)}`).join("");
    const svg = s("svg", { viewBox: `0 0 ${WIDE} 24`, preserveAspectRatio: "none", "aria-hidden": "true" });
    svg.append(s("path", { class: "area", d: `M0 24V${y(0)}${stair}H${WIDE}V24Z` }));
    return svg;
  }

  show(step: number): void {
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", `step ${step} of ${this.film.steps}, ${at(this.film.data.phases, step)}`);
    this.cursor.setAttribute("d", `M${this.x(step)} 0v10`);
    this.held.textContent = `${bytes(at(this.film.data.held, step))} held for backward`;
  }
}
