// What the shapes and colours that are to be seen right now mean.
import { h, s } from "./dom";
import type { FilmData } from "./film";

export class Legend {
  readonly element = h("div", { class: "legend", role: "group", "aria-label": "Legend", tabindex: 0 });
  private readonly rows: { kind: string; needs: string; row: HTMLElement }[];

  /** `sample` draws a look by its number. */
  constructor(entries: FilmData["legend"], sample: (look: number) => SVGElement) {
    this.rows = entries.map(([kind, needs, meaning, look]) => {
      const svg = s("svg", { width: 48, height: 22, "aria-hidden": "true" });
      svg.append(sample(look));
      return { kind, needs, row: h("div", { class: "entry" }, svg, h("span", {}, meaning)) };
    });
    this.element.append(...this.rows.map(({ row }) => row));
  }

  /** Explain what is there: kinds of parts, each with each of its class names. */
  show(present: ReadonlySet<string>): void {
    for (const { kind, needs, row } of this.rows) row.hidden = !present.has(`${kind} ${needs}`) && kind !== "text";
  }
}
