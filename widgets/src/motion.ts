// Parts that go from where they stood in one graph to where they stand in another.
import type { Rect } from "./camera";
import type { Part } from "./film";

const GLIDE = { duration: 350, easing: "ease-in-out" };

const placed = (x: number, y: number, scale = 1): Keyframe => ({ transform: `translate(${x}px, ${y}px) scale(${scale})` });

/** Let a part come from where it stood; `from` is in today's measures. */
export function glide(group: SVGElement, from: Rect, { x, y, width }: Part): void {
  if (width) group.animate([placed(from.x, from.y, from.width / width), placed(x, y)], GLIDE);
}

/** Let come into sight what was not there. */
export function fadeIn(group: SVGElement): void {
  group.animate([{ opacity: 0, offset: 0 }], GLIDE);
}
