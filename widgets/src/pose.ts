// How a part stands at any time between steps: pure functions of the film. Step k is the time from k - 1 to k.
import { type Film, lookAt, type Part } from "./film";

/** The name of a channel, then shares of the step in turn with the values there. */
export type Frames = [string, ...number[]];

/** Milliseconds that it wants to last, the share of the step at which the new look is put on, channels, what rides along. */
export type Manner = [number, number, Frames[], [number, Frames[]]?];

/** The place on its line where a part rests. */
const HOME = -1;

/** At rest a part has its look alone. */
export interface Pose {
  look: number;
  /** The look before, once the new one is put on. */
  before?: number | undefined;
  share?: number;
  manner?: Manner;
}

/** Slowly off, slowly in. */
const eased = (share: number): number => (share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2);

/** The value of a channel. */
export function valueAt(frames: Frames, share: number, home = HOME): number {
  const time = (i: number): number => frames[2 * i + 1] as number;
  const value = (i: number): number => (frames[2 * i + 2] === HOME ? home : (frames[2 * i + 2] as number));
  const count = (frames.length - 1) / 2;
  let after = 0;
  while (after < count && time(after) <= share) after++;
  if (after === 0 || after === count) return value(Math.max(0, after - 1));
  const part = (share - time(after - 1)) / (time(after) - time(after - 1));
  return value(after - 1) + (value(after) - value(after - 1)) * eased(part);
}

/** The place in its track of the change that a part goes through in a step, if it does. */
const changeIn = ({ track }: Part, step: number): number => {
  for (let i = 2; i < track.length; i += 2) if (track[i] === step) return i / 2;
  return 0;
};

/** The manner in which a part changes in a step, if it does. */
export function mannerOf(film: Film, part: Part, step: number): Manner | undefined {
  const change = changeIn(part, step);
  return change ? film.data.manners[part.moves[change - 1] ?? 0] : undefined;
}

export function poseAt(film: Film, part: Part, time: number): Pose {
  const step = Math.ceil(time);
  const look = lookAt(part.track, step);
  const manner = step === time ? undefined : mannerOf(film, part, step);
  if (!manner) return { look };
  const share = time - step + 1;
  const before = lookAt(part.track, step - 1);
  return share < manner[1] ? { look: before, share, manner } : { look, before, share, manner };
}

/** The steps in whose course something can stand otherwise, once the time is another; none, if that can be anything. */
export function between(from: number, to: number): number[] | undefined {
  const [low, high] = [Math.min(from, to), Math.max(from, to)].map(Math.ceil) as [number, number];
  return high - low > 1 ? undefined : low === high ? [low] : [low, high];
}
