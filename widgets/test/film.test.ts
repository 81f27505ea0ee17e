import { describe, expect, it } from "vitest";
import { around, shifted, together, within } from "../src/camera";
import { at, Film, type FilmData, lasting, lookAt, neighbour, Part, SCHEMA } from "../src/film";

const data = (more: Partial<FilmData> = {}): FilmData => ({
  schema: SCHEMA,
  title: "a film",
  steps: 6,
  start: 0,
  grains: [],
  stops: [],
  moments: {},
  files: [],
  captions: [],
  headlines: [[0, "Before the first line"]],
  words: [],
  phases: [[0, "before"]],
  goals: [],
  goal: ".......",
  marks: {},
  loops: [],
  modules: [],
  visits: [],
  held: [[0, 0]],
  holding: "held for backward",
  here: [[0, []]],
  running: [[0, []]],
  culprits: [[0, []]],
  rows: [],
  about: {},
  contents: {},
  holdings: [],
  sheets: [],
  reasons: {},
  answers: {},
  asks: [],
  healthy: [],
  uses: [],
  factors: {},
  legs: {},
  legend: [],
  views: ["engine", "maths"],
  graphs: [],
  tracks: [],
  moves: [],
  manners: [],
  members: [],
  shapes: [["text", {}]],
  elements: [[0, "a"], [0, "b"]],
  classes: ["hidden", "card op now", "card op", "card op stale", "card op coming", "card op running", "card op done"],
  signs: ["", "", "", "", "", "", ""],
  looks: [[0, []], [1, [0]], [2, [0]], [3, [1]], [2, [1], "all that b says"], [4, [0]], [5, [0]], [6, [0]]],
  ...more,
});

const part = (track: number[], kind = "card"): Part =>
  new Part(["b0", kind, 0, 0, 0, 0, 10, 10, 0], { members: [["b0", "o0"]], tracks: [track], moves: [[]] });

describe("what holds at a step", () => {
  it("is the last thing that came before it or with it", () => {
    const changes: [number, string][] = [[0, "a"], [3, "b"], [9, "c"]];
    expect([0, 2, 3, 8, 9, 99].map((step) => at(changes, step))).toEqual(["a", "a", "b", "b", "c", "c"]);
  });

  it("is found alike for looks, whatever the length of the track", () => {
    for (let length = 1; length < 9; length++) {
      const track = Array.from({ length }, (_, i) => [2 * i, 100 + i]).flat();
      for (let step = 0; step < 20; step++) {
        expect(lookAt(track, step)).toBe(100 + Math.min(length - 1, Math.floor(step / 2)));
      }
    }
  });
});

describe("a film", () => {
  it("of another schema is refused with the remedy", () => {
    expect(() => new Film(data({ schema: 99 }))).toThrow("update autograd_lab");
  });

  it("makes a time out of any wish", () => {
    const film = new Film(data());
    expect([-1, 0, 2.4, 6, 7, NaN, Infinity].map((wish) => film.clamp(wish))).toEqual([0, 0, 2.4, 6, 6, 0, 0]);
  });

  it("says the texts of a look, or all of them where the drawing shortens", () => {
    const film = new Film(data());
    expect([film.said(0), film.said(1), film.said(4)]).toEqual(["", "a", "all that b says"]);
  });

  it("counts to the life of a part what happened to it, not that its light went out", () => {
    const film = new Film(data());
    expect(film.life(part([0, 0, 1, 1, 2, 2, 5, 3]))).toEqual([1, 5]);
    expect(film.life(part([0, 0, 1, 1, 2, 2, 3, 1, 4, 2]))).toEqual([1, 3]);
  });

  it("begins the life of a part when it is there, and ends no turn of its with a step of another", () => {
    const film = new Film(data());
    expect(film.life(part([0, 5, 2, 2]))).toEqual([2]);
    expect(film.life(part([0, 5, 2, 2, 4, 6, 5, 7]))).toEqual([2, 4]);
    expect(film.life(part([0, 2, 4, 6, 5, 3]))).toEqual([0, 4]);
  });

  it("knows what is there: neither what is hidden, nor what is yet to come, nor what has no drawing", () => {
    const film = new Film(data({ looks: [[0, []], [2, [0]], [4, [0]], [2, []]] }));
    expect([0, 1, 2, 3].map((look) => film.isThere(look))).toEqual([false, true, false, false]);
    expect([part([0, 2, 3, 1]), part([0, 2, 3, 0])].map((each) => film.isEverThere(each))).toEqual([true, false]);
  });

  it("finds the rows on a thing, and none on what nothing is said of", () => {
    const film = new Film(data({ rows: [["tensor", "a"], ["shape", "2"]], about: { b0: [0, 1] } }));
    expect(film.rowsOf("b0")).toEqual([["tensor", "a"], ["shape", "2"]]);
    expect(film.rowsOf("b1")).toEqual([]);
  });

  it("knows which steps a line brought about", () => {
    const film = new Film(data({ here: [[0, []], [1, [0, 7]], [3, [0, 8]], [5, [0, 7]]] }));
    expect(film.stepsOf(0, 7)).toEqual([1, 2, 5, 6]);
    expect(film.stepsOf(1, 7)).toEqual([]);
  });
});

describe("a part", () => {
  it("stands for its things, the main one first, and has its track from the film", () => {
    const card = part([0, 0, 4, 2]);
    expect([card.of, card.things, card.track, card.isLine]).toEqual(["b0", ["b0", "o0"], [0, 0, 4, 2], false]);
  });

  it("is a line if it is a wire, a drop to a lane, or a wire of a compilation", () => {
    const kinds = ["link", "drop", "wire", "number", "lane", "opened"];
    expect(kinds.filter((kind) => part([0, 0], kind).isLine)).toEqual(["link", "drop", "wire"]);
  });
});

describe("jumps", () => {
  it("go to the nearest step on either side, or nowhere", () => {
    expect([0, 2, 4, 9].map((step) => neighbour([2, 4], step, 1))).toEqual([2, 4, undefined, undefined]);
    expect([0, 2, 4, 9].map((step) => neighbour([2, 4], step, -1))).toEqual([undefined, undefined, 2, 4]);
  });
});

describe("a look", () => {
  it("lasts without its light, and without what is on its way", () => {
    expect(lasting("card op recorded now stale")).toBe("card op recorded stale");
    expect(lasting("link sent plus flying now")).toBe("link sent plus");
    expect(lasting("card nowhere")).toBe("card nowhere");
  });
});

describe("the camera", () => {
  it("stays where it is as long as what happens is in the picture, else goes there", () => {
    expect(shifted(0, 100, 10, 90)).toBe(0);
    expect(shifted(0, 100, 150, 170)).toBe(110);
    expect(shifted(500, 100, 150, 170)).toBe(110);
    expect(shifted(0, 100, 300, 900)).toBeLessThan(300);
  });

  it("looks at nothing beyond the edges of a picture, and has one that is smaller in its middle", () => {
    expect([-50, 20, 500].map((start) => within(start, 100, 0, 300))).toEqual([0, 20, 200]);
    expect([-50, 20, 500].map((start) => within(start, 100, 0, 60))).toEqual([-20, -20, -20]);
  });

  it("sees all of some rectangles", () => {
    expect(around([{ x: 1, y: 2, width: 3, height: 4 }, { x: -1, y: 5, width: 1, height: 9 }])).toEqual({ x: -1, y: 2, width: 5, height: 12 });
    expect(around([])).toBeUndefined();
  });
});

describe("what is to be seen together", () => {
  const box = (x: number, width = 10): { x: number; y: number; width: number; height: number } => ({ x, y: 0, width, height: 10 });

  it("is all of it where there is room", () => {
    expect(together([box(0), box(50)], 100, 100)).toEqual(box(0, 60));
  });

  it("is the first and those others for which there is room beside it", () => {
    expect(together([box(0), box(500), box(20), box(0, 900)], 100, 100)).toEqual(box(0, 30));
  });

  it("is the first alone where even that is too large", () => {
    expect(together([box(0, 900), box(0)], 100, 100)).toEqual(box(0, 900));
    expect(together([], 100, 100)).toBeUndefined();
  });
});

describe("what is said of a thing", () => {
  const rows: FilmData["rows"] = [["tensor", "b"], ["", "b.grad = 1·4 = 4: one path", 5], ["no .grad", "only leaves keep theirs"], ["no .grad", "it was set to None", 6]];
  const film = new Film(data({ rows, about: { b0: [0], o9: [0, 2] }, answers: { b0: [5, 1], b1: [5, 1] }, reasons: { b1: 2, b2: 3 }, asks: ["b2"] }));

  it("is what is so at the step, and why something is not", () => {
    expect(film.answers.all("b0", 6)).toEqual([rows[1]]);
    expect(film.answers.all("b1", 6)).toEqual([rows[1], rows[2]]);
    expect(film.answers.all("b1", 4)).toEqual([rows[2]]);
  });

  it("is what it is, of what nobody has anything to say of", () => {
    expect(film.answers.all("o9", 6)).toEqual([rows[2]]);
  });

  it("is asked first of what is wrong, then of what has an answer", () => {
    expect(film.answers.first(["o9", "b0", "b2"])).toBe("b2");
    expect(film.answers.first(["o9", "b0"])).toBe("b0");
    expect(film.answers.first(["o9"])).toBe("o9");
    expect(film.answers.first([])).toBeUndefined();
  });
});

describe("the factor of a line", () => {
  it("is that of its pass, and nothing before the first", () => {
    const film = new Film(data({ factors: { "o0.u0": [2, "4", 5, "7"] } }));
    expect([1, 2, 4, 5].map((step) => film.factorOf("o0.u0", step))).toEqual(["", "4", "4", "7"]);
    expect(film.factorOf("o0.u1", 5)).toBe("");
  });
});

describe("what was held", () => {
  const sheets = [{ rows: [["", "4.0"]] }, { rows: [["0", "1.0", "2.0"], ["1", "3.0", "4.0"]] }, { facts: [["mean", "0.1"], ["norm", "3.2"]] as [string, string][] }, { note: "None" }];
  const holdings: FilmData["holdings"] = [[], [["self", 0]], [["self", 0], ["other", 1]], [["freed by line 3"], ["other", 1]]];
  const film = new Film(data({ sheets, holdings, contents: { b0: [0, 0, 2, 1, 3, 2, 5, 3] } }));

  it("can be read once it is gone, with how it went", () => {
    expect(film.holds(part([0, 0]), 1)).toEqual([]);
    expect(film.holds(part([0, 0]), 4)).toEqual([["self", 0], ["other", 1]]);
    expect(film.holds(part([0, 0]), 6)).toEqual([["self", 0, "freed by line 3"], ["other", 1]]);
  });

  it("is a few numbers, or how large it is", () => {
    expect(sheets.map((sheet) => film.brief(sheet))).toEqual(["4.0", "1.0, 2.0, 3.0, 4.0", "norm 3.2", "None"]);
  });
});
