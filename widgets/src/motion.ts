// What moves: parts from where they stood to where they stand, and a gradient that leaves for where its number stands.
import type { Rect } from "./camera";
import type { Part } from "./film";

const GLIDE = { duration: 350, easing: "ease-in-out" };
const FLIGHT = { duration: 380, easing: "ease-out" };

const placed = (x: number, y: number, scale = 1): Keyframe => ({ transform: `translate(${x}px, ${y}px) scale(${scale})` });

/** Let a part come from where it stood; `from` is in today's measures. */
export function glide(group: SVGElement, from: Rect, { x, y, width }: Part): void {
  if (width) group.animate([placed(from.x, from.y, from.width / width), placed(x, y)], GLIDE);
}

/** Let come into sight what was not there. */
export function fadeIn(group: SVGElement): void {
  group.animate([{ opacity: 0, offset: 0 }], GLIDE);
}

/** Let the number of a gradient leave where its line does: a ribbon is drawn from there, any other line ends there. */
export function fly(group: SVGElement, { x, y, width, height }: Part, line: SVGElement): void {
  const ribbon = line.querySelector<SVGPathElement>("path.ribbon");
  const path = ribbon ?? line.querySelector<SVGPathElement>("path.line");
  if (!path) return;
  const start = path.getPointAtLength(ribbon ? 0 : path.getTotalLength());
  group.animate([placed(start.x - width / 2, start.y - height / 2), placed(x, y)], FLIGHT);
}
