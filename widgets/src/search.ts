// Finding parts by what they say.
import { type Film, lookAt, Part } from "./film";

/** Parts of some of a film's graphs that say `text`, whatever its case: those whose first line it is come first. */
export function search(film: Film, graphs: readonly number[], text: string): Part[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const { data, steps } = film;
  const found = new Map<string, { part: Part; rank: number }>();
  for (const each of graphs.flatMap((number) => data.graphs[number]!.parts)) {
    const part = new Part(each, data);
    const said = film.said(lookAt(part.track, steps)).toLowerCase();
    if (found.has(part.id) || part.isLine || part.kind === "opened" || !said.includes(wanted)) continue;
    const title = said.split("\n")[0]!;
    found.set(part.id, { part, rank: title === wanted ? 0 : title.startsWith(wanted) ? 1 : 2 });
  }
  return [...found.values()].sort((one, other) => one.rank - other.rank).map(({ part }) => part);
}
