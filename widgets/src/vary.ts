// A player in which numbers of the program can be dragged: everything follows, at the same step, seen from as near.
import { t } from "./language";
import type { Listener, Moment, Screen } from "./mounted";
import { h } from "./dom";
import { at } from "./film";
import { dragged, Handle, row } from "./handles";
import type { KeyRow } from "./keys";
import { Player } from "./player";
import { counterpart, filmOf, type RunData, type RunsData, runWith } from "./runs";
import VARY_CSS from "./vary.css";

export class Vary implements Screen {
  readonly element = h("div", { class: "stack varied" });
  private readonly handles: Handle[];
  private readonly row: HTMLElement;
  /** What was asked for and cannot be had. */
  private readonly said = h("p", { class: "told", role: "alert" });
  private player: Player;
  private run = 0;
  private film: RunData;
  /** Where somebody went last, and in which film: from there one comes to any other, and back. */
  private chosen = { step: 0, events: [] as number[] };
  private swapping = true;

  constructor(
    root: ShadowRoot,
    private readonly data: RunsData,
    private readonly style: string,
    private readonly changed: (moment: Moment) => void,
    private readonly listener?: Listener,
  ) {
    const { axes, runs } = data.vary;
    const home = runs[0]!;
    this.handles = axes.map(([name, ...values], axis) => new Handle(name!, values, home[axis]!, (value) => this.turn(axis, value), (text) => (this.said.textContent = text)));
    this.row = row(this.handles, data.leaves.some(Boolean), (event) => this.player.key(event), this.said);
    this.element.append(this.row);
    dragged(this.element, (target) => this.handleOf(target));
    root.append(h("style", {}, VARY_CSS), this.element);
    this.film = filmOf(data, 0);
    this.player = this.made();
    this.swapping = false;
    if (runs.length === 1) this.said.textContent = t`Other numbers are on their way.`;
    this.showHandles();
  }

  /** A player of the film that is shown now, above the handles. */
  private made(): Player {
    const room = { append: (...nodes: (Node | string)[]) => this.row.before(...nodes) };
    const type: KeyRow = ["v", t`type a number`, { v: () => this.handles[0]!.type() }];
    return new Player(room, this.film, this.style, () => this.moved(), this.listener, [type]);
  }

  /** The handle of the leaf whose card something is part of. */
  private handleOf(target: Element): Handle | undefined {
    const id = target.closest("[data-part]")?.getAttribute("data-part");
    const { graphs, members, leaves } = this.film;
    const cards = graphs.flatMap(({ parts }) => parts).filter(([part, kind]) => part === id && kind === "card");
    return cards.length ? this.handles[leaves.indexOf(members[cards[0]![2]]![0]!)] : undefined;
  }

  /** Have a number take one of its values. */
  private turn(axis: number, value: number): void {
    this.show(runWith(this.data.vary.runs, axis, value, this.run));
  }

  private show(run: number): void {
    if (run !== this.run) {
      const before = this.player;
      this.run = run;
      this.film = filmOf(this.data, run);
      this.swapping = true;
      before.destroy();
      while (this.row.previousSibling) this.row.previousSibling.remove();
      this.player = this.made();
      this.player.seek(counterpart(this.chosen.step, this.chosen.events, this.film.events), 0);
      this.player.takeOver(before);
      this.swapping = false;
      this.changed(this.moment);
    }
    this.showHandles();
  }

  private showHandles(): void {
    const place = this.data.vary.runs[this.run]!;
    this.handles.forEach((handle, axis) => handle.show(place[axis]!, at(this.film.headlines, this.step)));
  }

  /** Somebody has gone somewhere. */
  private moved(): void {
    if (this.swapping) return;
    if (this.step !== counterpart(this.chosen.step, this.chosen.events, this.film.events)) this.chosen = { step: this.step, events: this.film.events };
    this.showHandles();
    this.changed(this.moment);
  }

  get step(): number {
    return this.player.step;
  }

  get steps(): number {
    return this.player.steps;
  }

  get moment(): Moment {
    const [home, place] = [this.data.vary.runs[0]!, this.data.vary.runs[this.run]!];
    const words = this.handles.map(({ name, values }, axis) => [name, place[axis] === home[axis] ? "" : values[place[axis]!]!]);
    return { ...this.player.moment, words: Object.fromEntries(words) as Record<string, string> };
  }

  /** The numbers that an address gives. */
  take(words: URLSearchParams): void {
    for (const handle of this.handles) if (words.has(handle.name)) handle.take(words.get(handle.name)!);
  }

  welcome(linked: boolean): void {
    this.player.welcome(linked);
  }

  seek(time: number, rate?: number): void {
    this.player.seek(time, rate);
  }

  select(id: string | undefined): void {
    this.player.select(id);
  }

  turnTo(view: string): void {
    this.player.turnTo(view);
  }

  takeOver(before: Vary): void {
    this.player.takeOver(before.player);
  }

  key(event: KeyboardEvent): void {
    this.player.key(event);
  }

  onPaper(printing: boolean): void {
    this.player.onPaper(printing);
  }

  destroy(): void {
    this.player.destroy();
    this.element.remove();
  }
}
