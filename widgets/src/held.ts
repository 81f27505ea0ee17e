// The row of a timeline with the bytes that are held.
import type { Visit } from "./bands";
import type { Telling } from "./bands";
import { h, s, set } from "./dom";
import { at, type Changes } from "./film";
import { t } from "./language";
import type { Span } from "./span";

/** What is seen of one run: its phases and the bytes that it holds. */
export interface Lane {
  name: string;
  phases: Changes<string>;
  held: Changes<number>;
  holding: string;
  /** Of each visit of a node, which it was, and when, if that is not told by marks. */
  visits?: readonly Visit[];
  visitedAt?: readonly number[];
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

/** Bytes held, as steps of a stair that is as high as the `most` of any run, and how many there are now. */
export class Strip implements Telling {
  private readonly svg = s("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
  private readonly text = h("span", { class: "held-now" });
  readonly element = h("div", { class: "stripe held" }, this.text, this.svg);

  constructor(
    private readonly lane: Lane,
    most: number,
    steps: number,
  ) {
    const y = (count: number): string => (22 - (20 * count) / most).toFixed(1);
    const stair = lane.held.map(([step, count]) => `H${step}V${y(count)}`).join("");
    this.svg.append(s("path", { class: "area", d: `M0 24V${y(0)}${stair}H${steps}V24Z` }));
  }

  draw({ from, length }: Span): void {
    set(this.svg, "viewBox", `${from} 0 ${length || 1} 24`);
  }

  said(time: number): string {
    return t`${this.told(time)}, step ${Math.round(time)}`;
  }

  private told(time: number): string {
    const whose = this.lane.name ? `${this.lane.name}: ` : "";
    return `${whose}${bytes(at(this.lane.held, Math.round(time)))} ${this.lane.holding}`;
  }

  step(time: number): number {
    return Math.round(time);
  }

  show(step: number): void {
    this.text.textContent = this.told(step);
  }
}
