// What is seen of a part between two looks: where it stands, what is left of its look before, what rides along its line.
import { set, silent } from "./dom";
import { type Drawn, make } from "./drawn";
import type { Film, Part } from "./film";
import { type Frames, type Pose, valueAt } from "./pose";

/** A number goes from place to place on a line in so many straight pieces, when its own place is looked for. */
const PIECES = 64;

interface Beside {
  look: number;
  group: SVGElement;
}

export class Moving {
  /** What rides above all parts. */
  readonly riders = silent("riders");
  private readonly ghosts = new Map<Drawn, Beside>();
  private readonly tokens = new Map<Drawn, Beside>();

  /** `lineOf` gives the line that a part stands on. */
  constructor(
    private readonly film: Film,
    private readonly lineOf: (part: Part) => Part | undefined,
  ) {}

  clear(): void {
    for (const beside of [...this.ghosts.values(), ...this.tokens.values()]) beside.group.remove();
    this.ghosts.clear();
    this.tokens.clear();
  }

  /** Have a part stand as it does in a pose; it wears its look already. */
  pose(drawn: Drawn, { before, share, manner: wanted }: Pose): void {
    const manner = drawn.near ? wanted : undefined;
    if (!manner && !drawn.moved) return;
    const { part, group } = drawn;
    const frames = new Map((manner?.[2] ?? []).map((each) => [each[0], each]));
    const value = (name: string, rest: number, home?: number): number => {
      const found = frames.get(name);
      return found ? valueAt(found, share!, home) : rest;
    };
    drawn.moved = manner !== undefined;
    const [x, y] = frames.has("u") ? this.onLine(part, (home) => value("u", home, home)) : [0, 0];
    const transform = this.transform(part, x + value("x", 0), y + value("y", 0), value("s", 1));
    set(group, "transform", transform);
    group.style.opacity = frames.has("o") ? String(value("o", 1)) : "";
    if (part.isLine) draw(group, value("d", 1));
    const ghost = this.haunt(drawn, frames.has("g") ? before : undefined, value("c", 0));
    set(ghost, "transform", transform);
    if (ghost) ghost.style.opacity = String(value("g", 0));
    this.ride(drawn, manner?.[3], share ?? 1);
  }

  private transform({ isLine, x, y, width, height }: Part, dx: number, dy: number, scale: number): string {
    if (isLine) return "";
    const [cx, cy] = [width / 2, height / 2];
    const grown = scale === 1 ? "" : ` translate(${cx} ${cy}) scale(${scale}) translate(${-cx} ${-cy})`;
    return `translate(${x + dx} ${y + dy})${grown}`;
  }

  /** How far from its own place a part stands, for a place on its line that depends on where that is. */
  private onLine(part: Part, placeFor: (home: number) => number): [number, number] {
    const line = this.lineOf(part);
    if (!line) return [0, 0];
    const path = this.film.courseOf(line);
    const [x, y] = [part.x + part.width / 2, part.y + part.height / 2];
    const length = path.getTotalLength();
    let [home, least] = [0, Infinity];
    for (let i = 0; i <= PIECES; i++) {
      const at = path.getPointAtLength((length * i) / PIECES);
      const far = Math.hypot(at.x - x, at.y - y);
      if (far < least) [home, least] = [i / PIECES, far];
    }
    const [at, own] = [placeFor(home), home].map((place) => path.getPointAtLength(length * place)) as [DOMPoint, DOMPoint];
    return [at.x - own.x, at.y - own.y];
  }

  /** What is left of the look before: behind a line, in front of all else. */
  private haunt(drawn: Drawn, look: number | undefined, cut: number): SVGElement | undefined {
    const old = this.ghosts.get(drawn);
    if (old && old.look !== look) {
      old.group.remove();
      this.ghosts.delete(drawn);
    }
    if (look === undefined) return undefined;
    const { group, part } = drawn;
    const ghost = this.ghosts.get(drawn) ?? { look, group: this.drawnAs(look) };
    this.ghosts.set(drawn, ghost);
    if (part.isLine && group.previousSibling !== ghost.group) group.before(ghost.group);
    if (!part.isLine && group.nextSibling !== ghost.group) group.after(ghost.group);
    ghost.group.style.clipPath = cut ? `inset(${100 * Math.max(0, cut)}% -9px ${100 * Math.max(0, -cut)}%)` : "";
    return ghost.group;
  }

  private ride(drawn: Drawn, token: [number, Frames[]] | undefined, share: number): void {
    const old = this.tokens.get(drawn);
    if (old && old.look !== token?.[0]) {
      old.group.remove();
      this.tokens.delete(drawn);
    }
    if (!token) return;
    const [look, frames] = token;
    const beside = this.tokens.get(drawn) ?? { look, group: this.drawnAs(look) };
    this.tokens.set(drawn, beside);
    if (!beside.group.parentNode) this.riders.append(beside.group);
    const found = new Map(frames.map((each) => [each[0], valueAt(each, share)]));
    const path = this.film.courseOf(drawn.part);
    const { x, y } = path.getPointAtLength(path.getTotalLength() * (found.get("u") ?? 0));
    set(beside.group, "transform", `translate(${x} ${y}) scale(${found.get("s") ?? 1})`);
    beside.group.style.opacity = String(found.get("o") ?? 1);
  }

  private drawnAs(look: number): SVGElement {
    const group = silent(this.film.classes(look));
    group.append(...this.film.data.looks[look]![1].map((element) => make(this.film, element)));
    return group;
  }
}

/** Draw so much of a line, from where it begins; its head comes with its end. */
function draw(group: SVGElement, part: number): void {
  const all = (names: string): NodeListOf<SVGElement> => group.querySelectorAll(names);
  const ribbons = all(".ribbon, .ribbon ~ .core");
  for (const path of ribbons.length ? ribbons : all(".line, .twin, .core")) {
    path.style.strokeDasharray = part < 1 ? `${part} 2` : "";
    if (part < 1) set(path, "pathLength", "1");
    else path.removeAttribute("pathLength");
  }
  for (const rest of all(ribbons.length ? ".tip, .line" : ".tip")) rest.style.opacity = part < 0.97 ? "0" : "";
}
