// One screen: what happens in words, the program, the graph, whatever is looked at closely, and the controls.
import { Code } from "./code";
import { h, icon, iconButton, s } from "./dom";
import { at, Film, type FilmData, neighbour } from "./film";
import { Graph } from "./graph";
import { Inspector } from "./inspector";
import { CSS } from "./style";
import { Timeline } from "./timeline";

/** What is told to the world outside: which step, which part is selected, which view. */
export interface Moment {
  step: number;
  select: string | undefined;
  view: string;
}

const SPEEDS = [0.5, 1, 2, 4, 8];
/** Steps a second at speed 1: as long as one reads a short sentence. */
const PACE = 0.8;

const MARKS: Record<string, string> = {
  visit: "visit of a node",
  save: "saved value",
  free: "freed value",
  write: "write in place",
  store: "gradient stored",
  backward: "backward pass",
  error: "error",
};

const KEYS: [string, string][] = [
  ["→ ←", "one step forward, back"],
  ["Home End", "first, last step"],
  ["Space", "play, pause"],
  ["↑ ↓", "previous, next part of the graph"],
  ["n N", "next, previous step of the kind chosen beside “jump”"],
  ["l L", "next, previous step of the selected part"],
  ["+ − 0", "closer, farther, all of it"],
  ["m", "maths view or engine view"],
  ["t", "from left to right or from top to bottom"],
  ["f", "follow what happens, or do not"],
  ["/", "search"],
  ["Esc", "select nothing"],
  ["?", "this list"],
];

export class Player {
  readonly element: HTMLElement;
  private readonly film: Film;
  private readonly graph: Graph;
  private readonly code: Code;
  private readonly timeline: Timeline;
  private readonly inspector: Inspector;
  private readonly heading = h("h2", { class: "phase-name" });
  private readonly count = h("span", { class: "count" });
  private readonly caption = h("p", { class: "caption", role: "status", "aria-live": "polite" });
  private readonly goals: HTMLElement[];
  private readonly play = iconButton("play", "Play", () => this.toggle());
  private readonly speed: HTMLSelectElement;
  private readonly kind: HTMLSelectElement;
  private readonly stops = h("input", { type: "checkbox" });
  private readonly follow = h("button", { type: "button", onclick: () => this.toggleFollow() }, "follow");
  private readonly help: HTMLDialogElement;
  private readonly find = h("input", { type: "search", placeholder: "find", "aria-label": "Search by name or op" });
  private readonly legend = h("div", { class: "legend", role: "group", "aria-label": "Legend", tabindex: 0 });
  private legendRows: { kind: string; needs: string; row: HTMLElement }[] = [];
  private timer: number | undefined;
  private current = -1;

  constructor(
    root: ShadowRoot,
    data: FilmData,
    style: string,
    private readonly changed: (moment: Moment) => void,
  ) {
    this.film = new Film(data);
    this.graph = new Graph(this.film, data.graphs[0]!, (part) => this.select(part?.id), (follows) =>
      this.follow.setAttribute("aria-pressed", String(follows)),
    );
    this.code = new Code(this.film, (step) => this.seek(step), () => this.step);
    this.timeline = new Timeline(this.film, (step) => this.seek(step));
    this.inspector = new Inspector(this.film, (step) => this.seek(step), (part) => this.graph.describe(part), () =>
      this.select(undefined),
    );
    this.goals = data.goals.map((goal, i) => h("li", {}, `${i + 1} ${goal}`));
    this.speed = h("select", { "aria-label": "Speed", title: "Speed" }, ...SPEEDS.map((x) => h("option", { value: x }, `${x}×`)));
    this.speed.value = "1";
    const kinds = Object.keys(data.marks).map((kind) => h("option", { value: kind }, MARKS[kind] ?? kind));
    this.kind = h("select", { "aria-label": "Jump to" }, ...kinds);
    if ("visit" in data.marks) this.kind.value = "visit";
    if ("error" in data.marks) this.kind.value = "error";
    this.help = this.helpDialog();
    this.makeLegend();
    this.element = this.screen();
    const sheet = h("style");
    sheet.textContent = style + CSS;
    root.append(sheet, this.element);
    this.seek(0);
  }

  get step(): number {
    return this.current;
  }

  get moment(): Moment {
    const { view, direction } = this.graph.view;
    return { step: this.current, select: this.graph.selected?.id, view: `${view}-${direction}` };
  }

  private screen(): HTMLElement {
    const title = h("div", { class: "title" }, this.heading, this.count);
    const words = h("div", { class: "words" }, title, this.caption, h("ol", { class: "goals" }, ...this.goals));
    const side = h("div", { class: "side" }, this.code.element, this.legend);
    const picture = h("div", { class: "picture" }, this.graph.svg, this.cameraButtons());
    for (const notice of this.film.data.graphs[0]!.notices.slice(0, 1)) picture.append(h("p", { class: "notice" }, notice));
    const stage = h("div", { class: "stage" }, side, picture, this.inspector.element);
    const controls = h("div", { class: "bar" }, ...this.moves(), ...this.jumps(), ...this.views());
    const foot = h("div", { class: "foot" }, this.timeline.element, controls);
    const all = h("div", { class: "player", role: "group", "aria-label": `Player: ${this.film.data.title}`, tabindex: -1 });
    all.append(words, stage, foot, this.help);
    all.addEventListener("keydown", (event) => this.key(event));
    return all;
  }

  private moves(): HTMLElement[] {
    return [
      h(
        "div",
        { class: "buttons", role: "group", "aria-label": "Steps" },
        iconButton("first", "First step", () => this.seek(0)),
        iconButton("back", "Step back", () => this.seek(this.step - 1)),
        this.play,
        iconButton("forward", "Step forward", () => this.seek(this.step + 1)),
        iconButton("last", "Last step", () => this.seek(this.film.steps)),
      ),
      this.speed,
    ];
  }

  private jumps(): HTMLElement[] {
    if (!this.kind.options.length) return [];
    return [
      h(
        "div",
        { class: "buttons", role: "group", "aria-label": "Jumps" },
        iconButton("previous", "Previous of this kind", () => this.jump(-1)),
        h("label", {}, "jump", this.kind),
        iconButton("next", "Next of this kind", () => this.jump(1)),
      ),
      h("label", { title: "Playing stops at each step of the kind chosen beside “jump”" }, this.stops, "stop there"),
    ];
  }

  private views(): HTMLElement[] {
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.search();
    });
    const views = this.film.data.graphs.map(({ view, direction }) => `${view}-${direction}`);
    const found: HTMLElement[] = [this.find];
    if (new Set(views.map((view) => view.split("-")[0])).size > 1) {
      found.push(h("button", { type: "button", onclick: () => this.turn("view") }, "maths / engine"));
    }
    if (new Set(views.map((view) => view.split("-")[1])).size > 1) {
      found.push(h("button", { type: "button", onclick: () => this.turn("direction") }, "turn"));
    }
    found.push(h("button", { type: "button", "aria-label": "Keys", title: "Keys", onclick: () => this.help.showModal() }, "?"));
    return found;
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

  private helpDialog(): HTMLDialogElement {
    const rows = KEYS.flatMap(([keys, what]) => [h("dt", {}, keys), h("dd", {}, what)]);
    const dialog = h("dialog", { "aria-label": "Keys" }, h("h3", {}, "Keys"), h("dl", {}, ...rows));
    const lines = "Drag to move the picture; Ctrl and the wheel, or two fingers, come closer. A line of the program, a part of the graph and a step of its life can be clicked.";
    dialog.append(h("p", {}, lines), h("button", { type: "button", onclick: () => dialog.close() }, "Close"));
    return dialog;
  }

  private makeLegend(): void {
    const { data } = this.film;
    for (const [kind, needs, meaning, look] of data.legend) {
      const svg = s("svg", { width: 48, height: 22, "aria-hidden": "true" });
      svg.append(this.graph.sample(look));
      const row = h("div", { class: "entry" }, svg, h("span", {}, meaning));
      this.legendRows.push({ kind, needs, row });
      this.legend.append(row);
    }
  }

  /** Go to a step; a single one forward may be seen moving. */
  seek(step: number): void {
    const wanted = this.film.clamp(step);
    if (wanted === this.current) return;
    const moves = wanted === this.current + 1;
    this.current = wanted;
    this.show(moves);
    this.changed(this.moment);
  }

  private show(moves: boolean): void {
    const { data, steps } = this.film;
    const phase = at(data.phases, this.step);
    this.heading.textContent = phase.charAt(0).toUpperCase() + phase.slice(1);
    this.count.textContent = `step ${this.step} of ${steps}`;
    this.caption.textContent = data.captions[this.step] ?? "";
    this.goals.forEach((goal, i) => {
      if (data.goal[this.step] === String(i)) goal.setAttribute("aria-current", "step");
      else goal.removeAttribute("aria-current");
    });
    this.graph.show(this.step, moves);
    this.timeline.show(this.step);
    this.inspector.show(this.step);
    const present = this.graph.present();
    for (const { kind, needs, row } of this.legendRows) row.hidden = !present.has(`${kind} ${needs}`) && kind !== "text";
    this.code.show(this.step);
  }

  select(id: string | undefined, focus = false): void {
    this.graph.select(id, focus);
    const part = this.graph.selected;
    this.inspector.open(part, part ? this.graph.family(part) : [], this.step);
    this.changed(this.moment);
  }

  /** Show `engine-LR` and the like, if it is there. */
  turnTo(wanted: string): void {
    const graph = this.film.data.graphs.find(({ view, direction }) => `${view}-${direction}` === wanted);
    if (!graph || graph === this.graph.view) return;
    this.graph.turnTo(graph);
    this.select(this.graph.selected?.id);
  }

  private turn(what: "view" | "direction"): void {
    let { view, direction } = this.graph.view;
    if (what === "view") view = view === "maths" ? "engine" : "maths";
    else direction = direction === "LR" ? "TB" : "LR";
    this.turnTo(`${view}-${direction}`);
  }

  toggle(): void {
    if (this.timer !== undefined) this.pause();
    else {
      if (this.step === this.film.steps) this.seek(0);
      this.label("pause", "Pause");
      this.tick();
    }
  }

  private pause(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.label("play", "Play");
  }

  private label(picture: string, label: string): void {
    this.play.replaceChildren(icon(picture));
    this.play.setAttribute("aria-label", label);
    this.play.title = label;
  }

  private tick(): void {
    this.timer = window.setTimeout(() => {
      if (!this.element.isConnected) return this.pause();
      this.seek(this.step + 1);
      const stop = this.stops.checked && this.film.data.marks[this.kind.value]?.includes(this.step);
      if (stop || this.step >= this.film.steps) this.pause();
      else this.tick();
    }, 1000 / (PACE * Number(this.speed.value)));
  }

  private jump(way: 1 | -1): void {
    const step = neighbour(this.film.data.marks[this.kind.value] ?? [], this.step, way);
    if (step !== undefined) this.seek(step);
  }

  private search(): void {
    const found = this.graph.search(this.find.value);
    const place = found.findIndex((part) => part.id === this.graph.selected?.id);
    const part = found[(place + 1) % found.length];
    this.find.setAttribute("aria-invalid", String(!part));
    if (!part) return;
    if (!this.graph.isVisible(part)) this.seek(this.film.life(part)[0] ?? this.step);
    this.select(part.id);
    this.graph.camera.reveal(part);
  }

  private toggleFollow(): void {
    this.graph.camera.follows = !this.graph.camera.follows;
    this.graph.show(this.step, false);
  }

  private beside(way: 1 | -1): void {
    const part = this.graph.beside(way);
    if (part) this.select(part.id, true);
  }

  /** Do what a key asks for; what is typed into a field is left to it. */
  key(event: KeyboardEvent): void {
    const target = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (target instanceof HTMLSelectElement) return;
    if (target instanceof HTMLInputElement && target.type === "search") {
      if (event.key === "Escape") this.element.focus();
      return;
    }
    const presses = target instanceof HTMLButtonElement || target instanceof HTMLInputElement;
    if (event.key === " " && presses) return;
    const part = target instanceof SVGElement ? target.closest("[data-part]")?.getAttribute("data-part") : undefined;
    if (event.key === "Enter" && part) this.select(part);
    else if (!this.act(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private act(key: string): boolean {
    const actions: Record<string, () => void> = {
      ArrowRight: () => this.seek(this.step + 1),
      ArrowLeft: () => this.seek(this.step - 1),
      ArrowDown: () => this.beside(1),
      ArrowUp: () => this.beside(-1),
      Home: () => this.seek(0),
      End: () => this.seek(this.film.steps),
      " ": () => this.toggle(),
      n: () => this.jump(1),
      N: () => this.jump(-1),
      l: () => this.inspector.go(1),
      L: () => this.inspector.go(-1),
      "+": () => this.graph.camera.zoom(1.25),
      "-": () => this.graph.camera.zoom(0.8),
      "0": () => this.graph.camera.fitAll(),
      m: () => this.turn("view"),
      t: () => this.turn("direction"),
      f: () => this.toggleFollow(),
      "/": () => this.find.focus(),
      Escape: () => this.select(undefined),
      "?": () => this.help.showModal(),
    };
    const action = actions[key];
    action?.();
    return action !== undefined;
  }

  /** On paper all of the graph is seen, whatever is seen on the screen. */
  onPaper(printing: boolean): void {
    this.graph.camera.onPaper(printing);
  }

  destroy(): void {
    this.pause();
    this.element.remove();
  }
}
