// All of a picture, small, where only a piece of it is in sight: that piece is a frame that can be dragged.
import type { Camera, Rect } from "./camera";
import { on, rectOf, s, set } from "./dom";

/** It is no larger than this, px, and than this part of the pane; over a lower pane it would hide more than it shows. */
const [WIDTH, HEIGHT, SHARE, LOW] = [168, 112, 0.4, 160];

/** A rectangle as a piece of a path. */
const box = ({ x, y, width, height }: Rect): string => `M${x} ${y}h${width}v${height}h${-width}z`;

export class Minimap {
  /** Whoever does not see it has the keys for parts, which bring them into sight. */
  readonly svg = s("svg", { class: "minimap", "aria-hidden": "true" });
  private readonly all = s("path", { class: "all" });
  private readonly lit = s("path", { class: "lit" });
  private readonly frame = s("path", { class: "frame" });
  private scale = 1;

  constructor(private readonly camera: Camera) {
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
    this.camera.centre((clientX - left) / this.scale, (clientY - top) / this.scale);
  }

  /** Draw these cards. */
  draw(cards: readonly Rect[]): void {
    set(this.all, "d", cards.map(box).join(""));
  }

  /** Those that the step has lit. */
  light(cards: readonly Rect[]): void {
    set(this.lit, "d", cards.map(box).join(""));
  }

  /** Show which piece is seen; if that is all, there is nothing to be shown. */
  show(): void {
    const { bounds, size, view, seesAll } = this.camera;
    const hides = seesAll || size.height < LOW;
    this.svg.classList.toggle("hidden", hides);
    if (hides) return;
    const { x, y, width, height } = bounds;
    this.scale = Math.min(Math.min(WIDTH, SHARE * size.width) / width, Math.min(HEIGHT, SHARE * size.height) / height);
    set(this.svg, "viewBox", `${x} ${y} ${width} ${height}`);
    set(this.svg, "width", width * this.scale);
    set(this.svg, "height", height * this.scale);
    set(this.frame, "d", box(view));
  }
}
