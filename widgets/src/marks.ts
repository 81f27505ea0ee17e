// What differs, marked on a graph: a dashed frame that says "only here", or a sign beside what is not the same elsewhere.
import { around, type Rect } from "./camera";
import { s } from "./dom";
import type { Part } from "./film";
import type { MarkData } from "./pair";
import type { Pane } from "./pane";

/** How far a frame stands off what it is around, and the height of its words. */
const [OFF, WORDS] = [7, 15];

interface Shown {
  data: MarkData;
  sign: SVGElement;
}

export class Marks {
  private shown: Shown[] = [];
  private view = "";

  constructor(
    private readonly pane: Pane,
    private readonly marks: readonly MarkData[],
  ) {}

  /** Show what holds at a beat, on the graph as it stands now. */
  show(beat: number): void {
    if (this.view !== this.pane.view) this.draw();
    const notes = new Map<string, string[]>();
    for (const { data, sign } of this.shown) {
      const [, parts, only, start, end, said] = data;
      const holds = start <= beat && (end === null || beat < end) && this.isVisible(parts[0]!);
      sign.setAttribute("visibility", holds ? "visible" : "hidden");
      if (holds) notes.set(parts[0]!, [...(notes.get(parts[0]!) ?? []), only ? "only here" : `differs: ${said}`]);
    }
    this.pane.graph.note(notes);
  }

  private isVisible(id: string): boolean {
    const part = this.pane.graph.part(id);
    return part !== undefined && this.pane.graph.isVisible(part);
  }

  /** All signs, around what is there in this view. */
  private draw(): void {
    const { graph, film, view } = this.pane;
    this.view = view;
    this.shown = [];
    graph.overlay.replaceChildren();
    for (const data of this.marks) {
      const [, ids, only] = data;
      const rect = around(ids.map((id) => graph.part(id)).filter((part) => part !== undefined && film.isEverSeen(part)) as Part[]);
      if (!rect) continue;
      const sign = only ? frame(rect) : unequal(rect);
      sign.setAttribute("data-mark", ids[0]!);
      this.shown.push({ data, sign });
      graph.overlay.append(sign);
    }
  }
}

/** The geometry is that of `autograd_lab/view/compare/diptych.py`. */
function frame({ x, y, width, height }: Rect): SVGElement {
  const group = s("g", { class: "only" });
  const [left, top] = [x - OFF, y - OFF];
  group.append(s("rect", { class: "frame", x: left, y: top, width: width + 2 * OFF, height: height + 2 * OFF, rx: 8 }));
  group.append(s("rect", { class: "flag", x: left + 8, y: top - WORDS / 2, width: 66, height: WORDS, rx: 3 }));
  const words = s("text", { x: left + 41, y: top + 4, "text-anchor": "middle", "font-size": 11 });
  words.append("only here");
  group.append(words);
  return group;
}

function unequal({ x, y, width, height }: Rect): SVGElement {
  const group = s("g", { class: "differs" });
  const [across, down] = [x + width + 8, y + Math.min(height / 2, 12)];
  group.append(s("circle", { cx: across, cy: down, r: 8.5 }));
  const sign = s("text", { x: across, y: down + 5, "text-anchor": "middle", "font-size": 14 });
  sign.append("≠");
  group.append(sign);
  return group;
}
