// How far one goes in one go: from stop to stop at a grain, an event or a whole pass.
import { h } from "./dom";
import { said, t, type Words } from "./language";

/** Its name, how much faster than it wants it is played, and the milliseconds of its longest stretch and of a rest. */
export type Grain = [name: string, fast: number, longest: number, rest: number];

const PACES: Words = { event: "by change", node: "by node", line: "by line", module: "by module", pass: "by pass", step: "by step" };

/** What one goes through from stop to stop. */
export interface Halting {
  readonly steps: number;
  readonly grains: readonly Grain[];
  /** The number of the grain that suits what is in sight. */
  readonly usual: number;
  /** The steps to halt at. */
  stops(grain: number): readonly number[];
  /** The milliseconds that a step wants to last: none, if nothing is seen of it. */
  pace(step: number): number;
}

/** Steps of which each is told by how many it is after the one before. */
export function summed(gaps: readonly number[]): number[] {
  let step = 0;
  return gaps.map((gap) => (step += gap));
}

/** The next (`way` 1) or previous (-1) stop, seen from a time; where there is none, the end or the beginning. */
export function stopFrom(stops: readonly number[], time: number, way: 1 | -1, steps: number): number {
  return way === 1 ? (stops.find((stop) => stop > time) ?? steps) : (stops.filter((stop) => stop < time).at(-1) ?? 0);
}

/** How the way from one step to another is gone: how many times as fast as it wants, and the milliseconds it takes. */
export function stretch({ pace }: Pick<Halting, "pace">, [, fast, longest]: Grain, from: number, to: number): { rate: number; lasts: number } {
  let length = 0;
  for (let step = Math.min(from, to) + 1; step <= Math.max(from, to); step++) length += pace(step);
  const rate = Math.max(fast, length / longest);
  return { rate, lasts: length / rate };
}

/** The choice of a grain, which is what suits the picture until somebody chooses. */
export class Grains {
  readonly pieces: HTMLElement[];
  private readonly select: HTMLSelectElement;
  private chosen: number | undefined;

  constructor(private readonly film: Halting) {
    const options = film.grains.map(([name], i) => h("option", { value: i }, said(PACES[name] ?? name)));
    const title = t`How far one key, or one breath of playing, goes (g, G)`;
    this.select = h("select", { "aria-label": t`Grain`, title, onchange: () => this.choose(Number(this.select.value)) }, ...options);
    this.pieces = options.length > 1 ? [this.select] : [];
    this.show();
  }

  private get number(): number {
    return this.chosen ?? this.film.usual;
  }

  get grain(): Grain {
    return this.film.grains[this.number]!;
  }

  private choose(number: number): void {
    this.chosen = Math.min(Math.max(0, number), this.film.grains.length - 1);
    this.show();
  }

  /** Have the choice of another film. */
  takeOver({ film, chosen }: Grains): void {
    const number = this.film.grains.findIndex(([name]) => chosen !== undefined && name === film.grains[chosen]![0]);
    if (number >= 0) this.choose(number);
  }

  /** The next coarser (`way` 1) or finer (-1) grain. */
  turn(way: 1 | -1): void {
    this.choose(this.number + way);
  }

  /** Say which it is. */
  show(): void {
    this.select.value = String(this.number);
  }

  next(time: number, way: 1 | -1): number {
    return stopFrom(this.film.stops(this.number), time, way, this.film.steps);
  }

  stretch(from: number, to: number): { rate: number; lasts: number } {
    return stretch(this.film, this.grain, from, to);
  }
}
