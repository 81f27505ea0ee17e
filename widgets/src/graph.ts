// The graph: every part as a group of shapes, of which a step changes only those that look different.
import { around, Camera, type Rect } from "./camera";
import { calm, s } from "./dom";
import { type Film, type GraphData, lookAt, Part } from "./film";

/** What parts are called where they cannot be seen. */
const NAMES: Record<string, string> = {
  box: "tensor",
  flow: "gradient",
  dock: "accumulator",
  grad: "stored gradient",
  pill: "op",
  slot: "saved slot",
  number: "number",
  docked: "operand",
  link: "edge",
  fold: "folded ops",
  "fold-link": "edges",
  "fold-chip": "operand",
};
const TRAVEL = 380;

interface Drawn {
  part: Part;
  group: SVGElement;
  look: number;
  children: Child[];
}

interface Child {
  element: number;
  node: SVGElement;
}

function takeOut(node: SVGElement): void {
  if (node.parentNode) node.nextSibling?.remove();
  node.remove();
}

export class Graph {
  readonly svg = s("svg", { class: "graph", role: "group", "aria-label": "Graph" });
  readonly camera: Camera;
  private readonly world = s("g");
  private drawn = new Map<string, Drawn>();
  /** What stands above all parts, for whoever marks them. */
  readonly overlay = s("g", { class: "overlay" });
  private notes = new Map<string, string[]>();
  private focusRing = s("rect", { class: "ring", rx: 6, visibility: "hidden" });
  /** Which of the film's views is shown. */
  view = 0;
  private step = 0;
  private chosen: string | undefined;

  constructor(
    private readonly film: Film,
    private data: GraphData,
    private readonly choose: (part: Part | undefined) => void,
    followed: (follows: boolean) => void,
  ) {
    this.svg.append(this.world);
    this.camera = new Camera(this.svg, this.world, { x: 0, y: 0, width: 1, height: 1 }, followed, () => this.reveal());
    this.svg.addEventListener("click", (event) => {
      if (!this.svg.classList.contains("dragged")) this.choose(this.partOf(event.target));
    });
    this.svg.addEventListener("focusin", (event) => this.ring(this.partOf(event.target)));
    this.svg.addEventListener("focusout", () => this.ring(this.selected));
    this.turnTo(data);
  }

  get parts(): Part[] {
    return [...this.drawn.values()].map(({ part }) => part);
  }

  get selected(): Part | undefined {
    return this.chosen === undefined ? undefined : this.part(this.chosen);
  }

  part(id: string): Part | undefined {
    return this.drawn.get(id)?.part;
  }

  /** Show the parts in their other places. */
  turnTo(data: GraphData): void {
    this.data = data;
    this.world.replaceChildren();
    this.drawn.clear();
    for (const each of data.parts) this.add(new Part(each, this.view));
    this.world.append(this.overlay, this.focusRing);
    this.show(this.step, false);
    this.camera.turnTo(this.bounds);
    this.select(this.chosen);
  }

  /** Show each part in the clothes of view number `view`; nothing moves. */
  wear(view: number): void {
    this.view = view;
    for (const each of this.data.parts) this.drawn.get(each[0])!.part = new Part(each, view);
    this.show(this.step, false);
  }

  get way(): GraphData {
    return this.data;
  }

  get bounds(): Rect {
    return around(this.parts) ?? { x: 0, y: 0, width: 1, height: 1 };
  }

  private add(part: Part): void {
    const group = s("g", { class: "hidden", "data-part": part.id, tabindex: -1, role: "button" });
    if (!part.isLine) group.setAttribute("transform", `translate(${part.x} ${part.y})`);
    this.drawn.set(part.id, { part, group, look: -1, children: [] });
    this.world.append(group);
  }

  /** Show a step; `moves` lets what travels be seen travelling. */
  show(step: number, moves: boolean): void {
    this.step = step;
    for (const drawn of this.drawn.values()) {
      const look = lookAt(drawn.part.track, step);
      if (look !== drawn.look) this.change(drawn, look);
    }
    if (moves && !calm()) for (const each of this.now()) if (each.part.isLine) requestAnimationFrame(() => this.travel(each));
    this.reveal();
  }

  /** Where not all can be seen, see to it that what the step has lit can. */
  private reveal(): void {
    if (!this.camera.follows) return;
    const rect = around(this.now().map(({ part }) => part));
    if (rect) this.camera.reveal(rect);
  }

  /** What the step has lit. */
  private now(): Drawn[] {
    return [...this.drawn.values()].filter((each) => / now\b/.test(this.film.classes(each.look)));
  }

  /** Only what is another element than before is made anew, or written anew if only its text is another. */
  private change(drawn: Drawn, look: number): void {
    drawn.look = look;
    const classes = this.film.classes(look);
    drawn.group.setAttribute("class", classes);
    drawn.group.setAttribute("aria-label", this.nameOf(drawn));
    const elements = this.film.data.looks[look]![1];
    const wanted = new Set(elements);
    const kept = new Map(drawn.children.map((child) => [child.element, child.node]));
    const spare = drawn.children.filter(({ element }) => !wanted.has(element));
    drawn.children = elements.map((element) => {
      const node = kept.get(element) ?? this.rewritten(spare, element) ?? this.make(element);
      kept.delete(element); // should it be wanted twice
      return { element, node };
    });
    for (const { node } of spare) takeOut(node);
    drawn.children.forEach(({ node }, i) => {
      if (drawn.group.children[i] === node) return;
      takeOut(node);
      drawn.group.insertBefore(node, drawn.group.children[i] ?? null);
      node.after(" "); // keeps texts apart for whoever reads them aloud
    });
  }

  /** The node of an element that is not wanted any more and differs in nothing but its text. */
  private rewritten(spare: Child[], element: number): SVGElement | undefined {
    const [shape, text] = this.film.data.elements[element]!;
    if (typeof text !== "string") return undefined;
    const place = spare.findIndex((old) => this.film.data.elements[old.element]![0] === shape);
    if (place < 0) return undefined;
    const [{ node }] = spare.splice(place, 1) as [Child];
    node.textContent = text;
    return node;
  }

  private make(element: number): SVGElement {
    const [shape, ...children] = this.film.data.elements[element]!;
    const node = s(...this.film.data.shapes[shape]!);
    for (const child of children) node.append(typeof child === "string" ? child : this.make(child));
    return node;
  }

  /** A look by itself, for the legend. */
  sample(look: number): SVGElement {
    const group = s("g", { class: this.film.classes(look) });
    group.append(...this.film.data.looks[look]![1].map((element) => this.make(element)));
    return group;
  }

  /** Kinds of what is there, each with each of its class names. */
  present(): Set<string> {
    const found = new Set<string>();
    for (const { part, look } of this.drawn.values()) {
      const [kind, ...names] = this.film.classes(look).split(" ");
      if (kind !== "hidden") for (const name of names) for (const each of [kind, part.kind]) found.add(`${each} ${name}`);
    }
    return found;
  }

  /** What a screen reader says of a part: what it is, its texts, its state in words. */
  private nameOf({ part, look }: Drawn): string {
    const [, ...state] = this.film.classes(look).split(" ");
    const owner = part.isLine || part.kind === "slot" ? this.drawn.get(part.of) : undefined;
    const title = owner ? this.film.said(lookAt(owner.part.track, this.film.steps)).split("\n")[0] : "";
    const whose = title ? `${part.isLine ? "into" : "of"} ${title}` : "";
    const said = this.film.said(look).split("\n").join(" ");
    const notes = (this.notes.get(part.id) ?? []).map((note) => `; ${note}`).join("");
    return [NAMES[part.kind] ?? part.kind, whose, `${said};`, state.join(", ")].filter(Boolean).join(" ") + notes;
  }

  /** Have parts called what they are and, besides, what is said of them here. */
  note(notes: Map<string, string[]>): void {
    const before = this.notes;
    this.notes = notes;
    for (const id of new Set([...before.keys(), ...notes.keys()])) {
      const drawn = this.drawn.get(id);
      if (drawn && drawn.look >= 0) drawn.group.setAttribute("aria-label", this.nameOf(drawn));
    }
  }

  /** A dot that goes the way of a gradient, from the line's end to its beginning. */
  private travel(drawn: Drawn): void {
    if (!this.film.classes(drawn.look).includes("sent")) return;
    const line = drawn.group.querySelector<SVGPathElement>("path.line");
    if (!line) return;
    const dot = s("circle", { class: "traveller", r: 7 });
    this.world.append(dot);
    const length = line.getTotalLength();
    const start = performance.now();
    const tick = (now: number): void => {
      const done = Math.min(1, Math.max(0, (now - start) / TRAVEL));
      const point = line.getPointAtLength(length * (1 - done));
      dot.setAttribute("cx", String(point.x));
      dot.setAttribute("cy", String(point.y));
      if (done < 1 && dot.isConnected && line.isConnected) requestAnimationFrame(tick);
      else dot.remove();
    };
    tick(start);
  }

  private partOf(target: EventTarget | null): Part | undefined {
    const group = target instanceof Element ? target.closest("[data-part]") : null;
    return group ? this.drawn.get(group.getAttribute("data-part")!)?.part : undefined;
  }

  /** A part with all that belongs to it: to a tensor its gradient, to an op what it saved and where gradients go. */
  family(part: Part): Part[] {
    if (part.kind === "slot" || part.isLine) return [part];
    return this.parts.filter((each) => each.of === part.of);
  }

  /** What is said of a part now, and what it is. */
  describe(part: Part): string {
    const drawn = this.drawn.get(part.id)!;
    const said = this.film.said(drawn.look).split("\n").join(" · ");
    return said ? `${NAMES[part.kind] ?? part.kind}: ${said}` : "";
  }

  /** The path of a part that is a line. */
  lineOf(part: Part): string | undefined {
    return this.drawn.get(part.id)?.group.querySelector("path.line")?.getAttribute("d") ?? undefined;
  }

  isVisible(part: Part): boolean {
    return this.film.classes(lookAt(part.track, this.step)) !== "hidden";
  }

  /** Select a part: it has a ring, and is the one that Tab leads to. */
  select(id: string | undefined, focus = false): void {
    if (this.chosen !== undefined) this.drawn.get(this.chosen)?.group.setAttribute("tabindex", "-1");
    this.chosen = id;
    const drawn = id === undefined ? undefined : this.drawn.get(id);
    const stop = drawn ?? this.drawn.values().next().value;
    stop?.group.setAttribute("tabindex", "0");
    this.ring(drawn?.part);
    if (!drawn || !focus) return;
    this.camera.reveal(drawn.part);
    (drawn.group as SVGGElement).focus({ preventScroll: true });
  }

  /** Put the ring around a part. */
  private ring(part: Part | undefined): void {
    this.focusRing.setAttribute("visibility", part ? "visible" : "hidden");
    if (!part) return;
    const { x, y, width, height } = part;
    const ring = { x: x - 5, y: y - 5, width: width + 10, height: height + 10 };
    for (const [name, value] of Object.entries(ring)) this.focusRing.setAttribute(name, String(value));
  }

  /** The next visible part before or after the selected one, in the order of the program. */
  beside(way: 1 | -1): Part | undefined {
    const seen = this.parts.filter((part) => this.isVisible(part) && !part.isLine);
    const place = seen.findIndex((part) => part.id === this.chosen);
    if (place < 0) return way === 1 ? seen[0] : seen.at(-1);
    return seen[place + way];
  }

  /** Visible parts that say `text`, whatever its case. */
  search(text: string): Part[] {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const said = (part: Part): string => this.film.said(lookAt(part.track, this.film.steps)).toLowerCase();
    const found = this.parts.filter((part) => !part.isLine && said(part).includes(wanted));
    return [...found.filter((part) => said(part).split("\n")[0] === wanted), ...found].filter(
      (part, i, all) => all.indexOf(part) === i,
    );
  }
}
