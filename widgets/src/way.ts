// Why something is as it is: the reason in words, and the way to where it comes about, lit in the picture.
import { around } from "./camera";
import { h, s, silent } from "./dom";
import type { Part } from "./film";
import type { Graph } from "./graph";

const OFF = 4;

export class Way {
  /** The words, for everybody. */
  readonly element = h("p", { class: "reason", role: "status" });
  private readonly light = silent("way");
  private shown: { ids: string[]; mark: string } = { ids: [], mark: "" };

  constructor(private readonly graph: Graph) {}

  /** Say a reason, and light a way whose end has a mark; whether that is an alarm is seen. */
  show(said: string, alarm = false, way: { ids: string[]; mark: string } = { ids: [], mark: "" }): void {
    this.element.textContent = said;
    this.element.classList.toggle("alarm", alarm);
    this.shown = way;
    this.draw();
    const rect = around(this.parts);
    if (rect) this.graph.camera.reveal(rect);
  }

  private get parts(): Part[] {
    const parts = this.shown.ids.map((id) => this.graph.partOf(id)).filter((part) => part !== undefined);
    return [...new Set(parts)];
  }

  clear(): void {
    if (this.element.textContent) this.show("");
  }

  /** On the graph as it stands now; things that are drawn as one are lit as one. */
  draw(): void {
    const end = this.parts.filter((part) => !part.isLine).at(-1);
    const outlines = this.parts.map((part) => outline(this.graph, part));
    this.light.replaceChildren(...outlines, ...(end && this.shown.mark ? [marked(end, this.shown.mark)] : []));
    this.graph.overlay.append(this.light);
  }
}

/** A line once more, or a frame around anything else. */
export function outline(graph: Graph, part: Part): SVGElement {
  const line = graph.lineOf(part);
  if (line) return s("path", { d: line });
  const { x, y, width, height } = part;
  return s("rect", { x: x - OFF, y: y - OFF, width: width + 2 * OFF, height: height + 2 * OFF, rx: 8 });
}

/** A sign in a circle, at the corner of a part. */
export function marked({ x, y }: Part, mark: string): SVGElement {
  const group = s("g", { class: "end" });
  const sign = s("text", { x: x - 3, y: y + 11, "text-anchor": "middle", "font-size": 17 });
  sign.append(mark);
  group.append(s("circle", { cx: x - 3, cy: y + 5, r: 12 }), sign);
  return group;
}
