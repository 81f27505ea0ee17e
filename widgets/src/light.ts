// What belongs together is lit together: lines of the program, parts of the graph, steps of the timeline, and all ways on
// which something came, with what stands on them. Nobody goes anywhere by that.
import { type Rect, touch } from "./camera";
import type { Code } from "./code";
import { s, set, silent } from "./dom";
import { bears, type Film, lookAt, type Part, type Place } from "./film";
import type { Graph } from "./graph";
import { Paths } from "./paths";
import { outline } from "./way";

/** Whoever only passes by lights nothing, ms. */
const PAUSE = 90;
/** Of what is gone so many are told. */
const MOST = 3;
/** A slot that is lower than this has its name below it, px. */
const NAMED = 16;
/** Parts over which words cannot be read. */
const TAKES_ROOM = new Set(["card", "number"]);
/** From words to the edge of the pane, px. */
const EDGE = 6;

/** What one points at: a part, or steps, those of a line of the program if that is told. */
export type Pointed = Part | { steps: readonly number[]; place?: Place };

export class Light {
  private readonly layer = silent("light");
  /** Each text of the layer, with the ways to say it, the longest first. */
  private readonly words = new Map<SVGGraphicsElement, readonly string[]>();
  private readonly paths: Paths;
  private pointed: Pointed | undefined;
  private kept: Part | undefined;
  private soon = 0;

  /** `tick` has steps lit in a timeline. */
  constructor(
    private readonly film: Film,
    private readonly graph: Graph,
    private readonly code: Code,
    private readonly tick: (steps: readonly number[]) => void,
  ) {
    this.paths = new Paths(film.data);
    graph.onmoved = () => this.moveIntoSight();
  }

  /** Somebody points at something, or at nothing any more. */
  point(pointed: Pointed | undefined): void {
    clearTimeout(this.soon);
    this.pointed = pointed;
    this.soon = window.setTimeout(() => this.show(), PAUSE);
  }

  /** Keep a part lit as long as nobody points at anything else, or none. */
  keep(part: Part | undefined): void {
    this.kept = part;
    this.pointed = undefined;
    this.show();
  }

  /** Light nothing: all is different now. */
  clear(): void {
    if (this.pointed ?? this.kept) this.keep(undefined);
  }

  private show(): void {
    clearTimeout(this.soon);
    const lit = this.pointed ?? this.kept;
    this.layer.replaceChildren();
    this.words.clear();
    this.graph.overlay.append(this.layer);
    if (!lit) {
      this.graph.only(undefined);
      this.code.light([]);
      this.tick([]);
    } else if ("steps" in lit) this.showSteps(lit);
    else this.showPart(lit);
    this.moveIntoSight();
  }

  /** Words that are longer than their card is wide may not leave the pane; over other things there are fewer of them. */
  private moveIntoSight(): void {
    if (!this.graph.camera.view.width) return;
    const taken = this.graph.parts.filter((part) => TAKES_ROOM.has(part.kind) && this.graph.isVisible(part));
    for (const [text, ways] of this.words) {
      const isFree = (way: string): boolean => {
        text.textContent = way;
        const place = this.place(text);
        return !taken.some((part) => touch(part, place));
      };
      ways.some(isFree);
    }
  }

  /** Move words into sight; gives where they are then. */
  private place(text: SVGGraphicsElement): Rect {
    const [{ x, y, width, height }, box] = [this.graph.camera.view, text.getBBox()];
    const right = Math.max(x + EDGE - box.x, Math.min(0, x + width - EDGE - box.x - box.width));
    const down = Math.min(0, y + height - EDGE - box.y - box.height);
    set(text, "transform", `translate(${right} ${down})`);
    return { x: box.x + right, y: box.y + down, width: box.width, height: box.height };
  }

  /** The parts that came about on a line, or else those that something happened to; and the line, or the steps. */
  private showSteps({ steps, place }: { steps: readonly number[]; place?: Place }): void {
    this.graph.only(undefined);
    this.code.light(place ? [place] : steps.map((step) => this.film.placeAt(step)));
    this.tick(place ? steps : []);
    const cards = this.graph.parts.filter(({ kind }) => kind === "card");
    const made = place ? cards.filter((part) => this.film.placesOf(part, this.graph.now).some((each) => String(each) === String(place))) : [];
    const parts = made.length ? made : this.graph.litIn(steps).filter(({ kind }) => kind !== "number");
    this.layer.append(...parts.map((part) => outline(this.graph, part)));
  }

  /** A part, what brought it about, and the ways by which something came to it: all else steps back then. */
  private showPart(part: Part): void {
    const { film, graph } = this;
    this.code.light(film.placesOf(part, graph.now));
    this.tick(film.lifeOf(graph.family(part)));
    const carries = (line: string): boolean => {
      const on = graph.partOf(line);
      return !on || film.holds(on, graph.now).length > 0; // what is inside of a card is not seen
    };
    const things = this.paths.from(part.kind === "slot" ? [] : part.things, carries);
    const lines = graph.parts.filter((each) => each.isLine && each.things.some((thing) => things.has(thing) && carries(thing)));
    const stopped = bears(film.classes(lookAt(part.track, graph.now)), "failed"); // what stopped it may be anywhere
    graph.only(lines.length && !stopped ? things : undefined);
    if (!(lines.length && part.isLine) && part !== this.kept) this.layer.append(outline(graph, part));
    this.layer.append(...lines.flatMap((line) => this.factor(line)), ...(part.kind === "slot" ? this.held(part) : lines.length ? this.sum(part) : []));
  }

  /** The factor of a line, below its number, if the card that it comes from did nothing else. */
  private factor(line: Part): SVGElement[] {
    const ops = this.graph.partOf(line.of.split(".")[0]!)?.things.filter((thing) => thing.startsWith("o")) ?? [];
    const text = line.things.length === 1 && ops.length === 1 ? this.film.factorOf(line.of, this.graph.now) : "";
    return text ? [this.below(this.graph.part(`${line.id}#`) ?? line, `×${text}`, "factor", 13)] : [];
  }

  /** What a slot holds, or held. */
  private held(slot: Part): SVGElement[] {
    const { film, graph } = this;
    const all = film.holds(slot, graph.now).map(([, sheet, how]) => [film.brief(film.data.sheets[sheet]!), how] as const);
    const more = all.length > MOST ? [["…", ""] as const] : [];
    return [...all.slice(0, MOST), ...more].map(([value, how], i) => this.below(slot, told(value, how), how ? "gone" : "", (slot.height < NAMED ? 34 : 18) + 17 * i));
  }

  /** What came to a part makes what it has; that is said where it hides nothing, for the card has it, too. */
  private sum(part: Part): SVGElement[] {
    const { film, graph } = this;
    const own = part.things.filter((thing) => film.data.healthy.includes(thing)); // of a module its weights
    const rows = [...own, ...part.things].map((thing) => film.answers.at(thing, graph.now));
    const row = rows.find((each) => each && each[2]! <= graph.now);
    if (!row) return [];
    const pockets = graph.family(part).filter((each) => each.kind === "slot" && graph.isVisible(each));
    const lowest = Math.max(part.y + part.height, ...pockets.map((each) => each.y + each.height));
    return [this.below(part, [row[1].split(": ")[0]!, ""], "sum", lowest - part.y - part.height + 18)];
  }

  /** Words below something, in the longest of some ways for which there is room. */
  private below({ x, y, width, height }: Rect, ways: string | readonly string[], name: string, by: number): SVGElement {
    const element = s("text", { x: x + width / 2, y: y + height + by, class: `${name} halo`, "text-anchor": "middle" });
    this.words.set(element as SVGGraphicsElement, typeof ways === "string" ? [ways] : ways);
    return element;
  }
}

/** A value and how it went, in fewer and fewer words. */
function told(value: string, how: string | undefined): string[] {
  return how ? [`${value}, ${how}`, `${value}, ${how.split(" ")[0]}`, value] : [value];
}
