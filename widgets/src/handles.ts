// Numbers that can be dragged: a slider for each, beside the player, and the cards of leaves themselves.
import { button, focusOn, h, on, set } from "./dom";
import { leaves } from "./keys";
import { t } from "./language";

/** Keys that move a slider. */
const SLIDES = /^(Arrow|Home|End|Page)/;
/** So far one drags a card from the least value to the most, px, unless single values were too near each other then. */
const [ALL, LEAST] = [360, 3];
/** Dragging begins here, px: until then it is a click. */
const STILL = 4;

/** One number with its values, in words. */
export class Handle {
  readonly thumb: HTMLInputElement;
  readonly element: HTMLElement;
  private readonly typed: HTMLInputElement;
  private readonly back: HTMLButtonElement;

  constructor(
    readonly name: string,
    readonly values: readonly string[],
    private readonly home: number,
    private readonly turn: (value: number) => void,
    private readonly say: (text: string) => void,
  ) {
    const label = t`${name}, as a number`;
    this.typed = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 6, "aria-label": label, title: t`Type a number` });
    on(this.typed, "change", () => this.take(this.typed.value));
    on(this.typed, "focus", () => this.typed.select());
    on(this.typed, "keydown", (event) => leaves(event) || event.stopPropagation()); // Enter is a change
    const title = t`${name} = ${values[home]!}, as in the program`;
    this.thumb = h("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": name });
    on(this.thumb, "input", () => turn(Number(this.thumb.value)));
    on(this.thumb, "keydown", (event) => SLIDES.test(event.key) && event.stopPropagation());
    this.back = button(() => turn(home), { "aria-label": title, title }, "↺");
    this.element = h("div", { class: "handle" }, h("b", {}, name), this.thumb, this.typed, this.back);
  }

  /** Have a number typed. */
  type(): void {
    this.typed.focus();
  }

  /** Take the value nearest to what somebody wants, and say so, if that is another. */
  take(wanted: string): void {
    const number = Number(wanted.trim().replace("−", "-").replace(",", ".") || NaN);
    const far = (value: string): number => Math.abs(Number(value) - number);
    const nearest = this.values.reduce((best, value, i) => (far(value) < far(this.values[best]!) ? i : best), 0);
    const found = this.values[nearest]!;
    const [first, last] = [this.values[0], this.values.at(-1)];
    if (Number.isNaN(number)) this.say(t`${this.name} = ${wanted} is no number; there are runs from ${first} to ${last}.`);
    else this.say(far(found) ? t`There is no run with ${this.name} = ${wanted}: this is the nearest, ${this.name} = ${found}.` : "");
    this.turn(Number.isNaN(number) ? Number(this.thumb.value) : nearest);
  }

  /** Where it stands, and what comes of it. */
  show(value: number, outcome: string): void {
    this.thumb.value = String(value);
    this.typed.value = this.values[value]!.replace("-", "−");
    set(this.thumb, "aria-valuetext", `${this.values[value]!}. ${outcome}`);
    if (value === this.home && this.back.matches(":focus")) this.thumb.focus();
    this.back.disabled = value === this.home;
  }

  /** Go so many px from a value. */
  move(from: number, px: number): void {
    const last = this.values.length - 1;
    const value = Math.min(last, Math.max(0, from + Math.round(px / Math.max(LEAST, ALL / last))));
    if (value !== Number(this.thumb.value)) this.turn(value);
  }
}

interface Drag {
  handle: Handle;
  from: number;
  x: number;
  moves: boolean;
}

/** Have the handle that something in an element belongs to follow whoever drags that to the left or right. */
export function dragged(element: HTMLElement, handleOf: (target: Element) => Handle | undefined): void {
  let drag: Drag | undefined;
  const on = (kind: "pointerdown" | "pointermove" | "pointerup" | "pointercancel" | "click", hear: (event: PointerEvent) => unknown): void =>
    element.addEventListener(kind, hear as EventListener, { capture: true });
  on("pointerdown", (event) => {
    const handle = event.button === 0 && event.target instanceof Element ? handleOf(event.target) : undefined;
    drag = handle && { handle, from: Number(handle.thumb.value), x: event.clientX, moves: false };
    if (drag) event.stopPropagation(); // the picture stays where it is
  });
  on("pointermove", (event) => {
    if (!drag || !(event.buttons & 1)) return;
    const px = event.clientX - drag.x;
    if (!drag.moves && Math.abs(px) < STILL) return;
    if (!drag.moves) {
      drag.moves = true;
      element.setPointerCapture(event.pointerId); // the card under the pointer is another one soon
      focusOn(drag.handle.thumb);
    }
    drag.handle.move(drag.from, px);
  });
  on("click", (event) => drag?.moves && event.stopPropagation());
  for (const end of ["pointerup", "pointercancel"] as const) on(end, () => setTimeout(() => (drag = undefined))); // after the click
}

/** The handles in a row, with a hint if there are `cards` to drag; keys that move none of them are for `others`. */
export function row(handles: readonly Handle[], cards: boolean, others: (event: KeyboardEvent) => void, said: HTMLElement): HTMLElement {
  const hint = h("span", { class: "hint" }, cards ? t`v types a number; or drag a card by its ↔` : t`v types a number`);
  const press = (event: KeyboardEvent): void => void (leaves(event) || others(event));
  return h("div", { class: "handles", role: "group", "aria-label": t`Numbers to drag`, onkeydown: press }, ...handles.map(({ element }) => element), hint, said);
}
