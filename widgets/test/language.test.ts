import { afterEach, describe, expect, it } from "vitest";
import { language, said, speakAs, t } from "../src/language";

afterEach(() => speakAs({}));

describe("a text of the player", () => {
  it("is English where nothing else came along", () => {
    speakAs({});
    expect([language(), t`step ${3} of ${7}`, said("leaf")]).toEqual(["en", "step 3 of 7", "leaf"]);
  });

  it("is what its pair says, with its holes in that one's order", () => {
    speakAs({ language: "vo", pairs: { "step {} of {}": "{1} steps, this is {0}", "{} {}": "{}-{}", leaf: "bled" } });
    expect([language(), t`step ${0} of ${7}`, t`${"a"} ${"b"}`, said("leaf")]).toEqual(["vo", "7 steps, this is 0", "a-b", "bled"]);
  });

  it("takes what is in a hole as it is, and stays English without a pair", () => {
    speakAs({ language: "vo", pairs: { "Player: {}": "Pledan: {}" } });
    expect([t`Player: ${"{} {0}.py"}`, t`Graph`]).toEqual(["Pledan: {} {0}.py", "Graph"]);
  });
});
