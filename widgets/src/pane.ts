// What is shown of one film: what happens in words, the program, the graph, and what is looked at closely.
import { Code } from "./code";
import { button, h, iconButton } from "./dom";
import { at, Film, type FilmData } from "./film";
import { Graph } from "./graph";
import { Inspector } from "./inspector";
import { Playhead } from "./playhead";
import { Way } from "./way";

/** What a pane asks of the screen it stands on. */
export interface Host {
  /** Somebody wants to see a step of this film. */
  seek(step: number): void;
  /** A part was selected, or none; or another view of the graph is shown. */
  changed(): void;
  /** The graph shows another time. */
  moved?(time: number): void;
}

export class Pane {
  readonly film: Film;
  readonly graph: Graph;
  readonly code: Code;
  readonly inspector: Inspector;
  readonly words: HTMLElement;
  readonly title: HTMLElement;
  readonly picture: HTMLElement;
  readonly zoom: HTMLElement;
  private readonly way: Way;
  private readonly head: Playhead;
  private asked: string | undefined;
  /** The step at which something was explained last. */
  private explained = -1;
  private readonly hint: HTMLElement;
  private readonly notice = h("p", { class: "notice" });
  private readonly shut = button(() => this.graph.toggle(), { class: "shut" }, "‹ close");
  step = 0;
  private readonly heading = h("h2", { class: "headline" });
  private readonly phase = h("span", { class: "phase-name" });
  private readonly count = h("span", { class: "count" });
  private readonly caption: HTMLElement;
  private readonly goals: HTMLElement[];
  private readonly follow = button(() => this.toggleFollow(), {}, "follow");

  /** A pane with a `name` is one of two: it is headed by that, and leaves it to its screen to read captions out. */
  constructor(
    data: FilmData,
    private readonly host: Host,
    private readonly name = "",
  ) {
    const seek = (step: number): void => host.seek(step);
    this.film = new Film(data);
    this.graph = new Graph(this.film, (part) => this.select(part?.id), (follows) =>
      this.follow.setAttribute("aria-pressed", String(follows)),
    );
    this.head = new Playhead((step) => this.graph.pace(step), (time, step) => {
      this.graph.show(time, step);
      host.moved?.(time);
    });
    this.code = new Code(this.film, seek, () => this.step);
    this.inspector = new Inspector(this.film, seek, this.graph, () => this.ask(), () => this.select(undefined));
    this.way = new Way(this.graph);
    this.caption = h("p", name ? { class: "caption" } : { class: "caption", role: "status", "aria-live": "polite" });
    this.goals = data.goals.map((goal, i) => h("li", {}, `${i + 1} ${goal}`));
    this.zoom = this.cameraButtons();
    this.title = h("div", { class: "title" }, this.heading, this.phase, this.count, this.zoom);
    this.words = h("div", { class: "words" }, this.title, this.caption, h("ol", { class: "goals" }, ...this.goals), this.way.element);
    const on = data.start < data.steps ? "→ goes on" : "← goes back";
    this.hint = h("p", { class: "hint" }, `${on} · Space plays · ? lists all keys`);
    const below = h("div", { class: "below" }, this.shut, this.notice, this.hint);
    this.picture = h("div", { class: "picture" }, this.graph.svg, below);
    this.showNotice();
  }

  /** What is to be said of the graph that is shown, and the way back from it. */
  private showNotice(): void {
    const { notices, opened } = this.graph.data;
    this.notice.textContent = notices[0] ?? "";
    this.heading.textContent = this.name || this.headline;
    this.shut.hidden = !opened;
  }

  private cameraButtons(): HTMLElement {
    return h(
      "div",
      { class: "camera", role: "group", "aria-label": "Zoom" },
      iconButton("closer", "Closer", () => this.graph.camera.zoom(1.25)),
      iconButton("farther", "Farther", () => this.graph.camera.zoom(0.8)),
      iconButton("fit", "All of it", () => this.graph.camera.fitAll()),
      this.follow,
    );
  }

  /** Show a time and tell of the step that it is in; at a `rate` the graph glides there, as fast as it wants at 1. */
  show(time: number, rate = 0): void {
    const step = Math.ceil(time);
    if (step !== this.step || !this.count.textContent) this.tell(step);
    if (rate) this.head.glide(time, rate);
    else this.head.jump(time);
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
    const { data, steps } = this.film;
    this.step = step;
    const phase = [...(data.iterations ? [at(data.iterations, step)] : []), at(data.phases, step)].join(", ");
    const capital = phase.charAt(0).toUpperCase() + phase.slice(1);
    this.heading.textContent = this.name || this.headline;
    this.heading.title = this.heading.textContent;
    this.phase.textContent = this.name ? "" : capital;
    this.count.textContent = `step ${step} of ${steps}`;
    this.caption.replaceChildren(...(this.name ? [h("b", {}, `${capital}: `)] : []), data.captions[step] ?? "");
    this.goals.forEach((goal, i) => {
      if (data.goal[step] === String(i)) goal.setAttribute("aria-current", "step");
      else goal.removeAttribute("aria-current");
    });
    this.inspector.show(step);
    this.code.show(step);
    this.hint.hidden = step > 0 && step !== data.start;
    if (this.explained !== step) this.way.clear();
  }

  /** What the step teaches who sees this graph. */
  private get headline(): string {
    const { words, headlines } = this.film.data;
    const own = this.graph.data.headlines;
    return (own === undefined ? undefined : words[own]![this.step]) ?? at(headlines, this.step);
  }

  /** Say why the selected thing is as it is, or where that is said or there is none, of the next one that asks. */
  ask(): void {
    const { asks, reasons, rows } = this.film.data;
    const chosen = this.graph.selected?.things.find((each) => each in reasons);
    const first = chosen !== undefined && !this.graph.selected!.things.includes(this.asked ?? "");
    const thing = first ? chosen : asks[(asks.indexOf(this.asked ?? "") + 1) % asks.length];
    if (thing === undefined) return this.way.show("Nothing was stopped here, and no gradient is missing.", { ids: [], mark: "" });
    const [word, said, step] = rows[reasons[thing]!]!;
    const part = this.graph.partOf(thing);
    if (part && this.step < (step ?? 0)) this.host.seek(step!);
    if (part && !this.graph.isVisible(part)) this.host.seek(this.film.steps);
    this.asked = thing;
    this.explained = this.step;
    this.select(thing, true);
    const [title = ["", thing]] = this.film.rowsOf(thing);
    this.way.show(`${title[0]} ${title[1]} · ${word}: ${said}`.trim(), this.film.wayFrom(thing));
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
    const place = found.findIndex((part) => part.id === this.graph.selected?.id);
    const part = found[(place + 1) % found.length];
    if (!part) return false;
    this.graph.unveil(part.id);
    if (!this.graph.isVisible(part)) this.host.seek(this.film.life(part)[0] ?? this.step);
    this.select(part.id);
    return true;
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
