// The graph: which one of the film's is shown, what of it is in sight, and what is selected.
import { around, Camera, type Rect, touch } from "./camera";
import { baseFor, openIn, opening, reachable, type Size } from "./choice";
import { calm, focusOn, on, s, set } from "./dom";
import type { Drawn } from "./drawn";
import type { Film, GraphData, Part } from "./film";
import { t } from "./language";
import { Minimap } from "./minimap";
import { fadeIn, glide } from "./motion";
import { summed } from "./grains";
import { type Found, search } from "./search";
import { Stage } from "./stage";

/** By so little the size of a pane may change without another graph, px: a caption takes a line more. */
const STEADY = 60;
/** So far a halo stands around a card. */
const HALO = 5;
/** And around a slot. */
const CLOSE = 1;

export class Graph extends Stage {
  readonly svg = s("svg", { class: "graph", role: "group", "aria-label": t`Graph` });
  readonly camera: Camera;
  readonly minimap: Minimap;
  /** Which of the film's graphs is shown. */
  private number: number;
  /** From which graph each was opened: a card that is in several opens to the same. */
  private readonly openedFrom = new Map<number, number>();
  private chosen: string | undefined;
  /** The part that Tab leads to. */
  private stop: Drawn | undefined;
  /** The pane that the graph was chosen for. */
  private pane: Size = { width: 0, height: 0 };
  /** So much of the size at which all can be read is enough for the finest graph. */
  enough = 1;
  /** Told which part somebody points at, or that it is none. */
  onpoint: ((part: Part | undefined) => void) | undefined;
  /** Told that another piece is seen. */
  onmoved: (() => void) | undefined;

  /** `choose` is told what is to be selected, and that another graph is shown. */
  constructor(
    film: Film,
    private readonly choose: (part: Part | undefined, clicked?: boolean) => void,
    followed: (follows: boolean) => void,
  ) {
    super(film);
    this.svg.append(this.world);
    this.number = baseFor(film.data.graphs, film.data.views[0]!, { width: 0, height: 0 });
    this.camera = new Camera(this.svg, this.world, this.bounds, {
      followed,
      sized: () => this.settle(),
      resized: () => this.reveal(...this.sought(this.selected)),
      moved: () => this.moved(),
    });
    this.minimap = new Minimap(this.camera, (part) => this.isVisible(part));
    on(this.svg, "click", (event) => {
      if (!this.svg.classList.contains("dragged") && event.detail < 2) this.choose(this.partAt(event.target), true);
    });
    // What the first click chose, wherever that is now: there may be less room for the picture since.
    on(this.svg, "dblclick", () => this.selected && this.toggle(this.selected));
    on(this.svg, "focusin", (event) => this.focus(this.partAt(event.target), this.partAt(event.target)));
    on(this.svg, "focusout", () => this.focus(this.selected, undefined));
    on(this.svg, "pointerover", (event) => event.buttons || event.pointerType === "touch" || this.onpoint?.(this.partAt(event.target)));
    on(this.svg, "pointerleave", () => this.onpoint?.(undefined));
    this.place(this.data);
    this.aim();
    this.select(undefined);
  }

  get data(): GraphData {
    return this.film.data.graphs[this.number]!;
  }

  get view(): string {
    return this.data.view;
  }

  /** The steps at which one halts at a grain. */
  stops(grain: number): readonly number[] {
    return summed(this.film.data.stops[this.data.stops[grain]!]!);
  }

  get bounds(): Rect {
    return this.data.bounds;
  }

  get selected(): Part | undefined {
    return this.chosen === undefined ? undefined : this.part(this.chosen);
  }

  /** The base that fits the pane, unless a card is open; says whether that is another than before. */
  private settle(): boolean {
    const { size } = this.camera;
    if (Math.abs(size.width - this.pane.width) + Math.abs(size.height - this.pane.height) < STEADY) return false;
    const base = this.base();
    const turns = base !== this.number && !this.data.opened;
    if (turns) this.turnTo(base, this.chosen);
    this.pane = size;
    return turns;
  }

  private base(view = this.view, size = this.camera.size): number {
    return baseFor(this.film.data.graphs, view, size, this.camera.enlarged * this.enough);
  }

  /** Show it in another view, with the same cards open as far as they are there. */
  see(view: string): void {
    const { graphs } = this.film.data;
    this.turnTo(opening(graphs, this.base(view), openIn(graphs, this.number)), this.chosen);
  }

  /** Show another graph, in which the same thing is selected, or another part of its; look at what is `open` in it. */
  private turnTo(number: number, chosen: string | undefined, open = false): void {
    const thing = chosen === undefined ? undefined : this.part(chosen)?.of;
    const before = this.pane.width && !calm() ? new Map(this.parts.map((part) => [part.id, this.camera.inPane(part)])) : undefined;
    this.number = number;
    this.holding(() => this.place(this.data));
    this.aim();
    const frame = open && this.parts.filter(({ kind }) => kind === "opened").at(-1);
    if (frame) this.camera.closeUp(frame);
    if (before) this.glide(before);
    this.choose(chosen === undefined ? undefined : (this.part(chosen) ?? this.partOf(thing ?? chosen)));
  }

  /** Show what the graph of another film of much the same did: its view, for a pane as large, with the same cards open. */
  takeOver({ view, pane, camera, film, number }: Graph): void {
    this.turnTo(opening(this.film.data.graphs, this.base(view, camera.size), openIn(film.data.graphs, number)), undefined);
    this.pane = pane;
  }

  /** Another piece is seen. */
  private moved(): void {
    this.drawNear(this.camera.seen);
    this.minimap.show();
    this.onmoved?.();
  }

  private aim(): void {
    const [x, y, width, height] = this.data.home ?? [];
    this.camera.home = height === undefined ? undefined : ({ x, y, width, height } as Rect);
    this.minimap.draw(this.parts);
    this.camera.turnTo(this.bounds, this.data.least);
    this.drawNear(this.camera.seen);
  }

  /** Parts come from where those of the same id stood, or into sight. */
  private glide(before: Map<string, Rect>): void {
    for (const { part, group, near } of this.drawn.values()) {
      const from = before.get(part.id);
      if (near && from && !part.isLine) glide(group, this.camera.inPicture(from), part);
      else if (near) fadeIn(group);
    }
  }

  /** Whether a part stands for others that can be shown in its place, or is what they are shown on. */
  opens(part: Part | undefined): "open" | "close" | undefined {
    if (!part) return undefined;
    if (part.id in this.data.opens) return "open";
    return part.kind === "opened" || part.id === this.data.opened?.[0] ? "close" : undefined;
  }

  /** Show what a card hides, or hide it again; of nothing: what was opened last. */
  toggle(part?: Part): void {
    const how = part ? this.opens(part) : this.data.opened && "close";
    if (how === "open") this.open(this.data.opens[part!.id]!);
    else if (how === "close") this.shut();
  }

  private open(number: number): void {
    this.openedFrom.set(number, this.number);
    this.turnTo(number, undefined, true);
  }

  /** Go back to where a card was opened or, if that is a base, to the one that fits now. */
  private shut(): void {
    const [card, usual] = this.data.opened!;
    const back = this.openedFrom.get(this.number) ?? usual;
    this.turnTo(this.film.data.graphs[back]!.opened ? back : this.base(), card);
  }

  /** Show the graph in which a part is, if one can come to it by opening cards. */
  unveil(id: string): void {
    if (this.drawn.has(id)) return;
    const { graphs } = this.film.data;
    const found = reachable(graphs, this.number).find((number) => graphs[number]!.parts.some(([each]) => each === id));
    if (found !== undefined) this.turnTo(found, id);
  }

  /** Around what is there at this step, and its halo. */
  get shownNow(): Rect {
    const { x, y, width, height } = around(this.parts.filter((part) => this.isVisible(part))) ?? this.bounds;
    return { x: x - HALO, y: y - HALO, width: width + 2 * HALO, height: height + 2 * HALO };
  }

  /** Show a time, which may be between two steps, and is on the way to this one. */
  show(time: number, step: number): void {
    const before = this.step;
    this.holding(() => this.turn(time, step));
    this.minimap.light([...this.lit].map(({ part }) => part));
    if (step !== before) this.reveal();
  }

  /** Have what the step has lit in sight, if that is wanted. */
  follow(): void {
    this.reveal();
  }

  /** Change the picture; should what has the focus be gone then, the keys still work, on the screen around it. */
  private holding(change: () => void): void {
    const focused = (this.svg.getRootNode() as ShadowRoot | Document).activeElement;
    const id = focused && this.world.contains(focused) ? focused.getAttribute("data-part") : null;
    change();
    if (id === null) return;
    const drawn = this.drawn.get(id);
    if (!drawn || !this.isVisible(drawn.part)) focusOn(this.svg.closest<HTMLElement>(".player"));
    else if (drawn.group !== focused) focusOn(drawn.group as SVGGElement);
  }

  /**
   * Where not all can be seen, see to it that what is sought can and, if that is wanted, what the step has lit or else
   * changed; a page that opens where nothing is lit shows the beginning of its picture.
   */
  private reveal(...sought: Part[]): void {
    const changed = this.step !== this.film.data.start && this.turns.get(this.step);
    const happens = this.lit.size ? [...this.lit] : changed || [];
    const lit = this.camera.follows ? happens.map(({ part }) => part).sort((one, other) => one.reach - other.reach) : [];
    const owners = lit.flatMap(({ kind, of }) => (kind === "slot" ? (this.partOf(of.split(".")[0]!) ?? []) : []));
    this.camera.reveal(...sought, ...lit, ...owners);
  }

  /** A selected part, but for a long one of which something is seen. */
  private sought(part: Part | undefined): Part[] {
    const { seen } = this.camera;
    return part && !(part.reach > 1 && seen && touch(seen, part)) ? [part] : [];
  }

  private partAt(target: EventTarget | null): Part | undefined {
    const group = target instanceof Element ? target.closest("[data-part]") : null;
    return group ? this.part(group.getAttribute("data-part")!) : undefined;
  }

  /** Select a part: it has a ring, and is the one that Tab leads to. */
  select(id: string | undefined, focus = false): void {
    this.chosen = id;
    const drawn = id === undefined ? undefined : this.drawn.get(id);
    set(this.stop?.group, "tabindex", "-1");
    this.stop = drawn ?? [...this.drawn.values()].find(({ part }) => part.kind === "card");
    set(this.stop?.group, "tabindex", "0");
    this.ring(drawn?.part);
    this.camera.reveal(...this.sought(drawn?.part));
    if (!drawn || !focus) return;
    drawn.near = true;
    this.stage();
    focusOn(drawn.group as SVGGElement);
  }

  private focus(ringed: Part | undefined, part: Part | undefined): void {
    this.ring(ringed);
    this.onpoint?.(part);
  }

  /** Put the ring around a part. */
  private ring(part: Part | undefined): void {
    set(this.focusRing, "visibility", part ? "visible" : "hidden");
    if (!part) return;
    const { kind, x, y, width, height } = part;
    const halo = kind === "slot" ? CLOSE : HALO; // another slot is near, and its own name is small
    const ring = { x: x - halo, y: y - halo, width: width + 2 * halo, height: height + 2 * halo };
    for (const [name, value] of Object.entries(ring)) set(this.focusRing, name, value);
  }

  /** The next visible part before or after the selected one, in the order of the program. */
  beside(way: 1 | -1): Part | undefined {
    const seen = this.parts.filter((part) => this.isVisible(part) && !part.isLine);
    const place = seen.findIndex((part) => part.id === this.chosen);
    if (place < 0) return way === 1 ? seen[0] : seen.at(-1);
    return seen[place + way];
  }

  /** Parts that say `text`, whatever its case: those that are shown, and those for which a card has to be opened. */
  search(text: string): Found[] {
    return search(this.film, reachable(this.film.data.graphs, this.number), text, this.step);
  }

  /** What the step lights: things of lines before those of cards. */
  get happening(): string[] {
    return [...this.lit].map(({ part }) => part).sort((one, other) => other.reach - one.reach).flatMap(({ things }) => [...things]);
  }
}
