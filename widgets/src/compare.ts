// One screen for two films: two graphs and two programs, one set of controls, and what differs. Steps go in beats.
import { around } from "./camera";
import { baseFor, bases, scaleIn, type Size } from "./choice";
import { Controls, Jumps, type Paced } from "./controls";
import { Differences } from "./differences";
import COMPARE_CSS from "./compare.css";
import { t } from "./language";
import type { Listener, Moment, Screen } from "./mounted";
import { h, on, set } from "./dom";
import type { Grain } from "./grains";
import { Keys, type KeyRow } from "./keys";
import { Legend } from "./legend";
import { Marks } from "./marks";
import { Pair, type PairData, type Side, SIDES } from "./pair";
import { Pane } from "./pane";
import { Playhead } from "./playhead";
import { Share } from "./share";
import SHARE_CSS from "./share.css";
import FIGURES_CSS from "./figures.css";
import CSS from "./style.css";
import { Timeline } from "./timeline";
import TIMELINE_CSS from "./timeline.css";
import { Views } from "./views";

const WHICH = ["first", "second"];

/** Milliseconds of rest after a beat, for its sentences to be read. */
const REST = 450;

export class Compare implements Screen, Paced {
  readonly element: HTMLElement;
  private readonly pair: Pair;
  private readonly panes: [Pane, Pane];
  private readonly chips = [h("span", { class: "move" }), h("span", { class: "move" })];
  private readonly marks: Marks[];
  private readonly legend: Legend;
  private readonly differences: Differences;
  private readonly timeline: Timeline;
  private readonly controls: Controls;
  private readonly jumps: Jumps;
  private readonly keys: Keys;
  /** One clock for both: each beat takes as long as the side that needs longer. */
  private readonly head = new Playhead((beat) => this.pace(beat), (time, next) => this.show(time, next));
  private readonly status = h("p", { class: "spoken", role: "status", "aria-live": "polite" });
  private active: Side = 0;
  private linking = false;
  private current = -1;

  constructor(
    root: ShadowRoot,
    data: PairData,
    style: string,
    private readonly changed: (moment: Moment) => void,
    listener?: Listener,
  ) {
    const pair = (this.pair = new Pair(data));
    const seek = (beat: number): void => this.seek(beat);
    this.panes = [this.pane(0), this.pane(1)];
    this.marks = SIDES.map((side) => new Marks(this.panes[side], data.marks.filter(([whose]) => whose === side)));
    this.legend = new Legend(this.panes);
    this.differences = new Differences(data, this.legend.element, seek);
    const lanes = SIDES.map((side) => {
      const { title, phases, held, holding, visits, marks } = data.films[side];
      const visitedAt = (marks["visit"] ?? []).map((step) => pair.beat(side, step));
      return { name: title, phases: pair.inBeats(side, phases), held: pair.inBeats(side, held), holding, visits, visitedAt };
    });
    this.timeline = new Timeline({ steps: pair.beats, lanes, marks: pair.marks, seek, told: (beat) => this.told(beat) });
    this.jumps = new Jumps(this, pair.marks);
    this.controls = new Controls(this, this.jumps);
    const views = new Views(this.panes, () => this.panes[this.active]);
    this.element = h("div", { class: "player compare", role: "group", "aria-label": t`Comparison: ${data.title}`, tabindex: -1 });
    const choose = (part: SVGElement): void => this.choose(part);
    const graph = (): SVGElement => this.panes[this.active].graph.svg;
    const share = listener && new Share(graph, () => t`${this.pair.data.films[this.active].title} beat ${this.current}`, listener.address);
    const keys = [...this.controls.keys, this.differenceKeys(), ...views.keys, ...(share?.keys ?? [])];
    this.keys = new Keys(keys, this.element, choose, this.timeline.key);
    this.element.append(...this.areas(views, share?.pieces ?? []), this.status, this.keys.dialog);
    const sheet = h("style");
    sheet.textContent = style + CSS + FIGURES_CSS + TIMELINE_CSS + SHARE_CSS + COMPARE_CSS;
    root.append(sheet, this.element);
    new ResizeObserver(() => this.arrange()).observe(this.element);
    this.seek(0);
  }

  /** Graphs beside each other or one above the other, whichever shows them larger, and the same piece of both. */
  private arrange(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const rows = this.worth({ width: 0.68 * width, height: 0.3 * height });
    const columns = this.worth({ width: 0.48 * width, height: 0.4 * height });
    this.element.classList.toggle("rows", rows[0] < columns[0] || (rows[0] === columns[0] && rows[1] > columns[1]));
    const graphs = this.panes.map(({ graph }) => graph);
    const bounds = around(graphs.map((graph) => graph.bounds))!;
    const fits = graphs.every(({ camera }) => camera.shows(bounds));
    for (const graph of graphs) graph.camera.frame(fits ? bounds : graph.bounds);
  }

  /** What panes of a size are good for: how far both graphs are from the finest, and how large they are seen. */
  private worth(pane: Size): [number, number] {
    const found = this.panes.map(({ film: { data }, view }) => {
      const number = baseFor(data.graphs, view, pane);
      return [bases(data.graphs, view).indexOf(number), scaleIn(data.graphs[number]!, pane)] as const;
    });
    return [found[0]![0] + found[1]![0], Math.min(found[0]![1], found[1]![1])];
  }

  get step(): number {
    return this.current;
  }

  get steps(): number {
    return this.pair.beats;
  }

  readonly usual = 0;

  /** Beat by beat, and as far at a time as either film can be gone through. */
  get grains(): readonly Grain[] {
    return [["step", 1, Infinity, REST], ...this.pair.grains];
  }

  stops(grain: number): readonly number[] {
    return grain ? this.pair.stops(grain - 1, (side, own) => this.panes[side].graph.stops(own)) : Array.from({ length: this.steps }, (_, beat) => beat + 1);
  }

  get moment(): Moment {
    const pane = this.panes[this.active];
    const selected = pane.graph.selected?.id;
    const select = selected === undefined ? undefined : `${WHICH[this.active]}:${selected}`;
    return { step: this.current, select, view: pane.view };
  }

  private pane(side: Side): Pane {
    const data = this.pair.data.films[side];
    const pane = new Pane(
      data,
      { seek: (step) => this.seek(this.pair.beat(side, step)), changed: () => this.follow(side) },
      data.title,
    );
    const whose = `${[t`first`, t`second`][side]}: ${data.title}`;
    set(pane.graph.svg, "aria-label", t`${whose}, graph`);
    set(pane.code.element, "aria-label", t`${whose}, program`);
    set(pane.inspector.element, "aria-label", t`${whose}, inspector`);
    set(pane.zoom, "aria-label", t`${whose}, zoom`);
    pane.told.title.append(this.chips[side]!, pane.zoom);
    const attend = (): void => void (this.active = side);
    for (const part of [pane.picture, pane.code.element, pane.inspector.element]) on(part, "focusin", attend);
    return pane;
  }

  private areas(views: Views, share: HTMLElement[]): HTMLElement[] {
    const sides = SIDES.flatMap((side) => {
      const { words, picture, inspector, code } = this.panes[side];
      const below = h("div", { class: "side" }, inspector.element, code.element);
      const areas = { words, picture, below };
      for (const [name, element] of Object.entries(areas)) element.style.gridArea = `${name}-${WHICH[side]}`;
      return [words, picture, below];
    });
    const bar = [...this.controls.pieces, ...this.jumps.pieces, ...views.pieces, ...share, this.keys.button];
    const foot = h("div", { class: "foot" }, this.timeline.element, h("div", { class: "bar" }, ...bar));
    return [...sides, this.differences.element, foot];
  }

  private differenceKeys(): KeyRow {
    const { jumps } = this;
    return ["d D", t`next, previous difference`, { d: () => jumps.goTo("difference", 1), D: () => jumps.goTo("difference", -1) }];
  }

  /** Go to a beat; to one beside, or if it is so wanted, the graphs glide. */
  seek(beat: number, rate = 1, wantsToGlide?: boolean): void {
    const wanted = Number.isFinite(beat) ? Math.min(this.steps, Math.max(0, Math.round(beat))) : 0;
    if (wanted === this.current) return;
    const glides = this.current >= 0 && (wantsToGlide ?? Math.abs(wanted - this.current) === 1);
    const before = glides ? this.current : wanted;
    this.current = wanted;
    if (glides) this.head.glide(wanted, rate);
    else this.head.jump(wanted);
    for (const side of SIDES) this.tell(side, before);
    this.legend.show();
    this.timeline.show(wanted);
    this.differences.show(wanted);
    this.status.textContent = this.spoken();
    this.changed(this.moment);
  }

  /** The milliseconds that a beat wants to last. */
  readonly pace = (beat: number): number => {
    const moving = SIDES.filter((side) => this.pair.isMoving(side, beat));
    return Math.max(0, ...moving.map((side) => this.panes[side].pace(this.pair.step(side, beat))));
  };

  /** Show a time between beats, the `next` of which it comes to. */
  private show(time: number, next: number): void {
    for (const side of SIDES) {
      this.panes[side].lead(this.pair.time(side, time), this.pair.step(side, next), this.pair.step(side, this.current));
      if (time === this.current) this.marks[side]!.show(time); // on parts that are there by now
    }
  }

  /** Say what a side does at this beat, seen from one before. */
  private tell(side: Side, before: number): void {
    const { pair, current } = this;
    const pane = this.panes[side];
    this.marks[side]!.show(current);
    const moves = { linked: "", alone: t`only here`, waits: t`waits`, ended: t`has ended` };
    this.chips[side]!.textContent = moves[pair.move(side, current)];
    const waits = !pair.isMoving(side, current) && pair.step(side, before) === pair.step(side, current);
    for (const element of [pane.words, pane.picture]) element.classList.toggle("waits", waits);
  }

  /** What happens, once where it is the same on both sides, and of both where it is not. */
  private spoken(): string {
    const told = SIDES.filter((side) => this.pair.isMoving(side, this.current)).map((side) => {
      const { captions, title } = this.pair.data.films[side];
      return [title, captions[this.pair.step(side, this.current)] ?? ""] as const;
    });
    const [first, second] = told;
    if (first && second && first[1] === second[1]) return t`Both: ${first[1]}`;
    return told.map(([title, caption]) => `${title}: ${caption}`).join(" ");
  }

  private told(beat: number): string {
    const where = SIDES.map((side) => t`${this.pair.data.films[side].title}: step ${this.pair.step(side, beat)}, ${this.pair.phase(side, beat)}`);
    return t`${beat} of ${this.steps}; ${where.join("; ")}`;
  }

  /** What is selected on one side is selected on the other, too. */
  private follow(side: Side): void {
    if (this.linking) return;
    this.linking = true;
    this.active = side;
    const [pane, other] = [this.panes[side], this.panes[side === 0 ? 1 : 0]];
    const selected = pane.graph.selected;
    const partner = selected && (this.pair.partner(side, selected.id) ?? this.pair.partner(side, selected.of));
    const twin = partner === undefined ? undefined : other.graph.partOf(partner)?.id;
    if (other.graph.selected?.id !== twin) other.select(twin);
    if (other.view !== pane.view) other.turnTo(pane.view);
    this.linking = false;
    this.arrange();
    for (const each of SIDES) this.marks[each]!.show(this.current);
    this.changed(this.moment);
  }

  private choose(part: SVGElement): void {
    const side: Side = this.panes[1].graph.svg.contains(part) ? 1 : 0;
    this.panes[side].select(part.dataset["part"]);
  }

  /** Select a part by its side and its id, such as `first:o2`. */
  select(name: string | undefined): void {
    const [where, id] = (name ?? "").split(":");
    this.panes[where === WHICH[1] ? 1 : 0].select(id || undefined);
  }

  /** Show `engine` or `maths` on both sides, if it is there. */
  turnTo(wanted: string): void {
    for (const pane of this.panes) pane.turnTo(wanted);
  }

  /** Do what a key asks for, wherever it was pressed. */
  key(event: KeyboardEvent): void {
    this.keys.press(event);
  }

  /** On paper all of both graphs is seen. */
  onPaper(printing: boolean): void {
    for (const pane of this.panes) pane.graph.camera.onPaper(printing);
  }

  destroy(): void {
    this.controls.pause();
    this.element.remove();
  }
}
