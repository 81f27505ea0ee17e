// Which piece of the picture is seen, and how large.
import { ROOM } from "./choice";
import { calm, rectOf, set } from "./dom";
import { handled, swiped } from "./gestures";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

const MARGIN = 18;
const LARGEST = 3;
/** What is fitted is made no larger than this. */
const FITTED = 1.5;
/** On a wall all is so much larger: text of 12 px has 24 then, which is read from the last row of a room. */
const AFAR = 2;
/** So much of the size at which one can read all is enough to point at something: text of 8 px. */
const POINTED = 0.66;
/** What is off by less is in sight, px. */
const NEARLY = 0.5;
/** So many screens away, one is there at once. */
const FAR = 2;
const SLIDE = { duration: 250, easing: "ease-out" };

/** The smallest rectangle around others; undefined around nothing. */
export function around(rects: readonly Rect[]): Rect | undefined {
  if (!rects.length) return undefined;
  const x = Math.min(...rects.map((r) => r.x));
  const y = Math.min(...rects.map((r) => r.y));
  const right = Math.max(...rects.map((r) => r.x + r.width));
  const bottom = Math.max(...rects.map((r) => r.y + r.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Whether one rectangle is all inside of another. */
export function covers(outer: Rect, inner: Rect): boolean {
  const [right, bottom] = [outer.x + outer.width, outer.y + outer.height];
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= right && inner.y + inner.height <= bottom;
}

/** Whether two rectangles have a point in common. */
export function touch(a: Rect, b: Rect): boolean {
  return a.x <= b.x + b.width && b.x <= a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height;
}

/** Around the first of some rectangles and those others that have room beside it, in their order. */
export function together(rects: readonly Rect[], width: number, height: number): Rect | undefined {
  let all = rects[0];
  for (const rect of rects) {
    const more = around([all!, rect])!;
    if (more.width + 2 * MARGIN <= width && more.height + 2 * MARGIN <= height) all = more;
  }
  return all;
}

/** Where the seen piece has to begin so that `from…to` is in it: where it is, if it is seen already, else centred. */
export function shifted(start: number, length: number, from: number, to: number): number {
  if (from >= start - NEARLY && to <= start + length + NEARLY) return start;
  return to - from > length ? from - MARGIN : (from + to - length) / 2;
}

/** Where a piece that would begin at `start` has to begin to show nothing beyond `from…to`, or that in its middle. */
export function within(start: number, length: number, from: number, to: number): number {
  return to - from < length ? (from + to - length) / 2 : Math.min(Math.max(start, from), to - length);
}

/** Who is told what a camera does. */
export interface Watching {
  /** It begins to follow what happens, or stops. */
  followed(follows: boolean): void;
  /** The pane has another size: says whether it has had the camera turn to another picture. */
  sized(): boolean;
  /** Other things are in sight since the pane has another size, or all was fitted into it. */
  resized(): void;
  moved(): void;
}

export class Camera {
  private scale = 1;
  private x = 0;
  private y = 0;
  private fitted = true;
  /** What was seen before a slide that is still going on. */
  private left: Rect | undefined;
  private onSheet = false;
  size = { width: 0, height: 0 };
  private readonly sizes = new ResizeObserver((entries) => this.measure(entries));
  /** What may lie over the pane, and where it does, px. */
  private above: Element | undefined;
  private covered: Rect | undefined;
  private following = false;
  /** What is fitted where all is too much. */
  home: Rect | undefined;
  /** Below this scale the picture cannot be read: then a piece of it is shown, and it follows what happens. */
  private least = 1;
  /** So much of that is enough to have all in sight; and whether it is on a wall. */
  private enough = 1;
  private far = false;

  constructor(
    private readonly svg: SVGElement,
    private readonly world: SVGElement,
    public bounds: Rect,
    private readonly watching: Watching,
  ) {
    this.sizes.observe(svg);
    handled(svg, this);
    swiped(svg, () => this.sees());
  }

  /** See to it that what is sought is not under an element, which lies over an edge of the pane. */
  avoid(element: Element): void {
    this.above = element;
    this.sizes.observe(element);
  }

  /** The pane has another size, or something else lies over it. */
  private measure(entries: ResizeObserverEntry[]): void {
    if (this.onSheet) return;
    const { left, top } = rectOf(this.svg.parentElement!);
    const over = this.above && rectOf(this.above);
    this.covered = over?.width ? { x: over.x - left, y: over.y - top, width: over.width, height: over.height } : undefined;
    const box = entries.find(({ target }) => target === this.svg)?.contentRect;
    const { width, height } = box ?? this.size;
    const other = width !== this.size.width || height !== this.size.height;
    this.size = { width, height };
    if (other && this.watching.sized()) return;
    if (this.fitted) this.fit();
    else this.watching.resized();
  }

  /** Whether what a step lights is brought into the picture. */
  get follows(): boolean {
    return this.following;
  }

  set follows(value: boolean) {
    this.following = value;
    this.watching.followed(value);
  }

  /** Show another picture. Sizes are those that the browser told: to ask it would have it lay out all again. */
  turnTo(bounds: Rect, least = this.least): void {
    this.bounds = bounds;
    this.least = least;
    this.fit();
  }

  /** Where a piece of the picture is in the pane, px. */
  inPane({ x, y, width, height }: Rect): Rect {
    const { scale } = this;
    return { x: (x - this.x) * scale, y: (y - this.y) * scale, width: width * scale, height: height * scale };
  }

  /** What piece of the picture a piece of the pane shows. */
  inPicture({ x, y, width, height }: Rect): Rect {
    const { scale } = this;
    return { x: x / scale + this.x, y: y / scale + this.y, width: width / scale, height: height / scale };
  }

  /** Look where another camera does; but if that one had all in sight, so that this one has, too. */
  takeOver(before: Camera): void {
    const { size, scale, x, y, fitted, following } = before;
    Object.assign(this, { size, scale, x, y, fitted });
    this.follows = following;
    if (fitted && !covers(this.view, this.bounds)) this.fit();
    else this.apply();
  }

  /** Show a piece as a whole or, where nobody could read that, from its corner on. */
  closeUp(rect: Rect): void {
    const { width, height } = this.size;
    if (!width || !height || covers(this.view, rect)) return;
    const whole = Math.min(width / (rect.width + 2 * MARGIN), height / (rect.height + 2 * MARGIN), FITTED);
    this.scale = Math.max(whole, this.least);
    this.fitted = false;
    this.follows = true;
    const { bounds, view } = this;
    const [x, y] = [rect.x - Math.max(MARGIN, (view.width - rect.width) / 2), rect.y - Math.max(MARGIN, (view.height - rect.height) / 2)];
    this.x = within(x, view.width, bounds.x, bounds.x + bounds.width);
    this.y = within(y, view.height, bounds.y, bounds.y + bounds.height);
    this.apply();
  }

  /** The piece that is seen now or soon; undefined as long as the browser has no place for the picture. */
  get seen(): Rect | undefined {
    if (this.onSheet) return this.bounds;
    return this.size.width && this.size.height ? around([this.view, ...(this.left ? [this.left] : [])]) : undefined;
  }

  get view(): Rect {
    return { x: this.x, y: this.y, width: this.size.width / this.scale, height: this.size.height / this.scale };
  }

  /** Whether there is nothing beyond what is seen, or no more than so many px on each side. */
  sees(but = NEARLY): boolean {
    const { x, y, width, height } = this.bounds;
    const spare = but / this.scale;
    return this.onSheet || covers(this.view, { x: x + spare, y: y + spare, width: width - 2 * spare, height: height - 2 * spare });
  }

  /** Show all of this, as far as somebody has not chosen what to see. */
  frame(bounds: Rect): void {
    this.bounds = bounds;
    if (this.fitted) this.fit();
  }

  /** By how much larger than on a screen all has to be. */
  get enlarged(): number {
    return this.far ? AFAR : 1;
  }

  /** Whether all of this can be read in the pane. */
  shows({ width, height }: Rect): boolean {
    return Math.min(this.size.width / width, this.size.height / height) >= this.least;
  }

  /** Show all of it or, where nobody could read that, its beginning. */
  fit(): void {
    const { width, height } = this.size;
    if (!width || !height) return;
    const least = this.least * this.enlarged;
    const tight = (rect: Rect): number => Math.min(width / rect.width, height / rect.height);
    const fitting = (rect: Rect): number => {
      const loose = Math.min(width / (rect.width + 2 * ROOM), height / (rect.height + 2 * ROOM), this.far ? LARGEST : FITTED);
      return Math.max(loose, Math.min(tight(rect), least));
    };
    const whole = fitting(this.bounds);
    const tooMuch = whole < least * this.enough;
    this.scale = tooMuch ? Math.max(least, this.home ? fitting(this.home) : 0) : whole;
    this.follows = tooMuch;
    this.fitted = true;
    this.x = this.bounds.x - Math.max(0, (width / this.scale - this.bounds.width) / 2);
    this.y = this.bounds.y - Math.max(0, (height / this.scale - this.bounds.height) / 2);
    this.apply();
    this.watching.resized();
  }

  /** Have all of it in the picture, as long as one can point at its parts. */
  keepAll(): void {
    this.enough = POINTED;
    this.fit();
  }

  /** Fit this for a wall: all of it, however small, or as much as the last row can read. */
  onWall(bounds: Rect, all: boolean): void {
    this.far = true;
    this.enough = all ? 0 : 1;
    this.turnTo(bounds);
  }

  /** All of it, as large as the paper allows, which only the browser knows; or what was seen before. */
  onPaper(printing: boolean): void {
    this.onSheet = printing;
    if (!printing) {
      this.svg.removeAttribute("viewBox");
      return this.apply();
    }
    const { x, y, width, height } = this.bounds;
    this.world.removeAttribute("transform");
    set(this.svg, "viewBox", `${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`);
    this.watching.moved();
  }

  fitAll(): void {
    const { width, height } = this.size;
    this.scale = Math.min(width / (this.bounds.width + 2 * ROOM), height / (this.bounds.height + 2 * ROOM), LARGEST);
    this.x = this.bounds.x - (width / this.scale - this.bounds.width) / 2;
    this.y = this.bounds.y - (height / this.scale - this.bounds.height) / 2;
    this.fitted = this.follows = false;
    this.apply();
  }

  /** Come closer by a factor, towards a point of the screen, or the middle and what is sought. */
  zoom(factor: number, atX?: number, atY?: number): void {
    const box = rectOf(this.svg);
    const [left, top] = [(atX ?? box.left + box.width / 2) - box.left, (atY ?? box.top + box.height / 2) - box.top];
    const scale = Math.min(LARGEST, Math.max(0.02, this.scale * factor));
    this.x += left / this.scale - left / scale;
    this.y += top / this.scale - top / scale;
    this.scale = scale;
    this.fitted = false;
    this.apply();
    atX ?? this.watching.resized();
  }

  /** See to it that rectangles are in the picture, the first ones first, and as many as there is room for. */
  reveal(...rects: Rect[]): void {
    const { width, height } = this.view;
    const rect = together(rects, width, height);
    if (!width || !rect) return;
    const { bounds } = this;
    const [left, top] = [Math.max(bounds.x, rect.x - MARGIN), Math.max(bounds.y, rect.y - MARGIN)];
    const right = Math.min(bounds.x + bounds.width, rect.x + rect.width + MARGIN);
    const bottom = Math.min(bounds.y + bounds.height, rect.y + rect.height + MARGIN);
    const x = shifted(this.x, width, left, right);
    const y = this.beside(rect, x, shifted(this.y, height, top, bottom));
    if (x !== this.x || y !== this.y) this.fly(x, y);
  }

  /** How far down the seen piece has to begin so that a rectangle in it is beside what lies over the pane. */
  private beside(rect: Rect, x: number, y: number): number {
    const { covered: each, scale } = this;
    if (!each) return y;
    const over = { x: x + each.x / scale, y: y + each.y / scale, width: each.width / scale, height: each.height / scale };
    const isAbove = 2 * each.y + each.height < this.size.height;
    if (touch(over, rect)) y += isAbove ? rect.y - over.y - over.height - MARGIN : rect.y + rect.height + MARGIN - over.y;
    return y;
  }

  /** Look there at once, and have the browser slide the picture there: that costs one drawing, not one a frame. */
  private fly(x: number, y: number): void {
    const { scale, view } = this;
    const [dx, dy] = [(x - this.x) * scale, (y - this.y) * scale];
    this.x = x;
    this.y = y;
    if (calm() || Math.abs(dx) > FAR * this.size.width || Math.abs(dy) > FAR * this.size.height) return this.apply();
    const { e, f } = new DOMMatrix(getComputedStyle(this.svg).transform);
    this.left = view;
    this.apply();
    const slide = this.svg.animate([{ transform: `translate(${dx + e}px, ${dy + f}px)` }, { transform: "none" }], SLIDE);
    slide.onfinish = () => (this.left = undefined);
  }

  private apply(): void {
    const { width, height } = this.size;
    if (!width || !height) return;
    const shift = [-this.x * this.scale, -this.y * this.scale].map((side) => side.toFixed(2)).join(" ");
    set(this.world, "transform", `translate(${shift}) scale(${this.scale.toFixed(4)})`);
    this.watching.moved();
  }

  /** Go so many px. */
  drag(dx: number, dy: number): void {
    this.look(this.x - dx / this.scale, this.y - dy / this.scale);
  }

  /** Have a place of the picture in the middle, as far as there is picture around it. */
  centre(x: number, y: number): void {
    const { bounds, view } = this;
    const left = within(x - view.width / 2, view.width, bounds.x, bounds.x + bounds.width);
    this.look(left, within(y - view.height / 2, view.height, bounds.y, bounds.y + bounds.height));
  }

  /** Somebody wants to look there. */
  private look(x: number, y: number): void {
    Object.assign(this, { x, y, fitted: false });
    this.apply();
  }
}
