import { describe, expect, it } from "vitest";
import { Census } from "../src/census";
import { Film, type FilmData, Part, SCHEMA } from "../src/film";

const film = new Film({
  schema: SCHEMA,
  steps: 5,
  classes: ["hidden", "card leaf set", "link sent plus", "wire coming", "card op"],
  signs: ["", "∂", "", "", ""],
  looks: [[0, []], [1, [0]], [2, [0]], [3, [0]], [4, [0]]],
  members: [[]],
  tracks: [[0, 0, 2, 1], [0, 3, 3, 2], [0, 3, 1, 2, 4, 0]],
  moves: [[], [], []],
} as unknown as FilmData);
const part = (kind: string, track: number): Part => new Part([`${kind}${track}`, kind, 0, 0, 0, 0, 9, 9, track], film.data);

describe("what a legend explains", () => {
  it("is what is there, by kind and class name, and the signs in its texts", () => {
    const census = new Census(film);
    const card = part("card", 0);
    census.count(card, 1, 1);
    expect([...census.present].sort()).toEqual(["card leaf", "card set", "text ∂"]);
    census.count(card, 1, -1);
    expect(census.present.size).toBe(0);
  });

  it("takes a line to a lane for the wire that it is", () => {
    const census = new Census(film);
    census.count(part("drop", 1), 2, 1);
    expect(census.present.has("link sent")).toBe(true);
  });

  it("is nothing hidden, and of what is yet to come only that it is", () => {
    const census = new Census(film);
    census.count(part("link", 1), 0, 1);
    census.count(part("link", 1), 3, 1);
    expect([...census.present].sort()).toEqual(["link coming", "text ", "wire coming"]);
  });

  it("is so much at a time at most", () => {
    const parts = [part("card", 0), part("link", 1), part("link", 2)];
    expect(new Census(film).atMost(["card leaf", "link sent", "link coming", "card op"], parts)).toBe(3);
    expect(new Census(film).atMost(["card leaf", "card set"], [part("link", 1)])).toBe(0);
  });
});
