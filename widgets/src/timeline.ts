// Whole runs at a glance: phases, who runs, what is notable, how many bytes are held, over one slider. One can come closer.
import { Ranges, type Row, type Telling, Visits } from "./bands";
import { claim, h, on, rectOf, s, set } from "./dom";
import type { Changes } from "./film";
import { type Lane, Strip } from "./held";
import { t } from "./language";
import { explained, Signs } from "./signs";
import { Span } from "./span";

/** What a timeline shows. */
export interface Told {
  steps: number;
  lanes: readonly Lane[];
  marks: Record<string, number[]>;
  /** What else goes on, a row each: above the phases, and below. */
  loops?: readonly Changes<string>[];
  modules?: readonly Changes<string>[];
  /** What stands below the slider besides. */
  below?: readonly Telling[];
  seek(step: number): void;
  /** Where a step is, in words. */
  told(step: number): string;
}

/** So many times as close one comes by a key. */
const CLOSER = 2;
/** Whoever moves farther than this does not click; px. */
const DRAGGED = 4;

export class Timeline {
  readonly thumb: HTMLInputElement;
  readonly element: HTMLElement;
  /** What the marks that there are stand for. */
  readonly key: HTMLElement;
  private readonly span: Span;
  private readonly rows: Row[];
  private readonly signs: Signs[];
  /** Rows that say what is so at a step. */
  private readonly telling: Telling[];
  private readonly visits: Visits[];
  private readonly tip = h("div", { class: "label", "aria-hidden": "true", hidden: true });
  private readonly all = h("button", { type: "button", class: "whole", hidden: true, onclick: () => this.whole() });
  private time = 0;
  private step = -1;
  /** Where a pointer went down, or was when the timeline followed it last. */
  private grip = 0;
  /** Told at which step somebody points, or that it is none. */
  onpoint: ((step: number | undefined) => void) | undefined;
  private readonly ticks = s("path", { class: "ticks" });
  /** The steps that stand out. */
  private lit: readonly number[] = [];
  private isDragged = false;

  constructor(private readonly shown: Told) {
    const { steps, lanes, marks, loops = [], modules = [], below: more = [], seek } = shown;
    const { difference, visit = [], ...others } = marks;
    this.span = new Span(steps);
    this.thumb = h("input", { type: "range", min: 0, max: steps, step: "any", value: 0, "aria-label": t`Step`, oninput: () => this.slide() });
    const phases = lanes.map(({ phases, name }) => new Ranges(phases, steps, name));
    const bands = (names: readonly Changes<string>[], kind: string): Ranges[] => names.map((each) => new Ranges(each, steps, "", `ranges ${kind}`));
    const visited = lanes.filter(({ visits }) => visits?.length);
    this.visits = visited.map(({ name, visits, visitedAt = visit, phases }) => new Visits(visitedAt, visits!, phases, steps, seek, name));
    const edges = lanes.flatMap(({ phases }) => phases.map(([start]) => start));
    const rest = this.visits.length ? others : { visit, ...others };
    this.signs = [...(difference ? [new Signs({ difference }, edges)] : []), new Signs(rest, edges)];
    const most = Math.max(0, ...lanes.flatMap(({ held }) => held.map(([, count]) => count)));
    const strips = most ? lanes.map((lane) => new Strip(lane, most, steps)) : [];
    const below = [...strips, ...more];
    const above = [...bands(loops, "loops"), ...phases, ...bands(modules, "modules"), ...this.visits, ...this.signs];
    this.rows = [...above, ...below];
    this.telling = [...this.visits, ...below];
    const elements = (rows: readonly Row[]): Element[] => rows.map(({ element }) => element);
    this.element = h("div", { class: "timeline" }, this.tip, this.all, ...elements(above), this.thumb, ...elements(below));
    this.key = explained(Object.keys(marks));
    this.listen();
  }

  private listen(): void {
    for (const row of this.rows) this.touched(row);
    on(this.element, "wheel", (event) => this.wheel(event), { passive: false });
    on(this.element, "keydown", (event) => this.press(event));
    for (const { element } of this.visits) {
      on(element, "focus", () => this.point());
      on(element, "blur", () => (this.tip.hidden = true));
    }
    new ResizeObserver(() => this.draw()).observe(this.rows[0]!.element);
  }

  /** What happens where one points at, clicks and drags a row. */
  private touched(row: Row): void {
    const { element } = row as { element: HTMLElement };
    on(element, "click", (event) => this.isDragged || this.shown.seek(row.step(this.timeAt(event))));
    on(element, "dblclick", () => this.whole());
    on(element, "pointerdown", ({ clientX }) => {
      this.grip = clientX;
      this.isDragged = false;
    });
    on(element, "pointermove", (event) => {
      if (event.buttons & 1) this.drag(event, element);
      else this.tell(row.said(this.timeAt(event), event), event.clientX);
      this.onpoint?.(row.step(this.timeAt(event)));
    });
    on(element, "pointerleave", () => {
      this.tip.hidden = true;
      this.onpoint?.(undefined);
    });
  }

  private drag(event: PointerEvent, element: HTMLElement): void {
    const by = this.grip - event.clientX;
    this.isDragged ||= Math.abs(by) >= DRAGGED;
    if (!this.isDragged) return;
    element.setPointerCapture(event.pointerId);
    this.grip = event.clientX;
    this.tip.hidden = true;
    this.span.pan(by);
    this.draw();
  }

  /** Somebody slides; where they come to need not be where they pull. */
  private slide(): void {
    this.shown.seek(Number(this.thumb.value));
    this.thumb.value = String(this.time);
  }

  private timeAt({ clientX }: MouseEvent): number {
    return this.span.time(clientX - rectOf(this.rows[0]!.element).left);
  }

  /** Say something above a place of the screen. */
  private tell(text: string, x: number): void {
    this.tip.hidden = !text;
    this.tip.textContent = text;
    const { left, width } = rectOf(this.element);
    const most = Math.max(0, width - this.tip.offsetWidth);
    this.tip.style.left = `${Math.min(most, Math.max(0, x - left - this.tip.offsetWidth / 2))}px`;
  }

  /** Say which node runs, if that has the focus. */
  private point(): void {
    const visits = this.visits.find(({ element }) => element.matches(":focus-visible"));
    if (!visits) return;
    this.tell(visits.now, rectOf(visits.element).left + this.span.x(visits.time));
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls; pinching arrives with ctrlKey
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 300), this.timeAt(event));
  }

  private press(event: KeyboardEvent): void {
    const factors: Record<string, number> = { "+": CLOSER, "=": CLOSER, "-": 1 / CLOSER, "0": 0 };
    const factor = factors[event.key];
    if (factor === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    claim(event);
    this.zoom(factor, this.time);
  }

  private zoom(factor: number, time: number): void {
    this.span.zoom(factor, time);
    this.draw();
  }

  /** Show all steps again. */
  private whole(): void {
    if (this.all.contains((this.element.getRootNode() as ShadowRoot).activeElement)) this.thumb.focus();
    this.zoom(0, 0);
  }

  private draw(): void {
    const { span } = this;
    const { left, right } = rectOf(this.rows[0]!.element);
    span.width = right - left;
    for (const row of this.rows) row.draw(span);
    this.drawTicks();
    this.thumb.min = String(span.isWhole ? 0 : span.from);
    this.thumb.max = String(span.isWhole ? span.steps : span.to);
    this.thumb.value = String(this.time);
    this.all.hidden = span.isWhole;
    this.all.textContent = `${t`steps ${Math.ceil(span.from)} to ${Math.floor(span.to)}`} · ${t`show all`}`;
    this.mark();
  }

  private mark(): void {
    for (const signs of this.signs) signs.show(this.time);
    this.point();
  }

  /** Have some steps stand out. */
  light(steps: readonly number[]): void {
    this.lit = steps;
    this.drawTicks();
  }

  private drawTicks(): void {
    const { span } = this;
    const seen = this.lit.filter((step) => step >= span.from && step <= span.to);
    set(this.ticks, "d", seen.map((step) => `M${span.x(step).toFixed(1)} -2v14`).join(""));
    this.signs.at(-1)!.element.append(this.ticks);
  }

  /** Show a time; it is told which step that is in. */
  show(time: number): void {
    this.time = time;
    const step = Math.ceil(time);
    if (step !== this.step) this.tellStep(step);
    if (this.span.reveal(time)) this.draw();
    this.thumb.value = String(time);
    this.mark();
  }

  private tellStep(step: number): void {
    this.step = step;
    set(this.thumb, "aria-valuetext", this.shown.told(step));
    for (const row of this.telling) row.show(step);
  }
}
