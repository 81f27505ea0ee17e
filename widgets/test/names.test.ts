import { describe, expect, it } from "vitest";
import { kindName, spoken, stateOf } from "../src/names";

describe("a part that cannot be seen", () => {
  it("is called by its kind, a card by what it is of", () => {
    expect(kindName("link", ["sent"])).toBe("edge");
    expect(kindName("card", ["leaf", "set"])).toBe("leaf");
    expect(kindName("card", ["constant", "coming"])).toBe("data");
    expect(kindName("card", ["module", "turn", "running"])).toBe("turn");
    expect(kindName("card", [])).toBe("card");
  });

  it("has a state besides, in words, unless its texts say that already", () => {
    expect(stateOf(["module", "turn", "running", "now"])).toEqual(["running now"]);
    expect(stateOf(["sent", "plus"])).toEqual([]);
    expect(stateOf(["absent"])).toEqual(["absent"]);
  });

  it("has texts that are parts of a sentence", () => {
    expect(spoken("b\n3.0\n.grad\nnone  2 of 2")).toEqual(["b", "3.0", ".grad none, 2 of 2"]);
  });
});
