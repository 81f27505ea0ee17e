// The data of two films that are compared, and what it says of a beat. At each beat both films take a step, or one waits.
import { at, type Changes, type FilmData } from "./film";
import type { Grain } from "./grains";

export type Side = 0 | 1;
export const SIDES: readonly Side[] = [0, 1];

/** Side, ids of parts, whether they are only there, first beat, end if there is one, and what differs in words. */
export type MarkData = [Side, string[], boolean, number, number | null, string];

export interface PairData {
  /** How iterations are counted, where there are any. */
  counted: string;
  title: string;
  films: [FilmData, FilmData];
  beats: [number, number][];
  linked: string;
  partners: Record<string, string>;
  differences: [number, string][];
  marks: MarkData[];
}

export class Pair {
  private readonly firsts: [number[], number[]] = [[], []];
  private readonly partners: [Map<string, string>, Map<string, string>];

  constructor(readonly data: PairData) {
    data.beats.forEach((steps, beat) => SIDES.forEach((side) => (this.firsts[side][steps[side]] ??= beat)));
    const pairs = Object.entries(data.partners);
    this.partners = [new Map(pairs), new Map(pairs.map(([a, b]) => [b, a]))];
  }

  /** How many beats there are after the first one. */
  get beats(): number {
    return this.data.beats.length - 1;
  }

  /** The step of a side at a beat. */
  step(side: Side, beat: number): number {
    return this.data.beats[beat]![side];
  }

  /** The beat at which a side takes a step. */
  beat(side: Side, step: number): number {
    const known = this.firsts[side];
    return known[Math.min(known.length - 1, Math.max(0, step))]!;
  }

  /** What a side does at a beat: the same as the other, a step that only it takes, or nothing, any more or for now. */
  move(side: Side, beat: number): "linked" | "alone" | "waits" | "ended" {
    if (beat === 0 || this.data.linked[beat] === "1") return "linked";
    const step = this.step(side, beat);
    if (this.firsts[side][step] === beat) return "alone";
    return step === this.data.films[side].steps ? "ended" : "waits";
  }

  /** Whether a side takes a step at a beat. */
  isMoving(side: Side, beat: number): boolean {
    return ["linked", "alone"].includes(this.move(side, beat));
  }

  /** The time of a side at a time between beats: it stands still in a beat in which it takes no step. */
  time(side: Side, time: number): number {
    const beat = Math.ceil(time);
    return this.step(side, beat) - (this.isMoving(side, beat) ? beat - time : 0);
  }

  /** What changes from step to step of a side, told by beats. */
  inBeats<T>(side: Side, changes: Changes<T>): Changes<T> {
    return changes.map(([step, ...value]) => [this.beat(side, step), ...value]);
  }

  /** The part of the other side that says the same; parts that hang on another go with that one. */
  partner(side: Side, part: string): string | undefined {
    const known = this.partners[side];
    const [owner, ...rest] = part.split(".");
    const partner = known.get(part) ?? known.get(owner!);
    if (partner === undefined || known.has(part) || !rest.length) return partner;
    return [partner, ...rest].join(".");
  }

  /** Steps worth a jump, by kind: those of both sides, after the differences. */
  get marks(): Record<string, number[]> {
    const found: Record<string, Set<number>> = {};
    const add = (kind: string, beat: number): void => void (found[kind] ??= new Set()).add(beat);
    for (const [beat] of this.data.differences) add("difference", beat);
    for (const side of SIDES) {
      for (const [kind, steps] of Object.entries(this.data.films[side].marks)) {
        for (const step of steps) add(kind, this.beat(side, step));
      }
    }
    return Object.fromEntries(Object.entries(found).map(([kind, beats]) => [kind, [...beats].sort((a, b) => a - b)]));
  }

  /** How far one can go at a time in either film, beyond a single event: the finest first. */
  get grains(): Grain[] {
    const [first, second] = this.data.films.map(({ grains }) => grains.slice(1)) as [Grain[], Grain[]];
    const known = first.map(([name]) => name);
    return [...first, ...second.filter(([name]) => !known.includes(name))].sort((one, other) => one[1] - other[1]);
  }

  /** The beats at which one halts at a grain, given the steps of each side at one of its own: the coarsest that is no coarser. */
  stops(grain: number, own: (side: Side, grain: number) => readonly number[]): number[] {
    const [, fast] = this.grains[grain]!;
    const beats = SIDES.flatMap((side) => {
      const fitting = this.data.films[side].grains.filter((each) => each[1] <= fast).length;
      return own(side, Math.max(0, fitting - 1)).map((step) => this.beat(side, step));
    });
    return [...new Set(beats)].sort((a, b) => a - b);
  }

  phase(side: Side, beat: number): string {
    return at(this.data.films[side].phases, this.step(side, beat));
  }
}
