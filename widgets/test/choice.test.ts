import { describe, expect, it } from "vitest";
import { baseFor, bases, openIn, opening, reachable, scaleIn } from "../src/choice";
import type { GraphData } from "../src/film";

const graph = (view: string, width: number, height: number, more: Partial<GraphData> = {}): GraphData => ({
  view,
  bounds: { x: -4, y: -4, width: width + 8, height: height + 8 }, // with its rim
  least: 1,
  parts: [],
  opens: {},
  notices: [],
  stops: [],
  grain: 0,
  ...more,
});

/** Two bases of the engine view, the coarse one with a card that opens, and in there another; one base of the maths view. */
const graphs = [
  graph("engine", 1600, 900),
  graph("engine", 400, 300, { opens: { o5: 3 } }),
  graph("maths", 300, 300),
  graph("engine", 900, 600, { opened: ["o5", 1], opens: { o7: 4 } }),
  graph("engine", 990, 600, { opened: ["o7", 3] }),
];
const pane = (width: number, height: number): { width: number; height: number } => ({ width, height });

describe("the graph for a pane", () => {
  it("is the finest that can be read there as a whole", () => {
    expect(baseFor(graphs, "engine", pane(1620, 920))).toBe(0);
    expect(baseFor(graphs, "engine", pane(1619, 920))).toBe(1);
    expect(baseFor(graphs, "engine", pane(420, 320))).toBe(1);
  });

  it("is the one that is seen largest where none can be read", () => {
    for (const [width, height] of [[419, 320], [90, 800], [1500, 20]] as const) {
      const found = baseFor(graphs, "engine", pane(width, height));
      const scales = bases(graphs, "engine").map((number) => scaleIn(graphs[number]!, pane(width, height)));
      expect(scaleIn(graphs[found]!, pane(width, height))).toBe(Math.max(...scales));
    }
  });

  it("is of the view that is asked for, and nothing is open in it", () => {
    expect(bases(graphs, "engine")).toEqual([0, 1]);
    expect(baseFor(graphs, "maths", pane(10, 10))).toBe(2);
  });

  it("is the finest as long as there is no pane", () => {
    expect(baseFor(graphs, "engine", pane(0, 0))).toBe(0);
  });

  it("may be shrunk as far as it can still be read", () => {
    const small = [graph("engine", 1000, 1000, { least: 0.5 }), graph("engine", 100, 100)];
    expect([510, 509].map((side) => baseFor(small, "engine", pane(side, side)))).toEqual([0, 1]);
  });
});

describe("opening cards", () => {
  it("tells which are open, the outermost first", () => {
    expect([0, 1, 3, 4].map((number) => openIn(graphs, number))).toEqual([[], [], ["o5"], ["o5", "o7"]]);
  });

  it("leads to the same cards open from any base, as far as they are there", () => {
    expect(opening(graphs, 1, ["o5", "o7"])).toBe(4);
    expect(opening(graphs, 1, ["o9", "o5"])).toBe(3);
    expect(opening(graphs, 2, ["o5"])).toBe(2);
  });

  it("leads to all graphs from which one can come back", () => {
    expect(reachable(graphs, 1)).toEqual([1, 3, 4]);
    expect(reachable(graphs, 4)).toEqual([4, 3, 1]);
    expect(reachable(graphs, 0)).toEqual([0]);
  });
});
