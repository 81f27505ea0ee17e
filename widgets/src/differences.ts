// The list of what differs, in sentences; each leads to the step at which it begins.
import { bring, button, h, set } from "./dom";
import { t } from "./language";
import type { PairData } from "./pair";

export class Differences {
  readonly element: HTMLElement;
  private readonly rows: { beat: number; row: HTMLElement }[];
  private last: HTMLElement | undefined;

  /** `legend` stands below the list, for whoever opens it. */
  constructor({ differences, counted }: PairData, legend: HTMLElement, seek: (beat: number) => void) {
    this.rows = differences.map(([beat, text]) => {
      return { beat, row: button(() => seek(beat), { class: "jump" }, text) };
    });
    const none = differences.length ? [] : [h("p", {}, t`Nothing: both do the same.`)];
    this.element = h("section", { class: "middle", "aria-label": t`What differs`, tabindex: 0 });
    const list = h("ol", {}, ...this.rows.map(({ row }) => h("li", {}, row)));
    this.element.append(h("h3", {}, t`What differs`), h("p", {}, counted), ...none, list, h("details", {}, h("summary", {}, t`Legend`), legend));
    new ResizeObserver(() => this.scroll()).observe(this.element);
  }

  /** Tell what is true already from what is still to come, and bring the last one that began into sight. */
  show(beat: number): void {
    this.last = undefined;
    for (const { beat: each, row } of this.rows) {
      row.classList.toggle("future", each > beat);
      row.removeAttribute("aria-current");
      if (each <= beat) this.last = row;
    }
    set(this.last, "aria-current", "step");
    this.scroll();
  }

  private scroll(): void {
    if (this.last) bring(this.last, this.element);
  }
}
