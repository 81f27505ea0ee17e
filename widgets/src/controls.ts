// Going through steps: one at a time, by itself at a pace, or from one notable step to the next.
import { h, icon, iconButton } from "./dom";
import { neighbour } from "./film";
import type { KeyRow } from "./keys";

/** What can be gone through step by step. */
export interface Stepped {
  readonly step: number;
  readonly steps: number;
  /** Go to a step; to one beside, `rate` times as fast as it wants. */
  seek(step: number, rate?: number): void;
}

/** What can be played. */
export interface Paced extends Stepped {
  /** The milliseconds that a step wants to last: none, if nothing is seen of it. */
  pace(step: number): number;
  /** Whether the time has been left between the step before and this one. */
  readonly between?: boolean;
}

const SPEEDS = [0.5, 1, 2, 4, 8];
/** Milliseconds of rest after a step at speed 1, for its sentence to be read. */
const REST = 450;

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
    private readonly stepped: Paced,
    private readonly jumps: Jumps,
  ) {
    const speeds = SPEEDS.map((x) => h("option", { value: x }, `${x}×`));
    this.speed = h("select", { "aria-label": "Speed", title: "Speed" }, ...speeds);
    this.speed.value = "1";
    const buttons = h(
      "div",
      { class: "buttons", role: "group", "aria-label": "Steps" },
      iconButton("first", "First step", () => stepped.seek(0)),
      iconButton("back", "Step back", () => this.by(-1)),
      this.play,
      iconButton("forward", "Step forward", () => this.by(1)),
      iconButton("last", "Last step", () => stepped.seek(stepped.steps)),
    );
    this.elements = [buttons, this.speed];
  }

  get keys(): KeyRow[] {
    const { stepped, jumps } = this;
    const by = (way: 1 | -1) => (): void => this.by(way);
    return [
      ["→ ←", "one step forward, back", { ArrowRight: by(1), ArrowLeft: by(-1) }],
      ["Home End", "first, last step", { Home: () => stepped.seek(0), End: () => stepped.seek(stepped.steps) }],
      ["Space", "play, pause", { " ": () => this.toggle() }],
      ...(jumps.elements.length
        ? [["n N", "next, previous step of the kind chosen beside “jump”", { n: () => jumps.go(1), N: () => jumps.go(-1) }] as KeyRow]
        : []),
    ];
  }

  /** To the step before or after the time that there is. */
  private by(way: 1 | -1): void {
    this.stepped.seek(this.stepped.between && way === 1 ? this.stepped.step : this.stepped.step + way);
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
    const { stepped } = this;
    const rate = Number(this.speed.value);
    const before = stepped.step;
    stepped.seek(before + 1, rate);
    const held = stepped.step === before; // by a question
    if (held || this.jumps.stopsAt(stepped.step) || stepped.step >= stepped.steps) return this.pause();
    const pace = stepped.pace(stepped.step);
    this.timer = window.setTimeout(() => (this.play.isConnected ? this.tick() : this.pause()), pace && (pace + REST) / rate);
  }
}
