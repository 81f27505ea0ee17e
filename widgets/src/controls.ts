// Going through steps: one at a time, by itself at a pace, or from one notable step to the next.
import { h, icon, iconButton } from "./dom";
import { neighbour } from "./film";
import type { KeyRow } from "./keys";

/** What can be gone through step by step. */
export interface Stepped {
  readonly step: number;
  readonly steps: number;
  seek(step: number): void;
}

const SPEEDS = [0.5, 1, 2, 4, 8];
/** Steps a second at speed 1: as long as one reads a short sentence. */
const PACE = 0.8;

/** What kinds of notable steps are called. */
export const MARKS: Record<string, string> = {
  difference: "difference",
  visit: "visit of a node",
  save: "saved value",
  free: "freed value",
  write: "write in place",
  store: "gradient stored",
  backward: "backward pass",
  error: "error",
  pass: "end of a pass",
  drop: "operation left out",
  rewrite: "operation done in another way",
  fuse: "loop",
  keep: "array kept for backward",
  place: "array put into a buffer",
};

/** From one notable step of a kind to the next. */
export class Jumps {
  readonly elements: HTMLElement[];
  private readonly kind: HTMLSelectElement;
  private readonly stops = h("input", { type: "checkbox" });

  constructor(
    private readonly stepped: Stepped,
    private readonly marks: Record<string, number[]>,
  ) {
    const kinds = Object.keys(marks).map((kind) => h("option", { value: kind }, MARKS[kind] ?? kind));
    this.kind = h("select", { "aria-label": "Jump to" }, ...kinds);
    for (const kind of ["pass", "visit", "error", "difference"]) if (kind in marks) this.kind.value = kind;
    const buttons = h(
      "div",
      { class: "buttons", role: "group", "aria-label": "Jumps" },
      iconButton("previous", "Previous of this kind", () => this.go(-1)),
      h("label", {}, "jump", this.kind),
      iconButton("next", "Next of this kind", () => this.go(1)),
    );
    const title = "Playing stops at each step of the kind chosen beside “jump”";
    this.elements = kinds.length ? [buttons, h("label", { title }, this.stops, "stop there")] : [];
  }

  /** Whether whoever plays wants to rest at a step. */
  stopsAt(step: number): boolean {
    return this.stops.checked && this.steps.includes(step);
  }

  private get steps(): number[] {
    return this.marks[this.kind.value] ?? [];
  }

  go(way: 1 | -1): void {
    this.to(this.steps, way);
  }

  /** To the next or previous step of a kind, whichever is chosen. */
  goTo(kind: string, way: 1 | -1): void {
    this.to(this.marks[kind] ?? [], way);
  }

  private to(steps: readonly number[], way: 1 | -1): void {
    const step = neighbour(steps, this.stepped.step, way);
    if (step !== undefined) this.stepped.seek(step);
  }
}

/** The buttons that step, and playing. */
export class Controls {
  readonly elements: HTMLElement[];
  private readonly play = iconButton("play", "Play", () => this.toggle());
  private readonly speed: HTMLSelectElement;
  private timer: number | undefined;

  constructor(
    private readonly stepped: Stepped,
    private readonly jumps: Jumps,
  ) {
    const speeds = SPEEDS.map((x) => h("option", { value: x }, `${x}×`));
    this.speed = h("select", { "aria-label": "Speed", title: "Speed" }, ...speeds);
    this.speed.value = "1";
    const buttons = h(
      "div",
      { class: "buttons", role: "group", "aria-label": "Steps" },
      iconButton("first", "First step", () => stepped.seek(0)),
      iconButton("back", "Step back", () => stepped.seek(stepped.step - 1)),
      this.play,
      iconButton("forward", "Step forward", () => stepped.seek(stepped.step + 1)),
      iconButton("last", "Last step", () => stepped.seek(stepped.steps)),
    );
    this.elements = [buttons, this.speed];
  }

  get keys(): KeyRow[] {
    const { stepped, jumps } = this;
    const by = (steps: number) => (): void => stepped.seek(stepped.step + steps);
    return [
      ["→ ←", "one step forward, back", { ArrowRight: by(1), ArrowLeft: by(-1) }],
      ["Home End", "first, last step", { Home: () => stepped.seek(0), End: () => stepped.seek(stepped.steps) }],
      ["Space", "play, pause", { " ": () => this.toggle() }],
      ...(jumps.elements.length
        ? [["n N", "next, previous step of the kind chosen beside “jump”", { n: () => jumps.go(1), N: () => jumps.go(-1) }] as KeyRow]
        : []),
    ];
  }

  toggle(): void {
    if (this.timer !== undefined) this.pause();
    else {
      if (this.stepped.step === this.stepped.steps) this.stepped.seek(0);
      this.label("pause", "Pause");
      this.tick();
    }
  }

  pause(): void {
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
      if (!this.play.isConnected) return this.pause();
      const { stepped } = this;
      const before = stepped.step;
      stepped.seek(before + 1);
      const held = stepped.step === before; // by a question
      if (held || this.jumps.stopsAt(stepped.step) || stepped.step >= stepped.steps) this.pause();
      else this.tick();
    }, 1000 / (PACE * Number(this.speed.value)));
  }
}
