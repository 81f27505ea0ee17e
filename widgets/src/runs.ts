// Many runs of a program as one film: that of its own run, and its variants in the others.
import type { FilmData } from "./film";

/** What there is at some place of a film, and for each run which of that it has; -1 where a run has no such place. */
type Column = [unknown[], number[]];

/** The film of one run. */
export interface RunData extends FilmData {
  /** By axis: the tensor that is varied, if there is one. */
  leaves: string[];
  /** What happens at each step, by a number that is the same in all runs. */
  events: number[];
}

export interface RunsData extends RunData {
  /** Where runs differ, and in which column it stands what they have there: pieces before what is in them. */
  variants: [(string | number)[], number][];
  columns: Column[];
  vary: {
    /** The name of each number that is varied, and its values. */
    axes: string[][];
    /** By run: which value each axis has. The first is the program's own. */
    runs: number[][];
  };
}

type Tree = Record<string | number, unknown>;

/** The film of a run. */
export function filmOf({ variants, columns, vary: _, ...home }: RunsData, run: number): RunData {
  const film = structuredClone(home) as unknown as Tree;
  for (const [path, column] of variants) {
    const [found, which] = columns[column]!;
    const it = found[which[run]!];
    if (it === undefined) continue;
    const inside = path.slice(0, -1).reduce((tree, key) => tree[key] as Tree, film);
    inside[path.at(-1)!] = structuredClone(it);
  }
  return film as unknown as RunData;
}

/** The run in which an axis has a value, or the nearest that there is, and which is else as much as possible like another run. */
export function runWith(runs: readonly number[][], axis: number, value: number, like: number): number {
  const before = runs[like]!;
  const far = (run: readonly number[]): number =>
    1000 * Math.abs(run[axis]! - value) + run.filter((place, i) => i !== axis && place !== before[i]).length;
  return runs.reduce((best, run, number) => (far(run) < far(runs[best]!) ? number : best), 0);
}

/** The step of another run that shows the same moment, or the last thing ahead of it that is in both; the end for the end. */
export function counterpart(step: number, before: readonly number[], after: readonly number[]): number {
  if (step >= before.length) return after.length;
  const places = new Map(after.map((event, i) => [event, i + 1]));
  const common = before.slice(0, step).filter((event) => places.has(event));
  return places.get(common.at(-1)!) ?? 0;
}
