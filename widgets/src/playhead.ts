// The one clock of a pane: a time between steps, which jumps, or glides to a step and can be interrupted.
import { calm } from "./dom";

/** At once it goes for so many milliseconds, which is enough for a step to have begun. */
const LEAST = 1e-3;

export class Playhead {
  time = 0;
  /** Where it is, or is on its way to. */
  private aim = 0;
  private frame = 0;

  /** `pace` says how many milliseconds a step lasts; `show` is called for each time, with the step that this leads to. */
  constructor(
    private readonly pace: (step: number) => number,
    private readonly show: (time: number, step: number) => void,
  ) {}

  jump(time: number): void {
    cancelAnimationFrame(this.frame);
    this.time = this.aim = time;
    this.show(time, Math.ceil(time));
  }

  /** Stay where it is now. */
  halt(): void {
    cancelAnimationFrame(this.frame);
    this.aim = this.time;
  }

  /** Go to a step, `rate` times as fast as the steps on the way want; what it was on its way to is skipped. */
  glide(step: number, rate = 1): void {
    if (calm() || document.hidden) return this.jump(step);
    if ((this.time - this.aim) * (step - this.time) < 0) this.time = this.aim;
    this.aim = step;
    cancelAnimationFrame(this.frame);
    const next = step < this.time ? Math.floor : Math.ceil;
    let last = performance.now();
    const go = (now: number): void => {
      const by = Math.max(LEAST, now - last) * rate; // the first time can be older than the key
      last = now;
      this.time = this.after(by);
      if (this.time === step) return this.jump(step);
      this.show(this.time, next(this.time));
      this.frame = requestAnimationFrame(go);
    };
    go(last);
  }

  /** The time after some milliseconds on the way; steps at which nothing is seen take none. */
  private after(left: number): number {
    let { time } = this;
    const way = Math.sign(this.aim - time);
    while (time !== this.aim) {
      const next = way > 0 ? Math.floor(time) + 1 : Math.ceil(time) - 1;
      const lasts = this.pace(Math.max(next, Math.ceil(time)));
      const needed = Math.abs(next - time) * lasts;
      if (needed > left) return time + (way * left) / lasts;
      left -= needed;
      time = next;
    }
    return time;
  }
}
