// Which stretch of a film a timeline shows, all of it at first, and where times are in it, in pixels.
import { shifted, within } from "./camera";

/** Nobody wants to see fewer steps than this. */
const LEAST = 4;

export class Span {
  from = 0;
  length: number;
  /** The room that there is, px. */
  width = 0;

  constructor(readonly steps: number) {
    this.length = steps;
  }

  get to(): number {
    return this.from + this.length;
  }

  get isWhole(): boolean {
    return this.length >= this.steps;
  }

  x(time: number): number {
    return this.length ? (this.width * (time - this.from)) / this.length : 0;
  }

  time(x: number): number {
    return this.width ? this.from + (this.length * x) / this.width : 0;
  }

  /** Show fewer steps by a factor, with some time where it is; by none, all of them. */
  zoom(factor: number, time: number): void {
    if (!this.steps) return;
    const length = Math.min(this.steps, Math.max(this.length / factor, LEAST));
    const share = (time - this.from) / this.length;
    this.length = length;
    this.begin(time - share * length);
  }

  /** Show what is so many pixels later. */
  pan(by: number): void {
    this.begin(this.time(by));
  }

  /** Have a time in sight; says whether it was not. */
  reveal(time: number): boolean {
    const before = this.from;
    if (!this.isWhole) this.begin(shifted(this.from, this.length, time, time));
    return this.from !== before;
  }

  private begin(from: number): void {
    this.from = within(from, this.length, 0, this.steps);
  }
}
