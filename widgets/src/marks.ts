// What differs, marked on a graph: a dashed frame that says "only here", or a sign on what is not the same elsewhere.
import { around, type Rect } from "./camera";
import { s, set } from "./dom";
import type { GraphData, Part } from "./film";
import { t } from "./language";
import type { MarkData } from "./pair";
import type { Pane } from "./pane";

/** How far a frame stands off what it is around, height and width of its words; radius of a sign, and where it stands. */
const [OFF, WORDS, WIDTH] = [4, 17, 70];
const [SIGN, INDENT, RISE, LOW] = [8.5, 13, 3, 4];
/** Pockets that are narrower than this have no mark of their own. */
const WIDE = 3 * SIGN;

/** A part of the graph with all that is ever said of it, and its two marks, of which one is seen at most. */
interface Marked {
  part: Part;
  data: MarkData[];
  frame: SVGElement;
  sign: SVGElement;
}

export class Marks {
  private marked: Marked[] = [];
  /** The graph that they are drawn on. */
  private on: GraphData | undefined;
  private readonly layer = s("g");

  constructor(
    private readonly pane: Pane,
    private readonly marks: readonly MarkData[],
  ) {}

  /** Show what holds at a beat, on the graph as it stands now. */
  show(beat: number): void {
    if (this.on !== this.pane.graph.data) this.draw();
    const notes = new Map<string, string[]>();
    for (const { part, data, frame, sign } of this.marked) {
      const holding = this.pane.graph.isVisible(part) ? data.filter(([, , , start, end]) => start <= beat && (end === null || beat < end)) : [];
      const isAlone = alone(part, holding);
      set(frame, "visibility", isAlone ? "visible" : "hidden");
      set(sign, "visibility", holding.length && !isAlone ? "visible" : "hidden");
      if (isAlone) notes.set(part.id, [t`only here`]);
      else if (holding.length) notes.set(part.id, holding.map(([, , , , , said]) => t`differs: ${said}`));
    }
    this.pane.graph.note(notes);
  }

  /** The marks of all parts that stand for what differs. */
  private draw(): void {
    const { graph, film } = this.pane;
    this.on = graph.data;
    this.layer.replaceChildren();
    graph.overlay.append(this.layer);
    const found = new Map<Part, MarkData[]>();
    for (const data of this.marks) {
      const parts = data[1].map((thing) => this.holder(thing)).filter((part) => part !== undefined);
      for (const part of new Set(parts)) if (film.isEverThere(part)) found.set(part, [...(found.get(part) ?? []), data]);
    }
    this.marked = [...found].map(([part, data]) => ({ part, data, frame: frame(this.around(part)), sign: unequal(part) }));
    for (const { part, frame, sign } of this.marked) {
      for (const mark of [frame, sign]) set(mark, "data-mark", part.id);
      this.layer.append(frame, sign);
    }
  }

  /** The part that is marked for a thing. */
  private holder(thing: string): Part | undefined {
    const { graph } = this.pane;
    const part = graph.partOf(thing);
    return part?.kind === "slot" && part.width < WIDE ? graph.partOf(part.of.split(".")[0]!) : part;
  }

  /** A card with what hangs on it. */
  private around(part: Part): Rect {
    return around(this.pane.graph.family(part))!;
  }
}

/** Whether there is nothing in a part that the other graph has, too. */
function alone(part: Part, holding: readonly MarkData[]): boolean {
  const only = new Set(holding.filter(([, , only]) => only).flatMap(([, things]) => things));
  const ops = part.things.filter((thing) => /^o\d+$/.test(thing));
  return part.kind === "card" && (ops.length ? ops : [part.of]).every((thing) => only.has(thing));
}

/** The geometry is that of `autograd_lab/view/compare/marked.py`. */
function frame({ x, y, width, height }: Rect): SVGElement {
  const group = s("g", { class: "only" });
  const [left, top] = [x - OFF, y - OFF];
  group.append(s("rect", { class: "frame", x: left, y: top, width: width + 2 * OFF, height: height + 2 * OFF, rx: 10 }));
  group.append(s("rect", { class: "flag", x: left + 8, y: top - WORDS / 2, width: WIDTH, height: WORDS, rx: 4 }));
  const words = s("text", { x: left + 8 + WIDTH / 2, y: top + 4.3, "text-anchor": "middle" });
  words.append(t`only here`);
  group.append(words);
  return group;
}

function unequal({ kind, x, y, width, height }: Part): SVGElement {
  const group = s("g", { class: "differs" });
  const [across, down] = kind === "slot" ? [x + width, y + height - LOW] : [x + INDENT, y - RISE];
  group.append(s("circle", { cx: across, cy: down, r: SIGN }));
  const sign = s("text", { x: across, y: down + 5, "text-anchor": "middle" });
  sign.append("≠");
  group.append(sign);
  return group;
}
