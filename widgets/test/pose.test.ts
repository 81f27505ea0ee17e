import { describe, expect, it } from "vitest";
import { Film, type FilmData, lookAt, Part, SCHEMA } from "../src/film";
import { between, type Frames, type Manner, mannerOf, type Pose, poseAt, valueAt } from "../src/pose";

const CROSS: Manner = [320, 0.15, [["g", 0.15, 1, 0.85, 0]]];
const RIDES: Manner = [650, 0.5, [["u", 0, 1, 1, -1], ["o", 0.5, 0, 1, 1]], [3, [["u", 0, 0, 1, 1]]]];

/** Any numbers, the same every time. */
function* numbers(seed: number): Generator<number, never> {
  for (;;) yield (seed = (seed * 48271) % 2147483647) / 2147483647;
}

const any = numbers(7);
const STEPS = 30;
const tracks = Array.from({ length: 12 }, () => {
  const steps = Array.from({ length: STEPS }, (_, i) => i + 1).filter(() => any.next().value < 0.3);
  return [0, 0, ...steps.flatMap((step, i) => [step, i + 1])];
});
const film = new Film({
  schema: SCHEMA,
  steps: STEPS,
  members: [[]],
  tracks,
  moves: tracks.map((track) => track.slice(2, -2).map(() => Math.floor(any.next().value * 2))),
  manners: [CROSS, RIDES],
} as unknown as FilmData);
const parts = tracks.map((_, i) => new Part([`p${i}`, "card", 0, 0, 0, 0, 9, 9, i], film.data));

describe("a channel", () => {
  const frames: Frames = ["o", 0.2, 0, 0.6, 1, 0.6, 3, 0.8, 5];

  it("stays at its ends, is half way in the middle, and may jump", () => {
    expect([0, 0.2, 0.4, 0.5999, 0.6, 0.7, 0.8, 1].map((share) => Number(valueAt(frames, share).toFixed(2)))).toEqual([
      0, 0, 0.5, 1, 3, 4, 5, 5,
    ]);
  });

  it("goes home to wherever that is", () => {
    expect(valueAt(["u", 0, 1, 1, -1], 0.5, 0.4)).toBeCloseTo(0.7);
    expect(valueAt(["u", 0, 1, 1, -1], 1, 0.4)).toBe(0.4);
  });
});

describe("a pose", () => {
  it("is, at a step, the look of the track and nothing else", () => {
    for (const part of parts) {
      for (let step = 0; step <= STEPS; step++) expect(poseAt(film, part, step)).toEqual({ look: lookAt(part.track, step) });
    }
  });

  it("has the look before until the new one is put on, inside of the step that changes it", () => {
    const part = new Part(["a", "card", 0, 0, 0, 0, 9, 9, 0], {
      members: [[]],
      tracks: [[0, 5, 3, 6]],
      moves: [[1]],
    });
    expect(poseAt(film, part, 1.9)).toEqual({ look: 5 });
    expect(poseAt(film, part, 2.25)).toEqual({ look: 5, share: 0.25, manner: RIDES });
    expect(poseAt(film, part, 2.75)).toEqual({ look: 6, before: 5, share: 0.75, manner: RIDES });
    expect(poseAt(film, part, 3.1)).toEqual({ look: 6 });
    expect([1, 2, 3, 4].map((step) => mannerOf(film, part, step)?.[0])).toEqual([undefined, undefined, 650, undefined]);
  });
});

describe("going to any times", () => {
  it("shows what playing straight there does, though only what may differ is looked at", () => {
    let now = 0;
    const shown = new Map<Part, Pose>(parts.map((part) => [part, poseAt(film, part, 0)]));
    for (let i = 0; i < 400; i++) {
      const near = any.next().value < 0.7;
      const wish = near ? now + 2.5 * (any.next().value - 0.5) : STEPS * any.next().value;
      const bounded = Math.min(STEPS, Math.max(0, wish));
      const time = any.next().value < 0.3 ? Math.round(bounded) : bounded;
      const steps = between(now, time);
      for (const part of parts) {
        if (!steps || steps.some((step) => mannerOf(film, part, step))) shown.set(part, poseAt(film, part, time));
      }
      now = time;
      for (const part of parts) expect(shown.get(part)).toEqual(poseAt(film, part, time));
    }
  });
});
