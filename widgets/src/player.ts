// One screen for one film: what happens in words, the program, the graph, whatever is looked at closely, and the controls.
import { Controls, Jumps } from "./controls";
import type { Listener, Moment, Screen } from "./doors";
import { h } from "./dom";
import { at, type FilmData } from "./film";
import type { Grain, Halting } from "./grains";
import { type KeyRow, Keys } from "./keys";
import { Legend } from "./legend";
import { Pane } from "./pane";
import { Picking } from "./picking";
import { Gate, type Given, type Reply } from "./question";
import CSS from "./style.css";
import { Timeline } from "./timeline";
import { Views } from "./views";

export class Player implements Screen, Halting {
  readonly element: HTMLElement;
  private readonly pane: Pane;
  private readonly legend: Legend;
  private readonly timeline: Timeline;
  private readonly controls: Controls;
  private readonly keys: Keys;
  private readonly gate: Gate;
  private readonly picking: Picking | undefined;
  private current = -1;
  /** Whether the time is between two steps because somebody has left it there. */
  between = false;

  constructor(
    root: ShadowRoot,
    data: FilmData,
    style: string,
    private readonly changed: (moment: Moment) => void,
    listener?: Listener,
  ) {
    const pane = new Pane(data, { seek: (step) => this.seek(step), changed: () => this.turned(), moved: (time) => this.timeline?.show(time) });
    const told = (step: number): string => `step ${step} of ${data.steps}, ${at(data.phases, step)}: ${at(data.headlines, step)}`;
    const jumps = new Jumps(this, data.marks);
    const views = new Views([pane], () => pane);
    this.pane = pane;
    this.legend = new Legend([pane]);
    this.timeline = new Timeline(data.steps, [{ name: "", ...data }], data.marks, (time) => this.seek(time, 0), told, "any");
    this.controls = new Controls(this, jumps);
    this.element = h("div", { class: "player", role: "group", "aria-label": `Player: ${data.title}`, tabindex: -1 });
    const locks = (locked: boolean): unknown => this.element.classList.toggle("locked", locked);
    this.gate = new Gate(data.questions ?? [], (id, given) => listener?.given(id, given), locks);
    const { picking } = data;
    if (picking) pane.graph.keepAll(); // what is to be clicked has to be in the picture
    this.picking = picking && new Picking(picking, this.element, (part) => pane.graph.part(part)?.things ?? [], (picked) => listener?.picked(picking.id, picked));
    this.element.classList.toggle("picking", this.picking !== undefined); // the inspector would lie over what is clicked
    const choose = (part: SVGElement): void => this.select(part.dataset["part"]);
    this.keys = new Keys([...this.answering(), ...this.controls.keys, ...views.keys], this.element, choose, this.timeline.key);
    const bar = [...this.controls.elements, ...jumps.elements, ...views.elements, this.keys.button];
    const side = h("div", { class: "side" }, pane.code.element, this.legend.element, pane.inspector.element);
    const stage = h("div", { class: "stage" }, side, pane.picture);
    const foot = h("div", { class: "foot" }, this.timeline.element, h("div", { class: "bar" }, ...bar));
    this.element.append(pane.words, stage, foot, this.keys.dialog);
    const sheet = h("style");
    sheet.textContent = style + CSS;
    root.append(sheet, this.withCards());
    this.seek(0);
  }

  /** The player, under the cards that there are. */
  private withCards(): HTMLElement {
    const cards = [...(this.gate.cards.length ? [this.gate.element] : []), ...(this.picking ? [this.picking.element] : [])];
    const onCard = (event: KeyboardEvent): void => void (this.element.contains(event.target as Node) || this.keys.press(event));
    return cards.length ? h("div", { class: "stack", onkeydown: onCard }, ...cards, this.element) : this.element;
  }

  private answering(): KeyRow[] {
    if (!this.gate.cards.length) return [];
    const choose = (number: number): [string, () => void] => [String(number), () => this.gate.open?.choose(number)];
    const digits = Object.fromEntries([1, 2, 3, 4, 5, 6].map(choose));
    return [["1 2 3 …", "choose an answer; Enter goes on to how sure you are, and commits", digits]];
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
    const step = this.gate.hold(Math.ceil(wanted));
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
    this.changed(this.moment);
  }

  answer(id: string, given: Given, reply: Reply | undefined): void {
    this.gate.answer(id, given, reply);
  }

  say(verdict: string): void {
    this.picking?.say(verdict);
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
    const { select, view } = before.moment;
    this.turnTo(view);
    this.pane.graph.camera.takeOver(before.pane.graph.camera);
    const [old, own] = [before, this].map(({ pane }) => select && pane.inspector.titleOf(pane.graph.part(select)));
    if (old !== undefined && old === own) this.select(select);
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
    this.element.remove();
  }
}
