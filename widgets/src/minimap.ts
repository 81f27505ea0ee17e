// All of a picture, small, where only a piece of it is in sight: that piece is a frame that can be dragged.
import { type Camera, type Rect, touch } from "./camera";
import { on, rectOf, s, set } from "./dom";
import type { Part } from "./film";

/** It is no larger than this, px, and than this part of the pane, and stands so far from its edges. */
const [WIDTH, HEIGHT, SHARE, OFF] = [168, 112, 0.4, 6];
/** Over a pane that is as low or as narrow as this, px, it hides nothing at all. */
const SMALL = 420;
/** Where no more than this is out of sight, px, there is no need of it. */
const NEARLY = 24;
/** What the step has lit counts for so much more. */
const LIT = 9;

/** What a small map shows of a recording, or of a compilation. */
const BOXES = new Set(["card", "lane", "input", "call"]);

/** A rectangle as a piece of a path. */
const box = ({ x, y, width, height }: Rect): string => `M${x} ${y}h${width}v${height}h${-width}z`;
const boxes = (parts: readonly Part[]): string => parts.filter(({ kind }) => BOXES.has(kind)).map(box).join("");

export class Minimap {
  /** Whoever does not see it has the keys for parts, which bring them into sight. */
  readonly svg = s("svg", { class: "minimap", "aria-hidden": "true" });
  private readonly all = s("path", { class: "all" });
  private readonly lit = s("path", { class: "lit" });
  private readonly frame = s("path", { class: "frame" });
  private scale = 1;
  private parts: readonly Part[] = [];
  private bright: readonly Part[] = [];
  /** Where it is: on the right and the left above, on the right and the left below. */
  private corner = 0;
  private held = false;

  /** `isThere` says of a part whether the step shows it. */
  constructor(
    private readonly camera: Camera,
    private readonly isThere: (part: Part) => boolean,
  ) {
    this.svg.append(this.all, this.lit, this.frame);
    on(this.svg, "pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.go(event);
    });
    on(this.svg, "pointermove", (event) => event.buttons & 1 && this.go(event));
  }

  /** The middle of what is seen goes where the pointer is. */
  private go({ clientX, clientY }: PointerEvent): void {
    const { left, top } = rectOf(this.svg);
    this.held = true; // it does not go from under the pointer
    this.camera.centre((clientX - left) / this.scale, (clientY - top) / this.scale);
    this.held = false;
  }

  /** Draw the cards among these. */
  draw(parts: readonly Part[]): void {
    this.parts = parts;
    set(this.all, "d", boxes(parts));
  }

  /** Those that the step has lit. */
  light(parts: readonly Part[]): void {
    this.bright = parts;
    set(this.lit, "d", boxes(parts));
    this.show();
  }

  /** How much it would hide there. */
  private hidden(place: Rect): number {
    const over = this.camera.inPicture(place);
    const parts = this.parts.filter((part) => part.reach < 2 && touch(part, over) && this.isThere(part));
    return parts.reduce((sum, part) => sum + (this.bright.includes(part) ? LIT : 1), 0);
  }

  /** Show which piece is seen, in the corner where that hides least; if all is seen, there is nothing to be shown. */
  show(): void {
    const { bounds, size, view } = this.camera;
    const { width: wide, height: high } = bounds;
    const seesAll = this.camera.sees(NEARLY);
    this.scale = Math.min(WIDTH / wide, (SHARE * size.width) / wide, HEIGHT / high, (SHARE * size.height) / high);
    const [width, height] = [wide * this.scale, high * this.scale];
    const [right, low] = [size.width - OFF - width, size.height - OFF - height];
    const places = [OFF, low].flatMap((y) => [right, OFF].map((x) => ({ x, y, width, height })));
    const worth = this.held || seesAll ? [] : places.map((place) => this.hidden(place));
    const least = Math.min(...worth);
    if (worth[this.corner]! > least) this.corner = worth.indexOf(least); // else it stays where it is
    const hides = seesAll || (worth[this.corner]! > 0 && Math.min(size.width, size.height) <= SMALL);
    this.svg.classList.toggle("hidden", hides);
    if (hides) return;
    const { x, y } = places[this.corner]!;
    set(this.svg, "viewBox", `${bounds.x} ${bounds.y} ${wide} ${high}`);
    set(this.svg, "style", `translate:${x}px ${y}px;width:${width}px;height:${height}px`);
    set(this.frame, "d", box(view));
  }
}
