// What the shapes and colours that are to be seen right now mean.
import { h, s } from "./dom";
import type { Pane } from "./pane";

export class Legend {
  readonly element = h("div", { class: "legend", role: "group", "aria-label": "Legend", tabindex: 0 });
  private readonly rows = new Map<string, HTMLElement>();

  constructor(private readonly panes: readonly Pane[]) {
    for (const { film, graph } of panes) {
      for (const [kind, needs, meaning, look] of film.data.legend) {
        if (this.rows.has(`${kind} ${needs}`)) continue;
        const svg = s("svg", { width: 48, height: 22, "aria-hidden": "true" });
        svg.append(graph.sample(look));
        const row = h("div", { class: "entry" }, svg, h("span", {}, meaning));
        this.rows.set(`${kind} ${needs}`, row);
        this.element.append(row);
      }
    }
    // always as high, so that the program above stays where it is
    this.element.style.setProperty("--most", String(panes[0]!.graph.atMost([...this.rows.keys()])));
  }

  /** Explain what is there now, and nothing else. */
  show(): void {
    const present = this.panes.map(({ graph }) => graph.present());
    for (const [name, row] of this.rows) row.hidden = !present.some((names) => names.has(name));
  }
}
