// What is shown of one film: what happens in words, the program, the graph, and what is looked at closely.
import { Code } from "./code";
import { button, h, iconButton, set } from "./dom";
import { Film, type FilmData, type Part, type Place } from "./film";
import { swiped } from "./gestures";
import { Graph } from "./graph";
import { Inspector } from "./inspector";
import { t } from "./language";
import { Light, type Pointed } from "./light";
import { Playhead } from "./playhead";
import { Way } from "./way";
import { Words } from "./words";

/** So much of a step is left, as a share, once what rides has arrived. */
const ARRIVED = 0.5;

/** What a pane asks of the screen it stands on. */
export interface Host {
  /** Somebody wants to see a step of this film. */
  seek(step: number): void;
  /** A part was selected, or none; or another view of the graph is shown. */
  changed(): void;
  /** The graph shows another time. */
  moved?(time: number): void;
  /** Some steps are what somebody points at. */
  lit?(steps: readonly number[]): void;
}

export class Pane {
  readonly film: Film;
  readonly graph: Graph;
  readonly code: Code;
  readonly inspector: Inspector;
  readonly words: HTMLElement;
  readonly picture: HTMLElement;
  readonly zoom: HTMLElement;
  private readonly way: Way;
  private readonly light: Light;
  private readonly head: Playhead;
  private asked: string | undefined;
  /** The step at which something was explained last. */
  private explained = -1;
  private readonly hint: HTMLElement;
  private readonly notice = h("p", { class: "notice" });
  private readonly shut = button(() => this.graph.toggle(), { class: "shut" }, `‹ ${t`close`}`);
  step = 0;
  readonly told: Words;
  private readonly follow = button(() => this.toggleFollow(), {}, t`follow`);

  /** A pane with a `name` is one of two: it is headed by that, and leaves it to its screen to read captions out. */
  constructor(
    data: FilmData,
    private readonly host: Host,
    name = "",
  ) {
    const seek = (step: number): void => host.seek(step);
    this.film = new Film(data);
    this.graph = new Graph(this.film, (part, clicked) => this.choose(part, clicked), (follows) =>
      set(this.follow, "aria-pressed", follows),
    );
    this.head = new Playhead((step) => this.graph.pace(step), (time, step) => this.turn(time, step));
    this.code = new Code(this.film, seek, () => this.step);
    this.inspector = new Inspector(this.film, seek, this.graph, () => this.ask(), () => this.select(undefined));
    this.way = new Way(this.graph);
    this.light = new Light(this.film, this.graph, this.code, (steps) => host.lit?.(steps));
    this.graph.onpoint = this.code.onpoint = (pointed: Pointed | undefined) => this.light.point(pointed);
    this.zoom = this.cameraButtons();
    this.told = new Words(this.film, () => this.graph.data.headlines, name, this.zoom);
    this.words = h("div", { class: "words" }, ...this.told.pieces, this.way.element);
    const on = data.start < data.steps ? t`→ goes on` : t`← goes back`;
    this.hint = h("p", { class: "hint" }, t`${on} · Space plays · ? lists all keys`);
    const below = h("div", { class: "below" }, this.shut, this.notice, this.hint);
    this.picture = h("div", { class: "picture" }, this.graph.svg, this.graph.minimap.svg, below);
    swiped(this.words);
    this.graph.camera.avoid(this.inspector.element);
    this.showNotice();
  }

  /** What is to be said of the graph that is shown, and the way back from it. */
  private showNotice(): void {
    const { notices, opened, opens } = this.graph.data;
    const how = matchMedia("(hover: none)").matches ? t`a double tap opens a card` : t`a double click, or o, opens a card`;
    this.notice.textContent = [...notices.slice(0, 1), ...(Object.keys(opens).length ? [how] : [])].join("; ");
    this.told.head();
    this.shut.hidden = !opened;
  }

  private cameraButtons(): HTMLElement {
    return h(
      "div",
      { class: "camera", role: "group", "aria-label": t`Zoom` },
      iconButton("closer", t`Closer`, () => this.graph.camera.zoom(1.25)),
      iconButton("farther", t`Farther`, () => this.graph.camera.zoom(0.8)),
      iconButton("fit", t`All of it`, () => this.graph.camera.fitAll()),
      this.follow,
    );
  }

  /** Show a time and tell of the step that it is in; at a `rate` the graph glides there, as fast as it wants at 1. */
  show(time: number, rate = 0): void {
    const step = Math.ceil(time);
    if (step !== this.step || !this.told.isTold) this.tell(step);
    if (rate) return this.head.glide(time, rate);
    this.head.jump(time);
    this.told.say(Math.round(time));
  }

  /** Show a time where another clock than its own leads to a step, past the `next` one. */
  lead(time: number, next: number, step: number): void {
    if (step !== this.step || !this.told.isTold) this.tell(step);
    this.turn(time, next);
  }

  private turn(time: number, step: number): void {
    this.graph.show(time, step);
    if (time > this.step - ARRIVED) this.told.say(this.step);
    if (time === this.step) this.inspector.show(time); // which asks the graph, that only now shows this step
    this.host.moved?.(time);
  }

  /** Stay where it is, and tell of the step that it is in; gives the time. */
  halt(): number {
    this.head.halt();
    this.show(this.head.time);
    return this.head.time;
  }

  /** The milliseconds that a step wants to last: none, if nothing in the graph changes. */
  pace(step: number): number {
    return this.graph.pace(step);
  }

  private tell(step: number): void {
    this.step = step;
    this.told.tell(step);
    this.inspector.show(step);
    this.code.show(step);
    this.hint.hidden = step > 0 && step !== this.film.data.start;
    this.light.clear();
    if (this.explained !== step) this.way.clear();
  }

  /** A part is to be selected; who has asked why, and clicks on something else, asks the same of that. */
  private choose(part: Part | undefined, clicked = false): void {
    const asks = clicked && this.asked !== undefined && part !== this.graph.selected;
    this.select(part?.id);
    if (asks && part?.things.length) this.ask();
  }

  /**
   * Say why the selected thing is as it is, or once that is said, of the next one that asks; of nothing selected, of what
   * stopped a pass, else of what happens now, if that has an answer.
   */
  ask(): void {
    const { asks, healthy } = this.film.data;
    const things = this.graph.selected?.things ?? [];
    const all = [...asks, ...healthy];
    const next = all[(all.indexOf(this.asked ?? "") + 1) % all.length];
    const here = asks.length || this.asked !== undefined ? undefined : this.film.answers.told(this.graph.happening, this.step);
    const thing = things.includes(this.asked ?? "") ? next : (this.film.answers.first(things) ?? here ?? next);
    if (thing === undefined) this.way.show(t`Nothing was stopped, and no gradient is missing. Select something, and ask again.`);
    else this.explain(thing);
  }

  /** Say of a thing why it is as it is, where that is to be seen. */
  private explain(thing: string): void {
    const reason = this.film.answers.reason(thing);
    const first = this.film.answers.at(thing, this.step) ?? reason;
    const part = this.graph.partOf(thing);
    if (part && this.step < (first?.[2] ?? 0)) this.host.seek(first![2]!);
    if (part && !this.graph.isVisible(part)) this.host.seek(this.film.steps);
    this.asked = thing;
    this.explained = this.step;
    this.select(thing, true);
    const rows = this.film.answers.all(thing, this.step);
    const alarm = this.film.data.asks.includes(thing) && rows.includes(reason!);
    const [title = ["", thing]] = this.film.rowsOf(thing);
    const said = rows.map(([word, text]) => (word ? `${word}: ${text}` : text)).join(" · ");
    this.way.show(rows[0]![0] ? `${title[0]} ${title[1]} · ${said}` : said, alarm, alarm ? this.film.wayFrom(thing) : undefined);
  }

  /** Light a line of the program, and what it does; or nothing. */
  pointAt(place: Place | undefined): void {
    this.light.point(place && this.code.pointed(place));
  }

  /** Light what happens at a step that somebody points at. */
  point(step: number | undefined): void {
    this.light.point(step === undefined ? undefined : { steps: [step] });
  }

  /** Select nothing; whether anything was. */
  deselect(): boolean {
    const had = this.graph.selected !== undefined;
    this.select(undefined);
    return had;
  }

  /** Select a part by its id, or the one that stands for a thing. */
  select(id: string | undefined, focus = false): void {
    this.graph.select(id === undefined ? undefined : this.graph.partOf(id)?.id, focus);
    const part = this.graph.selected;
    if (!part?.things.includes(this.asked ?? "")) this.asked = undefined;
    if (this.asked === undefined) this.way.clear();
    else this.way.draw();
    this.showNotice();
    this.inspector.open(part, part ? this.graph.family(part) : [], this.step);
    this.light.keep(part);
    this.host.changed();
  }

  /** What is shown of the graph: `engine` or `maths`. */
  get view(): string {
    return this.graph.view;
  }

  /** Show a view, if it is there; `maths-LR` is what older addresses say. */
  turnTo(wanted: string): void {
    const view = wanted.split("-")[0]!;
    if (view !== this.view && this.film.data.views.includes(view)) this.graph.see(view);
  }

  /** The other view. */
  get other(): string {
    return this.view === "maths" ? "engine" : "maths";
  }

  /** Select the next part that says `text`, going to where it is to be seen. Says whether there is one. */
  search(text: string): boolean {
    const found = this.graph.search(text);
    const place = found.findIndex(({ part }) => part.id === this.graph.selected?.id);
    const next = found[(place + 1) % found.length];
    if (!next) return false;
    const { part, step } = next;
    this.graph.unveil(part.id);
    if (step !== undefined) this.host.seek(step);
    else if (!this.graph.isVisible(part)) this.host.seek(this.film.life(part)[0] ?? this.step);
    this.select(part.id);
    return true;
  }

  /** Have the selected part focused. */
  focus(): void {
    this.select(this.graph.selected?.id, true);
  }

  toggleFollow(): void {
    this.graph.camera.follows = !this.graph.camera.follows;
    this.graph.follow();
  }

  /** Select the part before or after the selected one. */
  beside(way: 1 | -1): void {
    const part = this.graph.beside(way);
    if (part) this.select(part.id, true);
  }
}
