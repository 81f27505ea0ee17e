// The one clock of a pane: a time between steps, which jumps, or glides to a step and can be interrupted.
import { calm } from "./dom";

export class Playhead {
  time = 0;
  private frame = 0;

  /** `pace` says how many milliseconds a step lasts; `show` is called for each time. */
  constructor(
    private readonly pace: (step: number) => number,
    private readonly show: (time: number) => void,
  ) {}

  jump(time: number): void {
    cancelAnimationFrame(this.frame);
    this.time = time;
    this.show(time);
  }

  /** Go to a step within a step's time, `rate` times as fast as it wants; from farther away, jump to where it begins. */
  glide(step: number, rate = 1): void {
    const far = this.time - step;
    if (calm() || document.hidden) return this.jump(step);
    if (Math.abs(far) > 1) this.time = step + Math.sign(far);
    const lasts = this.pace(Math.max(step, Math.ceil(this.time))) / rate;
    if (!lasts || this.time === step) return this.jump(step);
    cancelAnimationFrame(this.frame);
    let last: number | undefined;
    const go = (now: number): void => {
      const by = Math.max(0, now - (last ?? now)) / lasts; // the first time can be older than the key
      last = now;
      const left = step - this.time;
      if (Math.abs(left) <= by) return this.jump(step);
      this.time += Math.sign(left) * by;
      this.show(this.time);
      this.frame = requestAnimationFrame(go);
    };
    this.frame = requestAnimationFrame(go);
  }
}
