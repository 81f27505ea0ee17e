import { on } from "./dom";
// What hands do to a picture: one finger or the mouse drags it, two come closer, and a swipe is an arrow key.

/** What is dragged. */
interface Movable {
  /** Whether there is nothing beyond what is seen: then a finger need not drag it. */
  sees(): boolean;
  /** Go so many px. */
  drag(dx: number, dy: number): void;
  zoom(factor: number, atX: number, atY: number): void;
}

/** Until so many px it is a click. */
const STILL = 4;
/** So far a swipe goes at least, px, and so much more along than across. */
const [FAR, STRAIGHT] = [40, 2];

/** Have a picture follow whoever drags it, with one finger, or pinches it, with two. */
export function handled(svg: SVGElement, picture: Movable): void {
  const down = new Map<number, DOMPoint>();
  const move = ({ pointerId, buttons, clientX, clientY, pointerType }: PointerEvent): void => {
    const before = down.get(pointerId);
    if (!before || !(buttons & 1)) return;
    const [dx, dy] = [clientX - before.x, clientY - before.y];
    const other = [...down].find(([id]) => id !== pointerId)?.[1];
    if (!other && ((pointerType === "touch" && picture.sees()) || (!svg.classList.contains("dragged") && Math.hypot(dx, dy) < STILL))) return;
    svg.classList.add("dragged");
    down.set(pointerId, new DOMPoint(clientX, clientY));
    if (!other) return picture.drag(dx, dy);
    const apart = ({ x, y }: { x: number; y: number }): number => Math.max(1, Math.hypot(x - other.x, y - other.y));
    picture.drag(dx / 2, dy / 2);
    picture.zoom(apart({ x: clientX, y: clientY }) / apart(before), (clientX + other.x) / 2, (clientY + other.y) / 2);
  };
  const wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls; pinching arrives with ctrlKey
    event.preventDefault();
    picture.zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  };
  const drop = ({ pointerId }: PointerEvent): void => {
    down.delete(pointerId);
    setTimeout(() => svg.classList.remove("dragged"));
  };
  on(svg, "pointerdown", ({ button, pointerId, clientX, clientY }) => button === 0 && down.set(pointerId, new DOMPoint(clientX, clientY)));
  on(svg, "pointermove", move);
  on(svg, "wheel", wheel, { passive: false });
  for (const end of ["pointerup", "pointerleave", "pointercancel"] as const) svg.addEventListener(end, drop);
}

/** Have a finger that swipes over an element press an arrow key, as long as it `may`. */
export function swiped(element: HTMLElement | SVGElement, may = (): boolean => true): void {
  let from: PointerEvent | undefined;
  const listen = (kind: "pointerdown" | "pointerup", hear: (event: PointerEvent) => void): void => element.addEventListener(kind, hear as EventListener);
  listen("pointerdown", (event) => (from = event.pointerType === "touch" && event.isPrimary && may() ? event : undefined));
  listen("pointerup", ({ clientX, clientY }) => {
    const [dx, dy] = from ? [clientX - from.clientX, clientY - from.clientY] : [0, 0];
    if (Math.abs(dx) < Math.max(FAR, STRAIGHT * Math.abs(dy)) || !may()) return;
    element.dispatchEvent(new KeyboardEvent("keydown", { key: dx < 0 ? "ArrowRight" : "ArrowLeft", bubbles: true }));
  });
}
