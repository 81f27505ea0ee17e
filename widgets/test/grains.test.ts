import { afterEach, describe, expect, it, vi } from "vitest";
import { type Grain, stopFrom, stretch, summed } from "../src/grains";
import { Playhead } from "../src/playhead";

const STOPS = summed([2, 3, 1, 4]); // 2, 5, 6, 10

describe("stops", () => {
  it("are told by how far each is from the one before", () => expect(STOPS).toEqual([2, 5, 6, 10]));

  it("are gone to one after the other, then the end; and back, then the beginning", () => {
    const way = (step: number, by: 1 | -1): number[] => {
      const found = [];
      for (let at = step; at !== (by === 1 ? 12 : 0); ) found.push((at = stopFrom(STOPS, at, by, 12)));
      return found;
    };
    expect(way(0, 1)).toEqual([2, 5, 6, 10, 12]);
    expect(way(12, -1)).toEqual([10, 6, 5, 2, 0]);
  });

  it("are the nearest ones from between two steps", () => {
    expect([stopFrom(STOPS, 4.5, 1, 12), stopFrom(STOPS, 4.5, -1, 12), stopFrom(STOPS, 5.5, -1, 12)]).toEqual([5, 2, 5]);
  });
});

describe("a stretch", () => {
  const pace = (step: number): number => [0, 500, 0, 700, 300][step] ?? 0;
  const grain: Grain = ["node", 2, 400, 0];

  it("is played faster than it wants, whichever way it goes", () => {
    expect(stretch({ pace }, grain, 0, 2)).toEqual({ rate: 2, lasts: 250 });
    expect(stretch({ pace }, grain, 2, 0)).toEqual({ rate: 2, lasts: 250 });
  });

  it("never takes longer than the longest", () => {
    expect(stretch({ pace }, grain, 0, 4)).toEqual({ rate: 3.75, lasts: 400 });
  });
});

describe("a playhead", () => {
  afterEach(() => vi.unstubAllGlobals());

  const rounded = (time: number): number => Number(time.toFixed(2));

  /** A playhead, what it has shown, and what lets some milliseconds pass. */
  function playhead({ reduce = false } = {}): { head: Playhead; shown: number[]; pass: (ms: number) => void } {
    let [now, frame] = [1000, undefined as ((now: number) => void) | undefined];
    vi.stubGlobal("matchMedia", () => ({ matches: reduce }));
    vi.stubGlobal("document", { hidden: false });
    vi.stubGlobal("performance", { now: () => now });
    vi.stubGlobal("requestAnimationFrame", (callback: (now: number) => void) => ((frame = callback), 1));
    vi.stubGlobal("cancelAnimationFrame", () => (frame = undefined));
    const shown: number[] = [];
    const head = new Playhead((step) => (step === 2 ? 0 : 100), (time) => shown.push(time));
    const pass = (ms: number): void => {
      const next = frame;
      frame = undefined;
      next?.((now += ms));
    };
    return { head, shown, pass };
  }

  it("goes through each step in its time, and through those at which nothing is seen in none", () => {
    const { head, shown, pass } = playhead();
    head.glide(4);
    for (const ms of [50, 100, 100, 100]) pass(ms);
    expect(shown.map(rounded)).toEqual([0, 0.5, 2.5, 3.5, 4]);
  });

  it("goes back the same way, and as many times as fast as it is told", () => {
    const { head, shown, pass } = playhead();
    head.jump(4);
    head.glide(0, 2);
    for (const ms of [25, 50, 50, 50]) pass(ms);
    expect(shown.map(rounded)).toEqual([4, 4, 3.5, 2.5, 0.5, 0]);
  });

  it("turns where it is, skips what it was on its way to, and stays where it is halted", () => {
    const { head, shown, pass } = playhead();
    head.glide(1);
    pass(60);
    head.glide(0);
    pass(20);
    expect(shown.at(-1)).toBeCloseTo(0.4);
    head.glide(1);
    head.glide(3);
    expect(rounded(shown.at(-1)!)).toBe(2);
    pass(50);
    head.halt();
    const before = [...shown];
    pass(50);
    expect(shown).toEqual(before);
    expect(rounded(head.time)).toBe(2.5);
  });

  it("jumps where less motion is wanted", () => {
    const { head, shown } = playhead({ reduce: true });
    head.glide(4);
    expect(shown).toEqual([4]);
  });
});
