// The parts of one graph in the page, each as a step has it. Which graph that is, and what of it is in sight, others know.
import { covers, type Rect, touch } from "./camera";
import { Census } from "./census";
import { s } from "./dom";
import { Drawn, make } from "./drawn";
import { bears, type Film, type GraphData, lookAt, Part } from "./film";
import { t } from "./language";
import { Moving } from "./moving";
import { kindName, spoken, stateOf } from "./names";
import { between, mannerOf, poseAt } from "./pose";

/** Up to so many parts, all are drawn at once; of more, those near what is seen. */
const MANY = 400;

export class Stage {
  protected readonly world = s("g");
  /** What stands above all parts, for whoever marks them. */
  readonly overlay = s("g", { class: "overlay" });
  protected readonly focusRing = s("rect", { class: "ring", rx: 6, visibility: "hidden" });
  protected drawn = new Map<string, Drawn>();
  /** What the step has lit. */
  protected lit = new Set<Drawn>();
  /** By thing: the part that stands for it and as few others as possible. */
  private holders = new Map<string, Part>();
  private notes = new Map<string, string[]>();
  private readonly census: Census;
  private readonly moving: Moving;
  private time = 0;
  /** The step that the time leads to. */
  protected step = 0;
  /** The parts that each step changes. */
  protected turns = new Map<number, Drawn[]>();
  private drawnAround: Rect | undefined;
  /** The things that stand out, if not all do alike. */
  private outstanding: ReadonlySet<string> | undefined;

  constructor(protected readonly film: Film) {
    this.census = new Census(film);
    this.moving = new Moving(film, ({ id }) => this.part(id.replace(/#$/, "")));
  }

  /** The step that is shown. */
  get now(): number {
    return this.step;
  }

  get parts(): Part[] {
    return [...this.drawn.values()].map(({ part }) => part);
  }

  part(id: string): Part | undefined {
    return this.drawn.get(id)?.part;
  }

  /** The part with this id, else the one that stands for this thing; a gradient goes with its tensor. */
  partOf(thing: string): Part | undefined {
    const name = thing.replace(/\.grad$/, "");
    return this.part(name) ?? this.holders.get(name);
  }

  /** All parts of a graph, in place of those before. */
  protected place({ parts }: GraphData): void {
    this.drawn.clear();
    this.holders.clear();
    this.lit.clear();
    this.census.clear();
    const name = (drawn: Drawn): string => this.nameOf(drawn);
    const near = parts.length <= MANY;
    for (const each of parts) {
      const part = new Part(each, this.film.data);
      this.drawn.set(part.id, new Drawn(this.film, part, name, near));
      for (const thing of part.things) {
        const holder = this.holders.get(thing);
        if (!holder || part.things.length < holder.things.length) this.holders.set(thing, part);
      }
    }
    this.moving.clear();
    this.world.replaceChildren(this.moving.riders, this.overlay, this.focusRing);
    this.drawnAround = undefined;
    this.dress();
    this.stage();
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
  }

  /** As it is at a time, which may be between two steps, on the way to a step. */
  protected turn(time: number, step: number): void {
    const steps = between(this.time, time);
    const next = steps ? steps.flatMap((each) => this.turns.get(each) ?? []) : this.drawn.values();
    this.time = time;
    this.step = step;
    for (const drawn of new Set(next)) this.change(drawn);
  }

  /** How many milliseconds a step wants to last: none, if nothing of this graph changes. */
  pace(step: number): number {
    return Math.max(0, ...(this.turns.get(step) ?? []).map(({ part }) => mannerOf(this.film, part, step)![0]));
  }

  /** Have a part stand as it does now; it counts as what it is at the step that this leads to. */
  private change(drawn: Drawn): void {
    const { part, counted } = drawn;
    const pose = poseAt(this.film, part, this.time);
    const look = lookAt(part.track, this.step);
    if (look !== counted) {
      if (counted >= 0) this.census.count(part, counted, -1);
      this.census.count(part, (drawn.counted = look), 1);
      if (bears(this.film.classes(look), "now")) this.lit.add(drawn);
      else this.lit.delete(drawn);
    }
    if (pose.look !== drawn.look) drawn.wear(pose.look);
    this.moving.pose(drawn, pose);
  }

  /** Draw what is near what is seen: all that can come into sight before this is asked again. */
  protected drawNear(seen: Rect | undefined): void {
    if (this.drawn.size <= MANY || !seen || (this.drawnAround && covers(this.drawnAround, seen))) return;
    const { x, y, width, height } = seen;
    this.drawnAround = { x: x - width / 4, y: y - height / 4, width: 1.5 * width, height: 1.5 * height };
    for (const drawn of this.drawn.values()) drawn.near = touch(drawn.part, this.drawnAround);
    this.stage();
  }

  /** See to it that parts which are near are in the page, in their order; those that stay are left alone, with the focus. */
  protected stage(): void {
    let next: Node = this.moving.riders;
    for (const drawn of [...this.drawn.values()].reverse()) {
      if (!drawn.near) continue;
      if (drawn.group.nextSibling !== next) this.world.insertBefore(drawn.group, next);
      next = drawn.group;
    }
    this.only(this.outstanding);
  }

  /** Have some things stand out, with what belongs to them, and all else step back; or nothing. */
  only(things: ReadonlySet<string> | undefined): void {
    this.world.classList.toggle("faint", things !== undefined);
    if (!things && !this.outstanding) return;
    this.outstanding = things;
    const stands = ({ kind, things: own }: Part): boolean => own.some((thing) => things!.has(kind === "slot" ? thing.split(".")[0]! : thing));
    for (const drawn of this.drawn.values()) if (drawn.near) drawn.group.toggleAttribute("data-on", things !== undefined && stands(drawn.part));
  }

  /** The parts that some steps light. */
  litIn(steps: readonly number[]): Part[] {
    const lit = (step: number) => ({ part }: Drawn): boolean => bears(this.film.classes(lookAt(part.track, step)), "now");
    return [...new Set(steps.flatMap((step) => (this.turns.get(step) ?? []).filter(lit(step)).map(({ part }) => part)))];
  }

  /** A look by itself, for the legend. */
  sample(look: number): SVGElement {
    const group = s("g", { class: this.film.classes(look) });
    group.append(...this.film.data.looks[look]![1].map((element) => make(this.film, element)));
    return group;
  }

  /** What a legend has to explain. */
  present(): Set<string> {
    return this.census.present;
  }

  /** How many of some names are present at the same time, at most. */
  atMost(names: readonly string[]): number {
    return this.census.atMost(names, this.parts);
  }

  /** What a screen reader says of a part: what it is, its texts, its state in words. */
  private nameOf({ part, look }: Drawn): string {
    const [, ...classes] = this.film.classes(look).split(" ");
    const whose = this.whose(part);
    const said = this.film.said(look);
    const texts = said ? spoken(part.isLine ? t`gradient ${said}` : said) : [];
    const called = [kindName(part.kind, classes), ...(whose ? [whose] : texts.splice(0, 1))].join(" ");
    const sentence = `${called}${texts.length ? (whose ? ": " : ", ") : ""}${texts.join(", ")}`;
    return [sentence, ...stateOf(classes), ...(this.notes.get(part.id) ?? [])].join("; ");
  }

  /** From where to where a line goes, or what a slot belongs to. */
  private whose({ id, kind, of }: Part): string {
    const [from, to] = id.replace(/(\.\d+)?#?$/, "").split("-").map((end) => this.titleOf(end));
    if (from && to) return kind === "link" ? t`from ${from} to ${to}` : t`from ${to} to ${from}`;
    const owner = kind === "slot" || kind === "wire" ? this.titleOf(of.split(".")[0]!) : "";
    return owner && (kind === "slot" ? t`of ${owner}` : t`into ${owner}`);
  }

  /** The first text of a part. */
  private titleOf(name: string): string {
    const part = this.partOf(name);
    return part ? this.film.said(lookAt(part.track, this.film.steps)).split("\n")[0]! : "";
  }

  /** Have parts called what they are and, besides, what is said of them here. */
  note(notes: Map<string, string[]>): void {
    const before = this.notes;
    this.notes = notes;
    for (const id of new Set([...before.keys(), ...notes.keys()])) this.drawn.get(id)?.rename();
  }

  /** A part with all that belongs to it: to a card the slots of its ops. */
  family(part: Part): Part[] {
    if (part.kind !== "card") return [part];
    const slots = this.parts.filter(({ kind, things }) => kind === "slot" && things.some((slot) => part.things.includes(slot.split(".")[0]!)));
    return [part, ...slots];
  }

  /** What is said of a part now, and what it is. */
  describe(part: Part): string {
    return this.nameOf(this.drawn.get(part.id)!);
  }

  /** The path of a part that is a line. */
  lineOf(part: Part): string | undefined {
    const drawn = this.drawn.get(part.id);
    if (!drawn || !part.isLine) return undefined;
    drawn.near = true; // so that it has one
    const paths = [...drawn.group.querySelectorAll("path:is(.line, .ribbon, .twin)")];
    return paths.map((path) => path.getAttribute("d")).join("") || undefined;
  }

  isVisible(part: Part): boolean {
    return this.film.isThere(lookAt(part.track, this.step));
  }
}
