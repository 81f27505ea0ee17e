import { describe, expect, it } from "vitest";
import { type FilmData, SCHEMA } from "../src/film";
import { Pair, type PairData } from "../src/pair";

const film = (steps: number, marks: Record<string, number[]> = {}): FilmData =>
  ({ schema: SCHEMA, steps, marks, phases: [[0, "before"], [2, "forward"]] }) as unknown as FilmData;

/** The first takes a step alone at beat 2, the second at beats 4 and 5, after the first has ended. */
const data: PairData = {
  counted: "",
  title: "both",
  films: [film(3, { save: [2, 3] }), film(4, { save: [2] })],
  beats: [[0, 0], [1, 1], [2, 1], [3, 2], [3, 3], [3, 4]],
  linked: ".1.1..",
  partners: { o0: "o1", "o0.s0": "o1.s1", b0: "b0" },
  differences: [[2, "one"], [2, "two"], [4, "three"]],
  marks: [],
};

describe("a pair of films", () => {
  const pair = new Pair(data);

  it("finds the beat of each step, and the step at each beat", () => {
    expect([0, 1, 2, 3].map((step) => pair.beat(0, step))).toEqual([0, 1, 2, 3]);
    expect([0, 1, 2, 3, 4].map((step) => pair.beat(1, step))).toEqual([0, 1, 3, 4, 5]);
    for (let beat = 0; beat <= pair.beats; beat++) expect(pair.beat(0, pair.step(0, beat))).toBeLessThanOrEqual(beat);
  });

  it("keeps wishes for steps that there are not within bounds", () => {
    expect([-3, 99].map((step) => pair.beat(0, step))).toEqual([0, 3]);
  });

  it("tells who moves together, who moves alone, who waits, and who has ended", () => {
    const moves = (side: 0 | 1): string[] => [0, 1, 2, 3, 4, 5].map((beat) => pair.move(side, beat));
    expect(moves(0)).toEqual(["linked", "linked", "alone", "linked", "ended", "ended"]);
    expect(moves(1)).toEqual(["linked", "linked", "waits", "linked", "alone", "alone"]);
  });

  it("keeps both in beat between beats: one that waits stands still", () => {
    expect([1.25, 2, 2.5].map((time) => [pair.time(0, time), pair.time(1, time)])).toEqual([[1.25, 1], [2, 1], [2.5, 1.5]]);
    expect([3.5, 5].map((time) => [pair.time(0, time), pair.time(1, time)])).toEqual([[3, 2.5], [3, 4]]);
  });

  it("tells changes by beats", () => {
    expect(pair.inBeats(1, [[0, "a"], [2, "b"], [4, "c"]])).toEqual([[0, "a"], [3, "b"], [5, "c"]]);
  });

  it("gathers what is worth a jump from both sides, each beat once, differences first", () => {
    expect(pair.marks).toEqual({ difference: [2, 4], save: [2, 3] });
    expect(Object.keys(pair.marks)[0]).toBe("difference");
  });

  it("finds partners in both ways; what hangs on a part goes with it", () => {
    expect([pair.partner(0, "o0"), pair.partner(1, "o1")]).toEqual(["o1", "o0"]);
    expect([pair.partner(0, "o0.s0"), pair.partner(1, "o1.s1")]).toEqual(["o1.s1", "o0.s0"]);
    expect([pair.partner(0, "b0.flow"), pair.partner(0, "o9")]).toEqual(["b0.flow", undefined]);
  });
});
