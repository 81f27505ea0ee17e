// The one clock of a pane: a time between steps, which jumps, or glides to a step and can be interrupted.
import { calm } from "./dom";

/** At once it goes so little, which is enough for the step to have begun. */
const LEAST = 1e-6;

export class Playhead {
  time = 0;
  private frame = 0;

  /** `pace` says how many milliseconds a step lasts; `show` is called for each time, with the step that this leads to. */
  constructor(
    private readonly pace: (step: number) => number,
    private readonly show: (time: number, step: number) => void,
  ) {}

  jump(time: number): void {
    cancelAnimationFrame(this.frame);
    this.time = time;
    this.show(time, Math.ceil(time));
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
    const go = (now?: number): void => {
      const by = Math.max(LEAST, ((now ?? 0) - (last ?? now ?? 0)) / lasts); // the first time can be older than the key
      last = now;
      const left = step - this.time;
      if (Math.abs(left) <= by) return this.jump(step);
      this.time += Math.sign(left) * by;
      this.show(this.time, step);
      this.frame = requestAnimationFrame(go);
    };
    go();
  }
}
