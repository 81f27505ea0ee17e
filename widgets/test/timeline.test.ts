import { describe, expect, it } from "vitest";
import { bundled, cells } from "../src/bundles";
import { Span } from "../src/span";

/** So many places, each with a kind, that look random and are always the same. */
const places = (count: number, width: number): [number, string][] =>
  Array.from({ length: count }, (_, i) => [(width * ((i * 7919) % 104729)) / 104729, ["save", "free"][i % 2]!] as [number, string]).sort(
    ([one], [other]) => one - other,
  );

describe("marks of a timeline", () => {
  it("stand by themselves as long as there is room for each", () => {
    const found = bundled([[0, "save"], [20, "save"], [40, "free"]], []);
    expect(found.map(({ from, to }) => [from, to])).toEqual([[0, 0], [20, 20], [40, 40]]);
  });

  it("are bundled and counted where they would touch", () => {
    const [first, ...others] = bundled([[100, "save"], [103, "free"], [105, "save"], [300, "save"]], []);
    expect([first!.from, first!.to, Object.fromEntries(first!.counts)]).toEqual([100, 105, { save: 2, free: 1 }]);
    expect(others.length).toBe(1);
  });

  it("never touch, however many there are, and none is lost", () => {
    for (let count = 1; count < 3000; count = Math.ceil(count * 1.7)) {
      const found = bundled(places(count, 800), [90, 400, 401]);
      for (const [i, bundle] of found.entries()) {
        if (i) expect(bundle.left).toBeGreaterThanOrEqual(found[i - 1]!.left + found[i - 1]!.width);
        expect(bundle.to - bundle.from).toBeLessThan(160);
      }
      expect(found.flatMap(({ counts }) => [...counts.values()]).reduce((sum, each) => sum + each)).toBe(count);
    }
  });

  it("stay within the line, however many there are at its end", () => {
    const found = bundled([[700, "save"], ...places(400, 40).map(([x, kind]) => [760 + x, kind] as [number, string])], [780, 790], 800);
    for (const [i, { left, width }] of found.entries()) {
      expect(left + width).toBeLessThanOrEqual(found[i + 1]?.left ?? 805);
    }
  });

  it("are not bundled over the end of a phase", () => {
    expect(bundled([[98, "save"], [101, "free"]], [100]).length).toBe(2);
  });
});

describe("visits of nodes on a timeline", () => {
  it("have a box each that can be hit, or one for several neighbours", () => {
    expect(cells([0, 10, 12, 14, 16], [10, 12, 14, 16, 40])).toEqual([[0, 0], [1, 3], [4, 4]]);
  });

  it("are no more in a box than it takes to have room for their count", () => {
    const starts = Array.from({ length: 100 }, (_, i) => 2 * i);
    const found = cells(starts, starts.map((start) => start + 2));
    expect(new Set(found.slice(0, -1).map(([first, last]) => last - first + 1))).toEqual(new Set([22]));
    expect(found.at(-1)![1]).toBe(99);
  });

  it("are not put together over what is between two passes", () => {
    expect(cells([0, 2, 10, 12], [2, 4, 12, 14])).toEqual([[0, 1], [2, 3]]);
  });
});

describe("the stretch that a timeline shows", () => {
  const span = (): Span => Object.assign(new Span(100), { width: 1000 });

  it("keeps what one points at where it is, as one comes closer", () => {
    const seen = span();
    const before = seen.x(30);
    seen.zoom(5, 30);
    expect(seen.x(30)).toBeCloseTo(before);
    expect(seen.length).toBe(20);
    expect(seen.time(seen.x(37))).toBeCloseTo(37);
  });

  it("is never beyond the steps that there are, nor nothing", () => {
    const seen = span();
    seen.zoom(1000, 99);
    expect([seen.length, seen.to <= 100]).toEqual([4, true]);
    seen.pan(1e6);
    expect(seen.to).toBe(100);
    seen.pan(-1e6);
    expect(seen.from).toBe(0);
    seen.zoom(0, 50);
    expect([seen.from, seen.to, seen.isWhole]).toEqual([0, 100, true]);
  });

  it("goes to where a step is, once that is out of sight", () => {
    const seen = span();
    seen.zoom(10, 0);
    expect([seen.reveal(5), seen.from]).toEqual([false, 0]);
    expect(seen.reveal(60)).toBe(true);
    expect(seen.from < 60 && 60 < seen.to).toBe(true);
  });

  it("of nothing is nothing", () => {
    const seen = new Span(0);
    seen.zoom(2, 0);
    expect([seen.x(0), seen.time(10), seen.isWhole]).toEqual([0, 0, true]);
  });
});
