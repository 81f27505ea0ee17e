import { describe, expect, it } from "vitest";
import { Paths } from "../src/paths";

/** c = a + b, d = b + 1, y = c * d: b0 and b1 are the leaves, and b5 is what two ops later gives besides y. */
const paths = new Paths({ uses: [[1, 2, 2, 1], [1, 1, 2, 0], [1, 1, 2, 1]] });

describe("the ways on from a thing", () => {
  it("lead by all lines to what takes it, and on from what that makes", () => {
    expect([...paths.from(["b1"], () => true)].sort()).toEqual(["b1", "b2", "b3", "b4", "o0", "o0.u1", "o1", "o1.u0", "o2", "o2.u0", "o2.u1"]);
    expect([...paths.from(["b0"], () => true)].sort()).toEqual(["b0", "b2", "b4", "o0", "o0.u0", "o2", "o2.u0"]);
  });

  it("leave out lines that one cannot go by", () => {
    const goes = (line: string): boolean => line !== "o0.u1";
    expect([...paths.from(["b1"], goes)].sort()).toEqual(["b1", "b3", "b4", "o1", "o1.u0", "o2", "o2.u1"]);
  });

  it("begin at a line with the op that it leads to, and at an op with what it makes", () => {
    expect([...paths.from(["o2.u0"], () => true)].sort()).toEqual(["b4", "o2", "o2.u0"]);
    expect([...paths.from(["o1"], () => true)].sort()).toEqual(["b3", "b4", "o1", "o2", "o2.u1"]);
  });

  it("go over all that an op makes at once", () => {
    const split = new Paths({ uses: [[2, 1, 1], [1, 2, 1]] });
    expect([...split.from(["b0"], () => true)].sort()).toEqual(["b0", "b1", "b2", "b3", "o0", "o0.u0", "o1", "o1.u0"]);
  });
});
