// One film on a wall: large letters, no controls, a class that has to vote before it sees.
import { Clock } from "./clock";
import { t } from "./language";
import type { Moment, Screen } from "./mounted";
import { h } from "./dom";
import type { FilmData } from "./film";
import { Hands } from "./hands";
import { type KeyRow, Keys } from "./keys";
import { Notes, type Told } from "./notes";
import { Pane } from "./pane";
import { type Heard, Phones, type Wish } from "./phones";
import PRESENTER_CSS from "./presenter.css";
import CARDS_CSS from "./cards.css";
import FIGURES_CSS from "./figures.css";
import CSS from "./style.css";

/** A film, and what the teacher is told beside it. */
export interface PresentedData extends FilmData {
  note: string;
}

const HIDEABLE = ["code", "words", "foot", "picture"];

export class Presenter implements Screen {
  readonly element: HTMLElement;
  private readonly pane: Pane;
  private readonly hands: Hands[];
  private readonly notes = new Notes((event) => this.key(event));
  private readonly phones = new Phones((heard) => this.hear(heard));
  private readonly keys: Keys;
  private readonly time = h("span", { class: "time", role: "timer" });
  private readonly place = h("span", { class: "place" });
  private readonly panel = h("div", { class: "panel-of-hands", role: "group", "aria-label": t`Question`, tabindex: 0, hidden: true });
  private readonly black = h("div", { class: "black", hidden: true });
  private hidden: string[] = [];
  private shown: Hands | undefined;
  private current = -1;
  private all = false;

  constructor(
    root: ShadowRoot,
    private readonly data: PresentedData,
    style: string,
    private readonly changed: (moment: Moment) => void,
  ) {
    this.pane = new Pane(data, { seek: (step) => this.seek(step), changed: () => this.told() });
    this.hands = (data.questions ?? []).map((question) => new Hands(question));
    this.element = h("div", { class: "player present", role: "group", "aria-label": t`Presenter: ${data.title}`, tabindex: -1 });
    this.keys = new Keys(this.rows(), this.element, (part) => this.select(part.dataset["part"]));
    const stage = h("div", { class: "stage" }, h("div", { class: "side" }, this.panel, this.pane.code.element), this.pane.picture);
    const foot = h("div", { class: "foot" }, this.place, this.time, this.keys.button);
    this.element.append(this.pane.words, stage, foot, this.keys.dialog, this.black);
    const sheet = h("style");
    sheet.textContent = style + CSS + FIGURES_CSS + CARDS_CSS + PRESENTER_CSS;
    root.append(sheet, this.element);
    this.frame(false);
    this.seek(0);
  }

  private rows(): KeyRow[] {
    const clock = new Clock((time) => {
      this.time.textContent = time;
      this.notes.tick(time);
    });
    const on = (): void => this.on();
    const back = (): void => this.seek(this.step - 1);
    const count = (number: number): [string, () => void] => [String(number), () => this.vote((hands) => hands.raise(number - 1), "")];
    return [
      [t`Space → PageDown`, t`on: a step, or the next thing to do with a question`, { " ": on, ArrowRight: on, PageDown: on }],
      [t`← PageUp`, t`one step back`, { ArrowLeft: back, PageUp: back }],
      ["1 2 3 …", t`count one hand more for this choice`, Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map(count))],
      [t`Backspace`, t`one hand less, the last one counted`, { Backspace: () => this.vote((hands) => hands.lower(), "") }],
      ["r", t`reveal the answer`, { r: () => this.vote((hands) => hands.reveal(), "reveal") }],
      ["v", t`vote again`, { v: () => this.vote((hands) => hands.again(), "again") }],
      ["s", t`skip the question`, { s: () => this.vote((hands) => hands.skip()) }],
      ["q", t`show or hide the question`, { q: () => this.ask(this.shown ? undefined : this.latest) }],
      ["b .", t`black, and back`, { b: () => this.blacken(), ".": () => this.blacken() }],
      ["t T", t`start or stop the clock; set it to zero`, { t: () => clock.toggle(), T: () => clock.zero() }],
      ["c", t`with or without the program`, { c: () => this.hide(this.hidden.includes("code") ? "" : "code") }],
      ["n", t`notes, in a window of their own`, { n: () => void this.notes.open(this.telling) }],
      ["f", t`full screen`, { f: () => this.fullScreen() }],
      ["m", t`maths view or engine view`, { m: () => this.turnTo(this.pane.other) }],
      [t`Home`, t`to the beginning`, { Home: () => this.seek(0) }],
      ["+ − 0 z", t`closer, farther, all of it, large again`, this.zooms()],
    ];
  }

  private zooms(): Record<string, () => void> {
    const { camera } = this.pane.graph;
    const zoom = (factor: number): void => {
      camera.zoom(factor);
      camera.follows = true; // nobody drags the picture on a wall
    };
    return { "+": () => zoom(1.25), "-": () => zoom(0.8), "0": () => this.frame(true), z: () => this.frame(false) };
  }

  get step(): number {
    return this.current;
  }

  get steps(): number {
    return this.pane.film.steps;
  }

  get moment(): Moment {
    const votes = this.hands.map((hands) => hands.written).join("~");
    const words = { hide: this.hidden.join(","), black: this.black.hidden ? "" : "1", votes };
    return { step: this.current, select: this.pane.graph.selected?.id, view: this.pane.view, words };
  }

  /** The first question that the class has not voted on. */
  private get open(): Hands | undefined {
    return this.hands.find((hands) => !hands.done);
  }

  /** The question that was asked last, or comes first. */
  private get latest(): Hands | undefined {
    return this.hands.filter((hands) => (hands.data.step ?? 0) <= this.step).at(-1) ?? this.hands[0];
  }

  private on(): void {
    const asked = this.open?.data.step === this.step ? this.open : undefined;
    if (asked && this.shown !== asked) {
      this.ask(asked);
      this.vote(() => undefined, "open");
    } else if (asked) this.vote((hands) => void hands.close(), "close");
    else {
      this.ask(undefined);
      this.seek(this.step + 1);
    }
  }

  /** Go to a step; nobody gets past a question before the class has voted on it. */
  seek(step: number): void {
    const locks = this.hands.filter((hands) => !hands.done).map((hands) => hands.data.step ?? this.steps);
    const wanted = Math.min(Math.round(this.pane.film.clamp(step)), ...locks);
    if (wanted === this.current) return;
    const glides = Math.abs(wanted - this.current) === 1 && this.current >= 0;
    this.current = wanted;
    this.pane.show(wanted, glides ? 1 : 0);
    this.told();
  }

  /** Do something with the question on the wall; where phones vote, the page that counts them is asked to, for "" nobody. */
  private vote(what: (hands: Hands) => void, wish?: Wish | ""): void {
    if (!this.shown) return;
    const number = this.phones.there ? this.polled.indexOf(this.shown) : -1;
    if (wish === undefined || number < 0) this.turn(this.shown, what);
    else if (wish) this.phones.wish(number, wish);
    this.told();
  }

  /** Change how a question stands; when it is revealed, the picture goes to where its truth is seen. */
  private turn(hands: Hands, what: (hands: Hands) => void): void {
    const before = hands.stage;
    what(hands);
    if (hands.stage === "revealed" && before !== "revealed" && hands.data.shows !== undefined) this.seek(hands.data.shows);
  }

  /** The questions that phones can vote on. */
  private get polled(): Hands[] {
    return this.hands.filter((hands) => hands.data.choices.length);
  }

  private hear({ number, votes, said }: Heard): void {
    const hands = this.polled[number];
    if (!hands || !votes) return;
    if (this.shown !== hands && hands.data.step !== this.step && votes.startsWith("asking")) this.follow(hands);
    if (hands.data.step === this.step && this.shown !== hands) this.ask(hands);
    this.turn(hands, () => hands.take(votes, said));
    this.told();
  }

  /** Go to a question of a lesson that a vote is opened on; those before it that were left out hold nobody. */
  private follow(hands: Hands): void {
    if (hands.data.shows === undefined && !hands.data.alone) return;
    for (const each of this.hands.slice(0, this.hands.indexOf(hands))) each.skip();
    this.seek(hands.data.step ?? 0);
  }

  private ask(hands: Hands | undefined): void {
    this.shown = hands;
    this.panel.hidden = !hands;
    this.panel.replaceChildren(...(hands ? [hands.element] : []));
    this.element.classList.toggle("asking", hands !== undefined);
    this.element.classList.toggle("alone", hands?.data.alone === true);
    this.frame(this.all);
    this.told();
  }

  /** Show all of the graph, or only what can be read from afar; a class that thinks about a question sees all that is there. */
  private frame(all: boolean): void {
    const { graph } = this.pane;
    this.all = all;
    graph.camera.onWall(this.shown ? graph.shownNow : graph.bounds, all || this.shown !== undefined);
  }

  private blacken(): void {
    this.black.hidden = !this.black.hidden;
    this.told();
  }

  private hide(names: string): void {
    this.hidden = names.split(",").filter((name) => HIDEABLE.includes(name));
    for (const name of HIDEABLE) this.element.classList.toggle(`no-${name}`, this.hidden.includes(name));
    this.told();
  }

  private fullScreen(): void {
    void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
  }

  private get telling(): Told {
    const { data, step } = this;
    const next = step < this.steps ? (data.captions[step + 1] ?? "") : t`The end.`;
    return { title: data.title, note: data.note, caption: data.captions[step] ?? "", next, question: this.shown ?? this.open };
  }

  private told(): void {
    const waits = this.open?.data.step === this.step && !this.shown ? ` · ${t`a question waits`}` : "";
    this.place.textContent = t`step ${this.step} of ${this.steps}` + waits;
    this.notes.show(this.telling);
    this.changed(this.moment);
  }

  /** What an address says besides the step: what is hidden, whether it is black, how the votes stand. */
  take(words: URLSearchParams): void {
    (words.get("votes") ?? "").split("~").forEach((written, number) => this.hands[number]?.take(written));
    if (words.has("hide")) this.hide(words.get("hide")!);
    if ((words.get("black") === "1") === this.black.hidden) this.blacken();
  }

  select(id: string | undefined, focus = false): void {
    this.pane.select(id, focus);
  }

  turnTo(view: string): void {
    this.pane.turnTo(view);
  }

  key(event: KeyboardEvent): void {
    this.keys.press(event);
  }

  onPaper(printing: boolean): void {
    this.pane.graph.camera.onPaper(printing);
  }

  destroy(): void {
    this.notes.close();
    this.phones.close();
    this.element.remove();
  }
}
