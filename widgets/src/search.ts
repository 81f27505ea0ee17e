// Finding parts by what they say, or by how they are: "saved", "freed", "failed".
import { type Film, lookAt, Part } from "./film";
import { kindName, stateOf } from "./names";

/** A part, and the step to go to, if it is only then as was asked for. */
export interface Found {
  part: Part;
  step?: number;
}

/** States are not looked for by fewer letters. */
const LEAST = 3;

/** Parts of some of a film's graphs that say `text`, whatever its case: those whose first line it is come first; then those that are so at some step. */
export function search(film: Film, graphs: readonly number[], text: string, now: number): Found[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const { data, steps } = film;
  const found = new Map<string, Found & { rank: number }>();
  for (const each of graphs.flatMap((number) => data.graphs[number]!.parts)) {
    const part = new Part(each, data);
    if (found.has(part.id) || part.isLine || ["opened", "reason"].includes(part.kind)) continue;
    const said = film.said(lookAt(part.track, steps)).toLowerCase();
    const title = said.split("\n")[0]!;
    const step = wanted.length < LEAST ? undefined : stepOf(film, part, wanted, now);
    const when = step === undefined || step === now ? { part } : { part, step };
    if (said.includes(wanted)) found.set(part.id, { ...when, rank: title === wanted ? 0 : title.startsWith(wanted) ? 1 : 2 });
    else if (step !== undefined) found.set(part.id, { ...when, rank: step === now ? 3 : 4 });
  }
  return [...found.values()].sort((one, other) => one.rank - other.rank);
}

/** This step, if a part is at it as `wanted` says, else the first at which it is; undefined if it never is. */
function stepOf(film: Film, part: Part, wanted: string, now: number): number | undefined {
  const isSo = (look: number): boolean => {
    const [, ...classes] = film.classes(look).split(" ");
    const words = [film.said(look), kindName(part.kind, classes), ...classes, ...stateOf(classes)];
    return film.isThere(look) && words.join("\n").toLowerCase().includes(wanted);
  };
  if (isSo(lookAt(part.track, now))) return now;
  const place = part.track.findIndex((look, i) => i % 2 === 1 && isSo(look));
  return place < 0 ? undefined : part.track[place - 1];
}
