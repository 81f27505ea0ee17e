import { describe, expect, it } from "vitest";
import { counterpart, filmOf, type RunsData, runWith } from "../src/runs";

const data = {
  title: "a film",
  captions: ["c = 5", "done"],
  graphs: [{ view: "engine", parts: [["b0", 0]] }],
  variants: [[["captions", 0], 0], [["graphs", 0, "parts"], 1], [["graphs", 0, "parts", 0, 1], 2]],
  columns: [
    [["c = 5", "c = 6"], [0, 1, 0]],
    [[[["b0", 0]], []], [0, 0, 1]],
    [[0, 7], [0, 1, -1]],
  ],
  vary: { axes: [["a", "1.0", "2.0", "3.0"]], runs: [[1], [2], [0]] },
} as unknown as RunsData;

describe("the film of a run", () => {
  it("has at every place what the run has there", () => {
    const { captions, graphs } = filmOf(data, 1);
    expect(captions).toEqual(["c = 6", "done"]);
    expect(graphs[0]!.parts).toEqual([["b0", 7]]);
  });

  it("has whole pieces where runs part, and leaves out what is not in them", () => {
    expect(filmOf(data, 2).graphs[0]!.parts).toEqual([]);
  });

  it("is one of its own: others, and the first, stay as they were", () => {
    filmOf(data, 1).graphs[0]!.parts[0]![1] = "changed";
    expect(filmOf(data, 1).graphs[0]!.parts).toEqual([["b0", 7]]);
    expect(filmOf(data, 0).graphs[0]!.parts).toEqual([["b0", 0]]);
    expect(filmOf(data, 0)).not.toHaveProperty("variants");
  });
});

describe("the run for a value", () => {
  const [home, otherA, otherB, both] = [[1, 1], [0, 1], [1, 0], [0, 0]];

  it("keeps the other numbers where they are, if there is such a run", () => {
    expect(runWith([home!, otherA!, otherB!, both!], 0, 0, 2)).toBe(3);
  });

  it("has them as in the program, if there is not", () => {
    expect(runWith([home!, otherA!, otherB!], 0, 0, 2)).toBe(1);
  });

  it("is the nearest that there is, if none has the value", () => {
    expect(runWith([[5], [0], [9]], 0, 8, 0)).toBe(2);
  });
});

describe("the same moment in another run", () => {
  it("is where the same thing has just happened, or the last thing before it that is in both", () => {
    const [one, other] = [[1, 2, 3, 4], [1, 7, 8, 2, 4]];
    expect([0, 1, 2, 3].map((step) => counterpart(step, one, other))).toEqual([0, 1, 4, 4]);
  });

  it("is the end for the end", () => {
    expect(counterpart(2, [1, 2], [1, 2, 3])).toBe(3);
  });
});
