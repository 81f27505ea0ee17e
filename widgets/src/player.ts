// One screen for one film: what happens in words, the program, the graph, whatever is looked at closely, and the controls.
import { Controls, Jumps, type Stepped } from "./controls";
import { h } from "./dom";
import type { FilmData } from "./film";
import { Keys } from "./keys";
import { Pane } from "./pane";
import { CSS } from "./style";
import { Timeline } from "./timeline";

/** What is told to the world outside: which step, which part is selected, which view. */
export interface Moment {
  step: number;
  select: string | undefined;
  view: string;
}

const HINT =
  "Drag to move the picture; Ctrl and the wheel, or two fingers, come closer. A line of the program, a part of the graph and a step of its life can be clicked.";

export class Player implements Stepped {
  readonly element: HTMLElement;
  private readonly pane: Pane;
  private readonly timeline: Timeline;
  private readonly jumps: Jumps;
  private readonly controls: Controls;
  private readonly keys: Keys;
  private readonly find = h("input", { type: "search", placeholder: "find", "aria-label": "Search by name or op" });
  private current = -1;

  constructor(
    root: ShadowRoot,
    data: FilmData,
    style: string,
    private readonly changed: (moment: Moment) => void,
  ) {
    this.pane = new Pane(data, { seek: (step) => this.seek(step), changed: () => this.changed(this.moment) });
    this.timeline = new Timeline(this.pane.film, (step) => this.seek(step));
    this.jumps = new Jumps(this, data.marks);
    this.controls = new Controls(this, this.jumps);
    this.element = h("div", { class: "player", role: "group", "aria-label": `Player: ${data.title}`, tabindex: -1 });
    this.keys = this.makeKeys();
    this.element.append(this.pane.words, this.stage(), this.foot(), this.keys.dialog);
    const sheet = h("style");
    sheet.textContent = style + CSS;
    root.append(sheet, this.element);
    this.seek(0);
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

  private stage(): HTMLElement {
    const { code, legend, picture, inspector } = this.pane;
    const side = h("div", { class: "side" }, code.element, legend.element);
    return h("div", { class: "stage" }, side, picture, inspector.element);
  }

  private foot(): HTMLElement {
    const bar = h("div", { class: "bar" }, ...this.controls.elements, ...this.jumps.elements, ...this.views());
    return h("div", { class: "foot" }, this.timeline.element, bar);
  }

  private views(): HTMLElement[] {
    const { pane } = this;
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.find.setAttribute("aria-invalid", String(!pane.search(this.find.value)));
    });
    const { graphs } = pane.film.data;
    const views = h("button", { type: "button", onclick: () => pane.turn("view") }, "maths / engine");
    const turn = h("button", { type: "button", hidden: graphs.length < 2, onclick: () => pane.turn("direction") }, "turn");
    return [this.find, views, turn, this.keys.button];
  }

  private makeKeys(): Keys {
    const { pane, jumps } = this;
    const { inspector } = pane;
    const { camera } = pane.graph;
    const rows: ConstructorParameters<typeof Keys>[0] = [
      ["→ ←", "one step forward, back", { ArrowRight: () => this.seek(this.step + 1), ArrowLeft: () => this.seek(this.step - 1) }],
      ["Home End", "first, last step", { Home: () => this.seek(0), End: () => this.seek(this.steps) }],
      ["Space", "play, pause", { " ": () => this.toggle() }],
      ["↑ ↓", "previous, next part of the graph", { ArrowUp: () => pane.beside(-1), ArrowDown: () => pane.beside(1) }],
      ["n N", "next, previous step of the kind chosen beside “jump”", { n: () => jumps.go(1), N: () => jumps.go(-1) }],
      ["l L", "next, previous step of the selected part", { l: () => inspector.go(1), L: () => inspector.go(-1) }],
      ["+ − 0", "closer, farther, all of it", { "+": () => camera.zoom(1.25), "-": () => camera.zoom(0.8), "0": () => camera.fitAll() }],
      ["m", "maths view or engine view", { m: () => pane.turn("view") }],
      ["t", "from left to right or from top to bottom", { t: () => pane.turn("direction") }],
      ["f", "follow what happens, or do not", { f: () => pane.toggleFollow() }],
      ["/", "search", { "/": () => this.find.focus() }],
      ["Esc", "select nothing", { Escape: () => pane.select(undefined) }],
      ["?", "this list", {}],
    ];
    return new Keys(rows, HINT, this.element, (part) => this.select(part.dataset["part"]));
  }

  /** Go to a step; a single one forward may be seen moving. */
  seek(step: number): void {
    const wanted = this.pane.film.clamp(step);
    if (wanted === this.current) return;
    const moves = wanted === this.current + 1;
    this.current = wanted;
    this.pane.show(wanted, moves);
    this.timeline.show(wanted);
    this.changed(this.moment);
  }

  select(id: string | undefined, focus = false): void {
    this.pane.select(id, focus);
  }

  /** Show `engine-LR` and the like, if it is there. */
  turnTo(wanted: string): void {
    this.pane.turnTo(wanted);
  }

  toggle(): void {
    this.controls.toggle();
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
