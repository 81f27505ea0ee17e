// Marks on a line that never melt: what would touch is bundled, and each kind in a bundle is counted.

/** Some marks that are drawn as one: where they begin and end, how many of each kind, and the box of their signs. */
export interface Bundle {
  from: number;
  to: number;
  counts: Map<string, number>;
  left: number;
  width: number;
}

/** The width of a sign, and of a digit; px. */
const [SIGN, DIGIT] = [9, 7];
/** No bundle is wider, so that it is seen where there are more of them. */
const MOST = 160;

/** The room for the sign of a kind, and for how many there are of it. */
export const room = (count: number): number => SIGN + (count > 1 ? 3 + DIGIT * String(count).length : 0);

/** Bundles of marks that are given by place and kind, in the order of places; none goes over one of the `edges`, nor beyond `width`. */
export function bundled(marks: readonly (readonly [number, string])[], edges: readonly number[], width = Infinity): Bundle[] {
  const found: Bundle[] = [];
  for (const [x, kind] of marks) {
    const last = found.at(-1);
    const near = last && x - SIGN / 2 < last.left + last.width && x - last.from < MOST;
    if (near && !edges.some((edge) => last.from < edge && edge <= x)) {
      last.to = x;
      last.counts.set(kind, (last.counts.get(kind) ?? 0) + 1);
      place(last, found.at(-2));
    } else {
      found.push({ from: x, to: x, counts: new Map([[kind, 1]]), left: 0, width: 0 });
      place(found.at(-1)!, last);
    }
  }
  let most = width + SIGN / 2; // a sign at the very end stands in the middle of it
  for (const bundle of [...found].reverse()) {
    bundle.left = Math.min(bundle.left, most - bundle.width);
    most = bundle.left;
  }
  return found;
}

/** Signs stand in the middle of their bundle, but not on those before. */
function place(bundle: Bundle, before: Bundle | undefined): void {
  bundle.width = [...bundle.counts.values()].reduce((sum, count) => sum + room(count), 0);
  const middle = (bundle.from + bundle.to - bundle.width) / 2;
  bundle.left = Math.max(middle, before ? before.left + before.width : -Infinity);
}

/** A box that is narrower than this is not hit, and one that is as wide as this has room for a count; px. */
const [NARROW, WIDE] = [6, 44];

/** Narrow neighbours together, until there is room for their count; `ends` has where each of them ends. */
export function cells(starts: readonly number[], ends: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  const isNarrow = (i: number): boolean => ends[i]! - starts[i]! < NARROW;
  starts.forEach((start, i) => {
    const last = found.at(-1);
    const joins = last && ends[last[1]] === start && isNarrow(i) && isNarrow(last[1]) && start - starts[last[0]]! < WIDE;
    if (joins) last[1] = i;
    else found.push([i, i]);
  });
  return found;
}
