// Which of a film's graphs is shown: in this view the finest that can be read as a whole, and cards opened in it.
import type { GraphData } from "./film";

export interface Size {
  width: number;
  height: number;
}

/** So much room is left around all of a graph and its rim, px. */
export const ROOM = 6;
/** The scale at which all of a graph, and some room around it, is in a pane. */
export const scaleIn = ({ bounds: { width, height } }: GraphData, pane: Size): number =>
  Math.min(pane.width / (width + 2 * ROOM), pane.height / (height + 2 * ROOM));

/** Numbers of the graphs of a view in which nothing is opened, the finest first. */
export function bases(graphs: readonly GraphData[], view: string): number[] {
  return [...graphs.keys()].filter((number) => graphs[number]!.view === view && !graphs[number]!.opened);
}

/** The number of the graph for a pane: the finest that can be read there, so much enlarged, else the one that comes nearest to that. */
export function baseFor(graphs: readonly GraphData[], view: string, pane: Size, enlarged = 1): number {
  const [first = 0, ...others] = bases(graphs, view);
  if (!pane.width || !pane.height) return first;
  const scale = (number: number): number => scaleIn(graphs[number]!, pane);
  const found = [first, ...others].find((number) => scale(number) >= graphs[number]!.least * enlarged);
  return found ?? others.reduce((best, number) => (scale(number) > scale(best) ? number : best), first);
}

/** The cards that are open in a graph, the outermost first. */
export function openIn(graphs: readonly GraphData[], number: number): string[] {
  const { opened } = graphs[number]!;
  return opened ? [...openIn(graphs, opened[1]), opened[0]] : [];
}

/** The graph in which these cards are open, as far as they can be opened from another. */
export function opening(graphs: readonly GraphData[], number: number, cards: readonly string[]): number {
  return cards.reduce((now, card) => graphs[now]!.opens[card] ?? now, number);
}

/** All graphs that can be come to from one by opening and closing: that first. */
export function reachable(graphs: readonly GraphData[], number: number): number[] {
  const found = new Set([number]);
  for (const each of found) {
    const { opens, opened } = graphs[each]!;
    for (const next of [...Object.values(opens), ...(opened ? [opened[1]] : [])]) found.add(next);
  }
  return [...found];
}
