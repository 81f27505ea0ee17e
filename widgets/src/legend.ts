// What the shapes and colours that are to be seen right now mean.
import { h, s } from "./dom";
import { t } from "./language";
import type { Pane } from "./pane";

export class Legend {
  readonly element = h("div", { class: "legend", role: "group", "aria-label": t`Legend`, tabindex: 0 });
  private readonly rows = new Map<string, { row: HTMLElement; unless: string | undefined }>();
  private shown: readonly unknown[] = [];

  constructor(
    private readonly panes: readonly Pane[],
  ) {
    for (const { film, graph } of this.panes) {
      for (const [kind, needs, meaning, look, width, unless] of film.data.legend) {
        if (this.rows.has(`${kind} ${needs}`)) continue;
        const svg = s("svg", { width: width + 8, height: 24, "aria-hidden": "true" });
        svg.append(graph.sample(look));
        const row = h("div", { class: "entry" }, svg, h("span", {}, meaning));
        this.rows.set(`${kind} ${needs}`, { row, unless });
        this.element.append(row);
      }
    }
  }

  /** As high for all steps of the graphs that are shown, so that the program above stays where it is. */
  private reserve(): void {
    const graphs = this.panes.map(({ graph }) => graph.data);
    if (graphs.every((graph, i) => graph === this.shown[i])) return;
    this.shown = graphs;
    this.element.style.setProperty("--most", String(this.panes[0]!.graph.atMost([...this.rows.keys()])));
  }

  /** Explain what is there now, and nothing else. */
  show(): void {
    const present = this.panes.map(({ graph }) => graph.present());
    const isThere = (name: string): boolean => present.some((names) => names.has(name));
    for (const [name, { row, unless }] of this.rows) row.hidden = !isThere(name) || (unless !== undefined && isThere(unless));
    this.reserve();
  }
}
