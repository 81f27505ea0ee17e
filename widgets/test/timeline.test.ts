import { describe, expect, it } from "vitest";
import { runs } from "../src/timeline";

describe("marks of a timeline", () => {
  it("stand by themselves as long as there is room for each", () => {
    expect(runs([0, 20, 40, 41, 42, 60])).toEqual([[0], [20], [40], [41], [42], [60]]);
  });

  it("are one band where more than three would melt", () => {
    expect(runs([0, 100, 103, 105, 107, 300])).toEqual([[0], [100, 103, 105, 107], [300]]);
  });
});
