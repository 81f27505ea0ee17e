// Going through steps: one at a time, by itself at a pace, or from one notable step to the next.
import { h, icon, iconButton, set } from "./dom";
import { neighbour } from "./film";
import { Grains, type Halting } from "./grains";
import type { KeyRow } from "./keys";
import { t } from "./language";
import { called } from "./signs";

/** What can be gone through step by step. */
export interface Stepped {
  readonly step: number;
  readonly steps: number;
  /** Go to a step; to one beside, or if it `glides`, `rate` times as fast as it wants. */
  seek(step: number, rate?: number, glides?: boolean): void;
}

/** What can be played. */
export interface Paced extends Stepped, Halting {
  /** Stay where it is on its way. */
  halt?(): void;
  /** Whether the time has been left between the step before and this one. */
  readonly between?: boolean;
}

const SPEEDS = [0.5, 1, 2, 4, 8];

/** From one notable step of a kind to the next. */
export class Jumps {
  readonly pieces: HTMLElement[];
  private readonly kind: HTMLSelectElement;
  private readonly stops = h("input", { type: "checkbox" });

  constructor(
    private readonly stepped: Stepped,
    private readonly marks: Record<string, number[]>,
  ) {
    const kinds = Object.keys(marks).map((kind) => h("option", { value: kind }, called(kind)));
    this.kind = h("select", { "aria-label": t`Jump to` }, ...kinds);
    for (const kind of ["pass", "visit", "error", "difference"]) if (kind in marks) this.kind.value = kind;
    const buttons = h(
      "div",
      { class: "buttons", role: "group", "aria-label": t`Jumps` },
      iconButton("previous", t`Previous of this kind`, () => this.go(-1)),
      h("label", {}, t`jump`, this.kind),
      iconButton("next", t`Next of this kind`, () => this.go(1)),
    );
    const title = t`Playing stops at each step of the kind chosen beside “jump”`;
    this.pieces = kinds.length ? [buttons, h("label", { title }, this.stops, t`stop there`)] : [];
  }

  /** Whether whoever plays wants to rest at a step. */
  stopsAt(step: number): boolean {
    return this.stops.checked && this.steps.includes(step);
  }

  /** The first step of some after another that whoever plays wants to rest at; else the last one of them. */
  before(step: number, last: number): number {
    const wanted = this.stops.checked ? neighbour(this.steps, step, 1) : undefined;
    return Math.min(wanted ?? last, last);
  }

  private get steps(): number[] {
    return this.marks[this.kind.value] ?? [];
  }

  go(way: 1 | -1): void {
    this.to(this.steps, way);
  }

  /** Have the choices of others, as far as they can be had here. */
  takeOver({ kind, stops }: Jumps): void {
    if (kind.value in this.marks) this.kind.value = kind.value;
    this.stops.checked = stops.checked;
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
  readonly pieces: HTMLElement[];
  private readonly play = iconButton("play", t`Play`, () => this.toggle());
  private readonly speed: HTMLSelectElement;
  private readonly grains: Grains;
  private timer: number | undefined;

  constructor(
    private readonly stepped: Paced,
    private readonly jumps: Jumps,
  ) {
    const speeds = SPEEDS.map((x) => h("option", { value: x }, `${x}×`));
    this.speed = h("select", { "aria-label": t`Speed`, title: t`Speed` }, ...speeds);
    this.speed.value = "1";
    const buttons = h(
      "div",
      { class: "buttons", role: "group", "aria-label": t`Steps` },
      iconButton("first", t`First step`, () => this.stepped.seek(0)),
      iconButton("back", t`Step back`, () => this.by(-1)),
      this.play,
      iconButton("forward", t`Step forward`, () => this.by(1)),
      iconButton("last", t`Last step`, () => this.stepped.seek(this.stepped.steps)),
    );
    this.grains = new Grains(this.stepped);
    this.pieces = [buttons, ...this.grains.pieces, this.speed];
  }

  get keys(): KeyRow[] {
    const { jumps } = this;
    const by = (way: 1 | -1) => (): void => this.by(way);
    const step = (way: 1 | -1) => (): void => this.step(way);
    const turn = (way: 1 | -1) => (): void => this.grains.turn(way);
    const finest: KeyRow = [t`Shift → ←`, t`one step forward, back`, { "Shift+ArrowRight": step(1), "Shift+ArrowLeft": step(-1) }];
    const grains: KeyRow[] = [finest, ["g G", t`go farther at a time; less far`, { g: turn(1), G: turn(-1) }]];
    return [
      ["→ ←", t`forward, back to the next stop`, { ArrowRight: by(1), ArrowLeft: by(-1) }],
      ...(this.grains.pieces.length ? grains : []),
      [t`Home End`, t`first, last step`, { Home: () => this.stepped.seek(0), End: () => this.stepped.seek(this.stepped.steps) }],
      [t`Space`, t`play, pause`, { " ": () => this.toggle() }],
      ...(jumps.pieces.length
        ? [["n N", t`next, previous step of the kind chosen beside “jump”`, { n: () => jumps.go(1), N: () => jumps.go(-1) }] as KeyRow]
        : []),
    ];
  }

  /** To the step before or after the time that there is. */
  private step(way: 1 | -1): void {
    this.stepped.seek(this.stepped.between && way === 1 ? this.stepped.step : this.stepped.step + way);
  }

  /** To the stop before or after. */
  private by(way: 1 | -1): void {
    const to = this.grains.next(this.time, way);
    this.stepped.seek(to, this.grains.stretch(this.stepped.step, to).rate, true);
  }

  /** A time at which the picture is as it is, as far as stops are concerned. */
  private get time(): number {
    return this.stepped.step - (this.stepped.between ? 0.5 : 0);
  }

  /** There may be another picture, for which another grain is usual. */
  turned(): void {
    this.grains.show();
  }

  /** Go as far at a time and as fast as others, and stop where they do. */
  takeOver({ grains, speed, jumps }: Controls): void {
    this.grains.takeOver(grains);
    this.speed.value = speed.value;
    this.jumps.takeOver(jumps);
  }

  toggle(): void {
    if (this.timer !== undefined) {
      this.pause();
      this.stepped.halt?.();
    } else {
      if (this.stepped.step === this.stepped.steps) this.stepped.seek(0);
      this.label("pause", t`Pause`);
      this.tick();
    }
  }

  pause(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.label("play", t`Play`);
  }

  private label(picture: string, label: string): void {
    this.play.replaceChildren(icon(picture));
    set(this.play, "aria-label", label);
    this.play.title = label;
  }

  private tick(): void {
    const { time } = this;
    const speed = Number(this.speed.value);
    const to = this.jumps.before(this.stepped.step, this.grains.next(time, 1));
    const { rate, lasts } = this.grains.stretch(Math.floor(time), to);
    this.stepped.seek(to, rate * speed, true);
    if (this.stepped.step === Math.floor(time)) return this.pause(); // a question holds it
    const rest = lasts && this.grains.grain[3];
    this.timer = window.setTimeout(() => this.goOn(), (lasts + rest) / speed);
  }

  private goOn(): void {
    const { step, steps } = this.stepped;
    if (!this.play.isConnected || step >= steps || this.jumps.stopsAt(step)) this.pause();
    else this.tick();
  }
}
