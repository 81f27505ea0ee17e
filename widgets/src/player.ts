// One screen for one film: what happens in words, the program, the graph, whatever is looked at closely, and the controls.
import type { Asking } from "./asking";
import { stepOfNode } from "./bands";
import { Controls, Jumps } from "./controls";
import { drawer, h } from "./dom";
import { at, type FilmData } from "./film";
import type { FlowRow } from "./flow";
import type { Grain, Halting } from "./grains";
import { type KeyRow, Keys } from "./keys";
import { t } from "./language";
import { Legend } from "./legend";
import type { Listener, Moment, Screen } from "./mounted";
import { Pane } from "./pane";
import type { Findings } from "./findings";
import type { Given, Reply } from "./question";
import { Share } from "./share";
import SHARE_CSS from "./share.css";
import CSS from "./style.css";
import { Timeline } from "./timeline";
import TIMELINE_CSS from "./timeline.css";
import { isWanted, Tour } from "./tour";
import TOUR_CSS from "./tour.css";
import { Views } from "./views";

export class Player implements Screen, Halting {
  /** What asks, where that is built in. */
  static Asking: typeof Asking | undefined;
  /** The row of flow and the list of findings, where they are built in. */
  static Flow: typeof FlowRow | undefined;
  static Findings: typeof Findings | undefined;
  /** How what is built in besides looks. */
  static sheet = "";
  readonly element: HTMLElement;
  private readonly pane: Pane;
  private readonly legend: Legend;
  private readonly timeline: Timeline;
  private readonly controls: Controls;
  private readonly keys: Keys;
  private readonly asking: Asking | undefined;
  private tour: Tour | undefined;
  private current = -1;
  /** Whether the time is between two steps because somebody has left it there. */
  between = false;

  /** Of `more` keys its surroundings know. */
  constructor(
    root: Pick<ShadowRoot, "append">,
    data: FilmData,
    style: string,
    private readonly changed: (moment: Moment) => void,
    listener?: Listener,
    more: readonly KeyRow[] = [],
  ) {
    const pane = new Pane(data, { seek: (step) => this.seek(step), changed: () => this.turned(), moved: (time) => this.timeline?.show(time), lit: (steps) => this.timeline?.light(steps) });
    const told = (step: number): string => {
      const where = [data.phases, ...data.loops, ...data.modules].map((changes) => at(changes, step)).filter(Boolean);
      return t`step ${step} of ${data.steps}, ${where.join(", ")}: ${at(data.headlines, step)}`;
    };
    const jumps = new Jumps(this, data.marks);
    const views = new Views([pane], () => pane);
    this.pane = pane;
    this.legend = new Legend([pane]);
    const seek = (time: number): void => this.seek(time, 0);
    const below = data.flow && Player.Flow ? [new Player.Flow(data.flow, data, seek)] : [];
    this.timeline = new Timeline({ ...data, lanes: [{ name: "", ...data }], below, seek, told });
    this.timeline.onpoint = (step) => pane.point(step);
    this.controls = new Controls(this, jumps);
    this.element = h("div", { class: "player", role: "group", "aria-label": t`Player: ${data.title}`, tabindex: -1 });
    const asking = (data.questions ?? data.picking) && Player.Asking && new Player.Asking(data, this.element, pane.graph, listener);
    this.asking = asking;
    const choose = (part: SVGElement): void => this.select(part.dataset["part"]);
    const findings = data.findings && Player.Findings && new Player.Findings(data.findings, pane.picture, { seek: (step) => this.seek(step), light: (place) => pane.pointAt(place) });
    const share = listener && new Share(() => pane.graph.svg, () => t`${data.title.replace(/^.*\//, "")} step ${this.current}`, listener.address);
    const asked = asking?.keys ?? [];
    const keys = [...this.controls.keys, ...(asked.length ? asked : this.nodeKeys), ...views.keys, ...(findings?.keys ?? []), ...(share?.keys ?? []), ...more];
    this.keys = new Keys(keys, this.element, choose, this.timeline.key);
    const [steps, ...paces] = this.controls.pieces;
    const drawers = [drawer(() => this.element, "program", t`Program`), drawer(() => this.element, "more", t`More`)];
    const bar = [steps!, ...(findings?.pieces ?? []), ...drawers, h("div", { class: "rest" }, ...paces, ...jumps.pieces, ...views.pieces, ...(share?.pieces ?? []), this.keys.button)];
    const side = h("div", { class: "side" }, pane.code.element, this.legend.element, pane.inspector.element);
    const stage = h("div", { class: "stage" }, side, pane.picture);
    const foot = h("div", { class: "foot" }, this.timeline.element, h("div", { class: "bar" }, ...bar));
    this.element.append(pane.words, stage, foot, this.keys.dialog);
    const sheet = h("style");
    sheet.textContent = style + CSS + (asking?.sheet ?? "") + TIMELINE_CSS + Player.sheet + (findings?.sheet ?? "") + SHARE_CSS + TOUR_CSS;
    root.append(sheet, this.withCards());
    this.seek(0);
  }

  /** Digits go to the node of that number in a pass. */
  private get nodeKeys(): KeyRow[] {
    const { visits, marks } = this.pane.film.data;
    const go = (number: string): unknown => this.seek(stepOfNode(visits, marks["visit"]!, this.current, Number(number)) ?? this.current);
    const actions = Object.fromEntries([..."123456789"].map((number) => [number, () => go(number)]));
    return visits.length ? [["1 2 3 …", t`where backward runs its node of that number`, actions]] : [];
  }

  /** The player, under the cards that there are. */
  private withCards(): HTMLElement {
    const cards = this.asking?.cards ?? [];
    const onCard = (event: KeyboardEvent): void => void (this.element.contains(event.target as Node) || this.keys.press(event));
    return cards.length ? h("div", { class: "stack", onkeydown: onCard }, ...cards, this.element) : this.element;
  }

  /** Show around who is new here, but not who is to answer something. */
  welcome(linked: boolean): void {
    if (!this.asking && isWanted(linked)) this.tour = new Tour(this.element);
  }

  get step(): number {
    return this.current;
  }

  get steps(): number {
    return this.pane.film.steps;
  }

  get moment(): Moment {
    return { step: this.current, select: this.pane.graph.selected?.id, view: this.pane.view };
  }

  get grains(): readonly Grain[] {
    return this.pane.film.data.grains;
  }

  get usual(): number {
    return this.pane.graph.data.grain;
  }

  stops(grain: number): readonly number[] {
    return this.pane.graph.stops(grain);
  }

  /** Go to a time; to the step before or after, or if it is so wanted, the graph glides, `rate` times as fast as it wants. */
  seek(time: number, rate = 1, glides?: boolean): void {
    const wanted = this.pane.film.clamp(time);
    const step = this.asking?.hold(Math.ceil(wanted)) ?? Math.ceil(wanted);
    if (wanted === step && step === this.current && !this.between) return;
    const goes = wanted >= step && this.current >= 0 && (glides ?? Math.abs(step - this.current) <= 1);
    this.current = step;
    this.between = wanted < step;
    this.pane.show(Math.min(wanted, step), goes ? rate : 0);
    this.turned();
  }

  /** Stay where the graph is by now. */
  halt(): void {
    const time = this.pane.halt();
    this.current = Math.ceil(time);
    this.between = time < this.current;
    this.turned();
  }

  /** The milliseconds that a step wants to last: none, if nothing is seen of it. */
  readonly pace = (step: number): number => this.pane.pace(step);

  private turned(): void {
    this.controls?.turned();
    this.legend.show();
    this.tour?.place();
    this.asking?.turned();
    this.changed(this.moment);
  }

  answer(id: string, given: Given, reply: Reply | undefined): void {
    this.asking?.answer(id, given, reply);
  }

  say(verdict: string): void {
    this.asking?.say(verdict);
  }

  select(id: string | undefined, focus = false): void {
    this.pane.select(id, focus);
  }

  /** Show `engine` or `maths`, if it is there. */
  turnTo(wanted: string): void {
    this.pane.turnTo(wanted);
  }

  /** Go on where another player of much the same was: in its view, as near, with the same thing selected. */
  takeOver(before: Player): void {
    const { select } = before.moment;
    this.controls.takeOver(before.controls);
    this.pane.graph.takeOver(before.pane.graph);
    const [old, own] = [before, this].map(({ pane }) => select && pane.inspector.titleOf(pane.graph.part(select)));
    if (old !== undefined && old === own) this.select(select);
    this.pane.graph.camera.takeOver(before.pane.graph.camera);
  }

  /** Do what a key asks for, wherever it was pressed. */
  key(event: KeyboardEvent): void {
    this.keys.press(event);
  }

  /** On paper all of the graph is seen, whatever is seen on the screen. */
  onPaper(printing: boolean): void {
    this.pane.graph.camera.onPaper(printing);
  }

  destroy(): void {
    this.controls.pause();
    this.tour?.end();
    this.element.remove();
  }
}
