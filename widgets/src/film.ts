// The data that Python sends, and what it says of a step. Nothing here knows what a gradient is.

import type { Finding } from "./findings";
import type { FlowData } from "./flow";
import { Answers } from "./answers";
import type { Visit } from "./bands";
import type { Rect } from "./camera";
import { s } from "./dom";
import type { Grain } from "./grains";
import { t } from "./language";
import type { PickingData } from "./picking";
import type { Manner } from "./pose";
import type { QuestionData } from "./question";

/** (step, value) pairs: the value holds from its step on. The first step is 0. Some tell what their value is in English. */
export type Changes<T> = [number, T, string?][];

/** Number of a file and line in it, or nothing. */
export type Place = [] | [number, number];

/** A tag and its attributes. */
export type Shape = [string, Record<string, string>];

/** The number of a shape, then a text or the numbers of the elements inside. */
export type Element = [number, ...(number | string)[]];

/** The number of class names, numbers of elements, and all that is said where the elements shorten it. */
export type Look = [number, number[], string?];

/** Steps and numbers of looks, in turn. */
export type Track = number[];

/** Id, kind, number of what it stands for, index, corner, size, and number of its track. */
export type PartData = [string, string, number, number, number, number, number, number, number];

/** One picture of all there is: in one view, laid out for one pane, with some cards opened. */
export interface GraphData {
  view: string;
  /** Corner and size of all of it. */
  bounds: Rect;
  /** The scale below which nobody can read it. */
  least: number;
  parts: PartData[];
  /** By card that can be opened: the number of the graph in which it is. */
  opens: Record<string, number>;
  /** The card that is open in here, and the graph to go back to; a base has none. */
  opened?: [string, number];
  /** The number of its own headlines among `words`. */
  headlines?: number;
  notices: string[];
  /** By grain: the number of its stops among all `stops`. */
  stops: number[];
  /** The number of the grain that suits it. */
  grain: number;
  /** Corner and size of what is to be read first, where all is too much for a screen. */
  home?: [number, number, number, number];
}

/** A word, what it says, and the step at which that came about, if any. */
export type Row = [string, string, number?];

/** Whose value it is, and the number of the sheet that shows it; of what is gone, how it went. */
export type Held = [string, number, string?];

/** A value closely: rows of a table, statistics, a histogram's bars between two numbers, the cells of a tile, a remark. */
export interface Sheet {
  rows?: string[][];
  facts?: [string, string][];
  bars?: number[];
  low?: string;
  high?: string;
  heat?: string;
  each?: string;
  note?: string;
}

export interface FilmData {
  schema: number;
  title: string;
  steps: number;
  /** What is wrong with the run, worst first. */
  findings?: readonly Finding[];
  moments: Record<string, number>;
  files: [string, string[]][];
  captions: string[];
  /** What steps teach, in a line. */
  headlines: Changes<string>;
  /** What some steps teach otherwise in graphs in which they are inside of a card. */
  words: Record<number, string>[];
  phases: Changes<string>;
  /** Of a training loop: which iteration of how many it is. */
  iterations?: Changes<string>;
  /** The step that a page opens at. */
  start: number;
  grains: Grain[];
  /** Steps to halt at: by how many each is after the one before. */
  stops: number[][];
  goals: string[];
  goal: string;
  marks: Record<string, number[]>;
  /** A row each: which turn of a loop it is, which module runs; empty where there is none. */
  loops: Changes<string>[];
  modules: Changes<string>[];
  flow?: FlowData;
  /** Which each of the visits among the `marks` was. */
  visits: Visit[];
  held: Changes<number>;
  /** What the bytes are held for. */
  holding: string;
  here: Changes<Place>;
  /** The characters of that line which what runs takes, from and up to, if they are known. */
  running: Changes<[] | [number, number]>;
  culprits: Changes<Place[]>;
  /** The line to blame for the error that a page opens at. */
  blame?: Place;
  rows: Row[];
  /** By thing, and by part where several things are drawn as one: numbers of rows. */
  about: Record<string, number[]>;
  /** By thing that one may ask about: the number of the row that says why it is as it is. */
  reasons: Record<string, number>;
  /** By thing: steps and numbers of rows, in turn, with what is to be said of it from then on. */
  answers: Record<string, number[]>;
  /** What one would ask about first, and then. */
  asks: string[];
  healthy: string[];
  /** By thing: the line or slot and the op to go on to, and the thing behind that or, at the end, nothing and a mark. */
  legs: Record<string, [string, string, string, string?]>;
  /** By part: steps, and numbers of what it holds from then on. */
  contents: Record<string, number[]>;
  /** Titles and numbers of sheets; of what is not held any more how it went alone: it is what is told before. */
  holdings: [string, number?][][];
  /** By op in order: how many boxes it makes, how many later the first of them comes than that of the op before, and how
   * many earlier each came that it takes and has a way back to; 0 for others. */
  uses: number[][];
  /** By line: steps and factors, in turn. */
  factors: Record<string, (number | string)[]>;
  sheets: Sheet[];
  /** Kind, class name, meaning, look and width of the sample, and the kind and name that make the row needless. */
  legend: [string, string, string, number, number, string?][];
  /** The views that there are, the one that was asked for first. */
  views: string[];
  graphs: GraphData[];
  tracks: Track[];
  /** For each track the numbers of the manners in which its looks after the first come about, as far as these are not all 0. */
  moves: number[][];
  manners: Manner[];
  /** What parts stand for: things by their ids, the main one first. */
  members: string[][];
  shapes: Shape[];
  elements: Element[];
  /** Class names, and the signs in the texts of those who bear them that need an explanation. */
  classes: string[];
  signs: string[];
  looks: Look[];
  questions?: QuestionData[];
  picking?: PickingData;
}

export const SCHEMA = 6;

/** So many numbers are said one by one. */
const FEW = 4;

/** The value at a step. */
export function at<T>(changes: Changes<T>, step: number): T {
  return changes[lastAt(changes.length, (i) => changes[i]![0] <= step)]![1];
}

/** The last of `count` places for which `holds`, which holds for the first and stops holding once. */
function lastAt(count: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The next (`way` 1) or previous (-1) of some sorted steps, seen from `step`; undefined if there is none. */
export function neighbour(steps: readonly number[], step: number, way: 1 | -1): number | undefined {
  return way === 1 ? steps.find((each) => each > step) : steps.filter((each) => each < step).at(-1);
}

/** The number of the look that a track has for a step. */
export function lookAt(track: Readonly<Track>, step: number): number {
  return track[2 * lastAt(track.length / 2, (i) => track[2 * i]! <= step) + 1]!;
}

/** Class names without those that only say that something is going on right now. */
export const lasting = (classes: string): string => classes.replace(/ (now|flying)\b/g, "");

/** Whether one of some class names is this one. */
export const bears = (classes: string, name: string): boolean => classes.split(" ").includes(name);

const LINES = new Set(["link", "drop", "wire"]);
/** Parts that others lie on. */
const GROUNDS = new Set(["rail", "sheet", "opened"]);

/** One drawn thing with its whole life. */
export class Part {
  readonly id: string;
  readonly kind: string;
  /** What it stands for, the main thing first. */
  readonly things: readonly string[];
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly track: Track;
  readonly moves: readonly number[];

  constructor(data: PartData, { members, tracks, moves }: Pick<FilmData, "members" | "tracks" | "moves">) {
    let things: number;
    let track: number;
    [this.id, this.kind, things, this.index, this.x, this.y, this.width, this.height, track] = data;
    this.things = members[things]!;
    this.track = tracks[track]!;
    this.moves = moves[track]!;
  }

  /** The main thing that it stands for. */
  get of(): string {
    return this.things[0] ?? this.id;
  }

  get isLine(): boolean {
    return LINES.has(this.kind);
  }

  /** How far it reaches: a line of a program farther than most, and 2 is through all of the picture. */
  get reach(): number {
    return this.isLine || GROUNDS.has(this.kind) ? 2 : Number(this.kind === "program-line");
  }
}

export class Film {
  readonly answers: Answers;
  private readonly courses = new WeakMap<Part, SVGPathElement>();

  constructor(readonly data: FilmData) {
    if (data.schema !== SCHEMA) {
      throw new Error(t`this player reads data of schema ${SCHEMA}, not ${data.schema}: update autograd_lab`);
    }
    this.answers = new Answers(this);
  }

  get steps(): number {
    return this.data.steps;
  }

  /** The time nearest to a wish, which need not be a number. */
  clamp(time: number): number {
    return Number.isFinite(time) ? Math.min(this.steps, Math.max(0, time)) : 0;
  }

  /** The course of a line in the direction of the program, as it is drawn before anything is known of it. */
  courseOf(line: Part): SVGPathElement {
    const known = this.courses.get(line);
    if (known) return known;
    const path = s("path", { d: this.dIn(this.data.looks[line.track[1]!]![1]) ?? "M0 0" }) as SVGPathElement;
    this.courses.set(line, path);
    return path;
  }

  private dIn(elements: readonly (number | string)[]): string | undefined {
    for (const element of elements) {
      if (typeof element === "string") continue;
      const [shape, ...inner] = this.data.elements[element]!;
      const found = this.data.shapes[shape]![1]["d"] ?? this.dIn(inner);
      if (found) return found;
    }
    return undefined;
  }

  classes(look: number): string {
    return this.data.classes[this.data.looks[look]![0]]!;
  }

  /** All texts of a look, one a line: those that are read together come before those that say what a drawing shows. */
  said(look: number): string {
    const [, elements, all] = this.data.looks[look]!;
    const shows = (element: number): number => Number(this.data.elements[element]!.slice(1).some((child) => this.tag(child) === "title"));
    return all ?? [...elements].sort((one, other) => shows(one) - shows(other)).map((element) => this.text(element)).filter(Boolean).join("\n");
  }

  private tag(element: number | string): string | undefined {
    return typeof element === "string" ? undefined : this.data.shapes[this.data.elements[element]![0]]![0];
  }

  private text(element: number): string {
    const [, ...children] = this.data.elements[element]!;
    return children.map((child) => (typeof child === "string" ? child : this.text(child))).join(" ").trim();
  }

  /** Whether a part that looks so is there: drawn, and not as what is yet to come. */
  isThere(look: number): boolean {
    const classes = this.classes(look);
    return classes !== "hidden" && !bears(classes, "coming") && this.data.looks[look]![1].length > 0;
  }

  isEverThere(part: Part): boolean {
    return part.track.some((look, i) => i % 2 && this.isThere(look));
  }

  /** The steps at which something happened to a part: not just that its light went out, or that its turn was over. */
  life(part: Part): number[] {
    const steps: number[] = [];
    let [before, ran] = ["", false];
    for (let i = 0; i < part.track.length; i += 2) {
      const look = part.track[i + 1]!;
      const classes = this.classes(look);
      const now = this.isThere(look) ? `${lasting(classes)}\n${this.said(look)}` : "";
      const runs = bears(classes, "running");
      if (now && (bears(classes, "now") || (now !== before && (runs || !ran)))) steps.push(part.track[i]!);
      [before, ran] = [now, runs];
    }
    return steps;
  }

  /** The steps at which something happened to any of some parts. */
  lifeOf(parts: readonly Part[]): number[] {
    return [...new Set(parts.flatMap((part) => this.life(part)))].sort((a, b) => a - b);
  }

  /** The steps at which any of some parts takes on a class name. */
  becoming(name: string, parts: readonly Part[]): number[] {
    const has = (look: number): boolean => bears(this.classes(look), name);
    const turns = ({ track }: Part): number[] =>
      track.filter((_, i) => i > 1 && !(i % 2) && has(track[i + 1]!) && !has(track[i - 1]!));
    return [...new Set(parts.flatMap(turns))].sort((a, b) => a - b);
  }

  /** What is said of a thing, or of a part that stands for several: rows, the first of which says what it is. */
  rowsOf(name: string): Row[] {
    return (this.data.about[name] ?? []).map((number) => this.data.rows[number]!);
  }

  /** The way on from a thing to where it ends: things, and the mark for the end. */
  wayFrom(thing: string): { ids: string[]; mark: string } {
    const ids = [thing];
    let leg = this.data.legs[thing];
    while (leg) {
      const [line, op, after, mark] = leg;
      ids.push(line, op);
      if (!after) return { ids, mark: mark ?? "" };
      ids.push(after);
      leg = this.data.legs[after];
    }
    return { ids, mark: "" };
  }

  /** The factor that a line has at a step. */
  factorOf(line: string, step: number): string {
    const track = (this.data.factors[line] ?? []) as number[];
    return track.length && track[0]! <= step ? String(lookAt(track, step)) : "";
  }

  placeAt(step: number): Place {
    return at(this.data.here, step);
  }

  /** The lines of the program that brought about what a part stands for; of what was saved also those that it has met since, by a time. */
  placesOf(part: Part, time: number): Place[] {
    const known = part.things.map((thing) => this.rowsOf(thing.split(".")[0]!).find(([word]) => word === t`line`)?.[2]);
    const steps = known.filter((step) => step !== undefined);
    const own = part.kind === "slot" ? part.things.flatMap((thing) => this.rowsOf(thing)) : [];
    const met = own.flatMap(([, , step]) => (step !== undefined && step <= time ? [step] : []));
    const found = [...(steps.length ? steps : this.life(part).slice(0, 1)), ...met].map((step) => at(this.data.here, step));
    return [...new Map(found.map((place) => [place.join(":"), place])).values()];
  }

  /** What a part holds at a step, or held. */
  holds(part: Part, step: number): Held[] {
    const track = (this.data.contents[part.id] ?? []).filter((_, i, all) => all[i - (i % 2)]! <= step);
    const told = track.filter((_, i) => i % 2).map((number) => this.data.holdings[number]!);
    return (told.at(-1) ?? []).map(([title, sheet], i) => {
      if (sheet !== undefined) return [title, sheet];
      const [held, last] = told.filter((each) => each[i]?.[1] !== undefined).at(-1)?.[i] ?? [title, 0];
      return [held, last!, title];
    });
  }

  /** A value in a few characters: its numbers, if these are few, else what is first said of it. */
  brief({ rows, facts, note }: Sheet): string {
    const numbers = rows?.flatMap(([, ...row]) => row) ?? [];
    const [word, text] = facts?.find(([each]) => each === t`norm`) ?? facts?.[0] ?? ["", note];
    return numbers.length && numbers.length <= FEW ? numbers.join(", ") : `${word} ${text ?? ""}`.trim();
  }

  /** The steps that a line of the program brought about. */
  stepsOf(file: number, line: number): number[] {
    const found: number[] = [];
    this.data.here.forEach(([step, place], i) => {
      const end = this.data.here[i + 1]?.[0] ?? this.steps + 1;
      if (place[0] === file && place[1] === line) for (let k = step; k < end; k++) found.push(k);
    });
    return found;
  }
}
