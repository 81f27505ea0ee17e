// The graph: its parts at their places, of which a step changes only those that look different.
import { around, Camera, covers, type Rect, touch } from "./camera";
import { calm, s } from "./dom";
import { Drawn, make } from "./drawn";
import { type Film, type GraphData, lookAt, Part, type PartData } from "./film";

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
  inset: "opened ops",
  call: "numpy call",
  wire: "edge",
  program: "program",
  "program-line": "line",
  rail: "buffer",
  tenant: "array in a buffer",
};
/** Parts that a legend explains as it does others. */
const ALIKE: Record<string, string> = { "fold-chip": "docked", "fold-link": "link", dock: "pill" };
const TRAVEL = 380;

/** Up to so many parts, all are drawn at once; of more, those near what is seen. */
const MANY = 400;

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
  /** The parts that each step changes. */
  private turns = new Map<number, Drawn[]>();
  /** What the step has lit. */
  private lit = new Set<Drawn>();
  /** How many parts there are of each kind with each number of class names. */
  private counts = new Map<string, number>();
  private readonly names = new Map<string, string[]>();
  private drawnAround: Rect | undefined;
  /** The folds that are open, each after those it lies in. */
  private open: string[] = [];

  constructor(
    private readonly film: Film,
    private data: GraphData,
    private readonly choose: (part: Part | undefined) => void,
    followed: (follows: boolean) => void,
  ) {
    this.svg.append(this.world);
    const nothing = { x: 0, y: 0, width: 1, height: 1 };
    this.camera = new Camera(this.svg, this.world, nothing, followed, () => this.reveal(...this.sought(this.selected)), () => this.drawNear());
    this.svg.addEventListener("click", (event) => {
      if (!this.svg.classList.contains("dragged") && event.detail < 2) this.choose(this.partOf(event.target));
    });
    // What the first click chose, wherever that is now: there may be less room for the picture since.
    this.svg.addEventListener("dblclick", () => this.selected && this.toggle(this.selected));
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
    this.holding(() => this.place());
    const [x, y, width, height] = data.home ?? [];
    this.camera.home = height === undefined ? undefined : ({ x, y, width, height } as Rect);
    this.camera.turnTo(this.bounds);
    this.drawNear();
    this.select(this.chosen);
  }

  /** All parts that are to be seen, anew. */
  private place(): void {
    this.drawn.clear();
    this.lit.clear();
    this.counts.clear();
    const name = (drawn: Drawn): string => this.nameOf(drawn);
    const near = this.shown.length <= MANY;
    for (const each of this.shown) this.drawn.set(each[0], new Drawn(this.film, new Part(each, this.view), name, near));
    this.world.replaceChildren(this.overlay, this.focusRing);
    this.drawnAround = undefined;
    this.dress();
    this.stage();
  }

  private get shown(): PartData[] {
    return [...this.data.parts, ...this.open.flatMap((fold) => this.data.insets[fold] ?? [])];
  }

  /** Whether a part stands for others that can be shown in its place, or is what they are shown on. */
  opens(part: Part | undefined): "open" | "close" | undefined {
    if (!part || !(part.of in this.data.insets)) return undefined;
    return this.open.includes(part.of) ? "close" : "open";
  }

  /** Show what a fold hides, where it stands, or hide it again, with all that is open in there; of nothing: the last. */
  toggle(part: Part | undefined = this.part(`${this.open.at(-1)}.inset`)): void {
    const how = this.opens(part);
    if (!part || !how) return;
    if (how === "open") this.unfold([...this.open, part.of]);
    else this.unfold(this.open.filter((fold) => fold !== part.of && !fold.startsWith(`${part.of}.`)));
    this.choose(how === "open" ? undefined : this.part(part.of));
    const there = this.part(how === "open" ? `${part.of}.inset` : part.of);
    if (there) this.camera.closeUp(there);
  }

  /** Open the folds that hide a part. */
  unveil(id: string): void {
    if (this.drawn.has(id)) return;
    const fold = Object.entries(this.data.insets).find(([, parts]) => parts.some(([each]) => each === id))?.[0];
    if (fold === undefined) return;
    const around = fold.split(".").map((_, i, all) => all.slice(0, i + 1).join("."));
    this.unfold([...new Set([...this.open, ...around])]);
  }

  private unfold(folds: string[]): void {
    this.open = folds;
    this.holding(() => this.place());
    this.camera.bounds = this.bounds;
    this.drawNear();
  }

  /** Show each part in the clothes of view number `view`; nothing moves. */
  wear(view: number): void {
    this.view = view;
    for (const each of this.shown) this.drawn.get(each[0])!.part = new Part(each, view);
    this.dress();
  }

  /** All parts as their tracks have it. */
  private dress(): void {
    this.turns.clear();
    for (const drawn of this.drawn.values()) {
      this.change(drawn);
      const { track } = drawn.part;
      for (let i = 2; i < track.length; i += 2) {
        const turn = this.turns.get(track[i]!);
        if (turn) turn.push(drawn);
        else this.turns.set(track[i]!, [drawn]);
      }
    }
    this.reveal();
  }

  get way(): GraphData {
    return this.data;
  }

  get bounds(): Rect {
    return around(this.parts) ?? { x: 0, y: 0, width: 1, height: 1 };
  }

  /** Around what is there at this step. */
  get shownNow(): Rect {
    return around(this.parts.filter((part) => this.isVisible(part))) ?? this.bounds;
  }

  /** Show a step; `moves` lets what travels be seen travelling. */
  show(step: number, moves: boolean): void {
    this.holding(() => this.turn(step, moves));
  }

  private turn(step: number, moves: boolean): void {
    const next = Math.abs(step - this.step) === 1 ? (this.turns.get(Math.max(step, this.step)) ?? []) : this.drawn.values();
    this.step = step;
    for (const drawn of next) this.change(drawn);
    if (moves && !calm()) for (const each of this.lit) if (each.part.isLine) requestAnimationFrame(() => this.travel(each));
    this.reveal();
  }

  /** Change the picture; should what has the focus be gone then, the keys still work, on the screen around it. */
  private holding(change: () => void): void {
    const focused = (this.svg.getRootNode() as ShadowRoot | Document).activeElement;
    const id = focused && this.world.contains(focused) ? focused.getAttribute("data-part") : null;
    change();
    if (id === null) return;
    const drawn = this.drawn.get(id);
    if (!drawn || !this.isVisible(drawn.part)) this.svg.closest<HTMLElement>(".player")?.focus({ preventScroll: true });
    else if (drawn.group !== focused) (drawn.group as SVGGElement).focus({ preventScroll: true });
  }

  private change(drawn: Drawn): void {
    const look = lookAt(drawn.part.track, this.step);
    if (look === drawn.look) return;
    if (drawn.look >= 0) this.count(drawn, -1);
    drawn.wear(look);
    this.count(drawn, 1);
    if (/ now\b/.test(this.film.classes(look))) this.lit.add(drawn);
    else this.lit.delete(drawn);
  }

  private count({ part, look }: Drawn, by: number): void {
    const key = `${part.kind} ${this.film.data.looks[look]![0]}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  /** Draw what is near what is seen: all that can come into sight before this is asked again. */
  private drawNear(): void {
    const seen = this.camera.seen;
    if (this.drawn.size <= MANY || !seen || (this.drawnAround && covers(this.drawnAround, seen))) return;
    const { x, y, width, height } = seen;
    this.drawnAround = { x: x - width / 4, y: y - height / 4, width: 1.5 * width, height: 1.5 * height };
    for (const drawn of this.drawn.values()) drawn.near = touch(drawn.part, this.drawnAround);
    this.stage();
  }

  /** See to it that parts which are near are in the page, in their order; those that stay are left alone, with the focus. */
  private stage(): void {
    let next: Node = this.overlay;
    for (const drawn of [...this.drawn.values()].reverse()) {
      if (!drawn.near) continue;
      if (drawn.group.nextSibling !== next) this.world.insertBefore(drawn.group, next);
      next = drawn.group;
    }
  }

  /** Where not all can be seen, see to it that what is sought can and, if that is wanted, what the step has lit. */
  private reveal(...sought: Part[]): void {
    const lit = this.camera.follows ? [...this.lit].map(({ part }) => part) : [];
    this.camera.reveal(...sought, ...lit.sort((one, other) => one.reach - other.reach));
  }

  /** A selected part, but for a long one of which something is seen. */
  private sought(part: Part | undefined): Part[] {
    const { seen } = this.camera;
    return part && !(part.reach > 1 && seen && touch(seen, part)) ? [part] : [];
  }

  /** A look by itself, for the legend. */
  sample(look: number): SVGElement {
    const group = s("g", { class: this.film.classes(look) });
    group.append(...this.film.data.looks[look]![1].map((element) => make(this.film, element)));
    return group;
  }

  /** Kinds of what is there, each with each of its class names; signs in texts as names of the kind `text`. */
  present(): Set<string> {
    return new Set([...this.counts].flatMap(([key, count]) => (count ? this.explained(key) : [])));
  }

  /** The same of one kind of part with one number of class names, found out once. */
  private explained(key: string): string[] {
    if (this.names.has(key)) return this.names.get(key)!;
    const [own, number] = key.split(" ") as [string, string];
    const [kind, ...names] = this.film.data.classes[Number(number)]!.split(" ");
    const signs = this.film.data.signs[Number(number)]!.split(" ").map((sign) => `text ${sign}`);
    const found = [...names.flatMap((name) => [kind, own, ALIKE[own] ?? own].map((each) => `${each} ${name}`)), ...signs];
    return this.names.set(key, kind === "hidden" ? [] : found).get(key)!;
  }

  /** How many of some names are present at the same time, at most. */
  atMost(names: readonly string[]): number {
    const { steps, data } = this.film;
    const changes = new Map(names.map((name) => [name, new Int32Array(steps + 2)]));
    for (const { kind, track } of this.parts) {
      for (let i = 0; i < track.length; i += 2) {
        for (const name of this.explained(`${kind} ${data.looks[track[i + 1]!]![0]}`)) {
          const change = changes.get(name);
          if (!change) continue;
          change[track[i]!]! += 1;
          change[track[i + 2] ?? steps + 1]! -= 1;
        }
      }
    }
    const sums = new Int32Array(steps + 1);
    for (const change of changes.values()) {
      let count = 0;
      sums.forEach((_, step) => (sums[step]! += (count += change[step]!) ? 1 : 0));
    }
    return sums.reduce((one, other) => Math.max(one, other));
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
    for (const id of new Set([...before.keys(), ...notes.keys()])) this.drawn.get(id)?.rename();
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
    if (part.kind === "slot" || part.kind === "program-line" || part.isLine) return [part];
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
    const drawn = this.drawn.get(part.id);
    if (drawn) drawn.near = true; // so that it has one
    return drawn?.group.querySelector("path.line")?.getAttribute("d") ?? undefined;
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
    this.camera.reveal(...this.sought(drawn?.part));
    if (!drawn || !focus) return;
    drawn.near = true;
    this.stage();
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
    const hidden = Object.values(this.data.insets).flat().filter(([id]) => !this.drawn.has(id));
    const parts = [...this.parts, ...hidden.map((each) => new Part(each, this.view))];
    const found = parts.filter((part) => !part.isLine && part.kind !== "inset" && said(part).includes(wanted));
    const title = (part: Part): string => said(part).split("\n")[0]!;
    const rank = (part: Part): number => (title(part) === wanted ? 0 : title(part).startsWith(wanted) ? 1 : 2);
    return found.sort((one, other) => rank(one) - rank(other));
  }
}
