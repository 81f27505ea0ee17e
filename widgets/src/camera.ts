// Which piece of the picture is seen, and how large.
import { calm } from "./dom";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

const MARGIN = 18;
const LARGEST = 3;
/** Below this scale texts cannot be read: then a part of the picture is shown, and it follows what happens. */
const READABLE = 0.5;
/** The same for the last row of a room. */
const READABLE_FROM_AFAR = 1;
/** A piece that is too large even at this scale is shown from its corner on. */
const SMALLEST = 0.4;
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
  if (from >= start && to <= start + length) return start;
  return to - from > length ? from - MARGIN : (from + to - length) / 2;
}

export class Camera {
  private scale = 1;
  private x = 0;
  private y = 0;
  private fitted = true;
  /** What was seen before a slide that is still going on. */
  private left: Rect | undefined;
  private onSheet = false;
  private size = { width: 0, height: 0 };
  private following = false;
  /** What is fitted where all is too much. */
  home: Rect | undefined;
  /** Between which scales a picture is fitted. */
  private between = { least: READABLE, most: 1.25 };

  constructor(
    private readonly svg: SVGElement,
    private readonly world: SVGElement,
    public bounds: Rect,
    private readonly followed: (follows: boolean) => void,
    private readonly resized: () => void,
    private readonly moved: () => void,
  ) {
    new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      if (width === this.size.width && height === this.size.height) return;
      this.size = { width, height };
      if (this.fitted) this.fit();
      else this.resized();
    }).observe(svg);
    this.dragged();
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** Whether what a step lights is brought into the picture. */
  get follows(): boolean {
    return this.following;
  }

  set follows(value: boolean) {
    this.following = value;
    this.followed(value);
  }

  /** Show another picture. Sizes are those that the browser told: to ask it would have it lay out all again. */
  turnTo(bounds: Rect): void {
    this.bounds = bounds;
    this.fit();
  }

  /** Look where another camera does; but if that one had all in sight, so that this one has, too. */
  takeOver(before: Camera): void {
    const { size, scale, x, y, fitted, following } = before;
    Object.assign(this, { size, scale, x, y, fitted });
    this.follows = following;
    if (fitted && !covers(this.view, this.bounds)) this.fit();
    else this.apply();
  }

  /** Show a piece as a whole, no larger than it is. */
  closeUp(rect: Rect): void {
    const { width, height } = this.size;
    if (!width || !height) return;
    const whole = Math.min(width / (rect.width + 2 * MARGIN), height / (rect.height + 2 * MARGIN));
    this.scale = Math.min(Math.max(this.scale, READABLE), Math.max(whole, SMALLEST));
    this.fitted = false;
    this.follows = true;
    this.x = rect.x - Math.max(MARGIN, (width / this.scale - rect.width) / 2);
    this.y = rect.y - Math.max(MARGIN, (height / this.scale - rect.height) / 2);
    this.apply();
  }

  /** The piece that is seen now or soon; undefined as long as the browser has no place for the picture. */
  get seen(): Rect | undefined {
    if (this.onSheet) return this.bounds;
    return this.size.width && this.size.height ? around([this.view, ...(this.left ? [this.left] : [])]) : undefined;
  }

  private get view(): Rect {
    return { x: this.x, y: this.y, width: this.size.width / this.scale, height: this.size.height / this.scale };
  }

  /** Show all of this, as far as somebody has not chosen what to see. */
  frame(bounds: Rect): void {
    this.bounds = bounds;
    if (this.fitted) this.fit();
  }

  /** Show all of it or, where nobody could read that, its beginning. */
  fit(): void {
    const { width, height } = this.size;
    if (!width || !height) return;
    const { least, most } = this.between;
    const fitting = (rect: Rect): number => Math.min(width / (rect.width + 2 * MARGIN), height / (rect.height + 2 * MARGIN), most);
    const whole = fitting(this.bounds);
    this.scale = whole < least ? Math.max(least, this.home ? fitting(this.home) : 0) : whole;
    this.follows = whole < least;
    this.fitted = true;
    const room = { width: width / this.scale, height: height / this.scale };
    const spare = [room.width - this.bounds.width, room.height - this.bounds.height] as const;
    this.x = this.bounds.x - Math.max(MARGIN, spare[0] / 2);
    this.y = this.bounds.y - Math.max(MARGIN, spare[1] / 2);
    this.apply();
    this.resized();
  }

  /** Have all of it in the picture, however small. */
  keepAll(): void {
    this.between = { ...this.between, least: 0 };
    this.fit();
  }

  /** Fit this for a wall: all of it, however small, or as much as the last row can read. */
  onWall(bounds: Rect, all: boolean): void {
    this.between = { least: all ? 0 : READABLE_FROM_AFAR, most: LARGEST };
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
    this.svg.setAttribute("viewBox", `${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`);
    this.moved();
  }

  fitAll(): void {
    const { width, height } = this.size;
    this.scale = Math.min(width / (this.bounds.width + 2 * MARGIN), height / (this.bounds.height + 2 * MARGIN), LARGEST);
    this.x = this.bounds.x - (width / this.scale - this.bounds.width) / 2;
    this.y = this.bounds.y - (height / this.scale - this.bounds.height) / 2;
    this.fitted = this.follows = false;
    this.apply();
  }

  /** Come closer by a factor, towards a point of the screen or the middle. */
  zoom(factor: number, atX?: number, atY?: number): void {
    const box = this.svg.getBoundingClientRect();
    const [left, top] = [(atX ?? box.left + box.width / 2) - box.left, (atY ?? box.top + box.height / 2) - box.top];
    const scale = Math.min(LARGEST, Math.max(0.02, this.scale * factor));
    this.x += left / this.scale - left / scale;
    this.y += top / this.scale - top / scale;
    this.scale = scale;
    this.fitted = false;
    this.apply();
  }

  /** See to it that rectangles are in the picture, the first ones first, and as many as there is room for. */
  reveal(...rects: Rect[]): void {
    const { width, height } = this.view;
    const rect = together(rects, width, height);
    if (!width || !rect) return;
    const x = shifted(this.x, width, rect.x - MARGIN, rect.x + rect.width + MARGIN);
    const y = shifted(this.y, height, rect.y - MARGIN, rect.y + rect.height + MARGIN);
    if (x !== this.x || y !== this.y) this.fly(x, y);
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
    this.world.setAttribute("transform", `translate(${shift}) scale(${this.scale.toFixed(4)})`);
    this.moved();
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls; pinching arrives with ctrlKey
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }

  private dragged(): void {
    let from: [number, number] | undefined;
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.button === 0) from = [event.clientX, event.clientY];
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || !(event.buttons & 1)) return;
      const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
      if (!this.svg.classList.contains("dragged") && Math.hypot(dx, dy) < 4) return;
      this.svg.classList.add("dragged");
      this.x -= dx / this.scale;
      this.y -= dy / this.scale;
      from = [event.clientX, event.clientY];
      this.fitted = false;
      this.apply();
    });
    const drop = (): void => {
      from = undefined;
      setTimeout(() => this.svg.classList.remove("dragged"));
    };
    this.svg.addEventListener("pointerup", drop);
    this.svg.addEventListener("pointerleave", drop);
  }
}
