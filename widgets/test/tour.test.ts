import { describe, expect, it } from "vitest";
import { beside } from "../src/tour";

const room = { left: 0, top: 0, right: 1000, bottom: 700 };

describe("words of a tour", () => {
  it("stand beside what they point at, wherever there is room, and never on it", () => {
    for (let left = 0; left < 1000; left += 50) {
      for (let top = 0; top < 700; top += 50) {
        const target = { left, top, right: Math.min(1000, left + 300), bottom: Math.min(700, top + 200) };
        const found = beside(target, 280, 120, room);
        const [right, bottom] = [found.left + 280, found.top + 120];
        expect(found.left >= 0 && found.top >= 0 && right <= 1000 && bottom <= 700).toBe(true);
        expect(right < target.left || found.left > target.right || bottom < target.top || found.top > target.bottom).toBe(true);
      }
    }
  });
});
