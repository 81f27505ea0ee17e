// Rows of a timeline: stretches with a name, as phases and modules; nodes that were visited.
import { cells } from "./bundles";
import { claim, h, on, set } from "./dom";
import type { Changes } from "./film";
import { t } from "./language";
import type { Span } from "./span";

/** One row: it is drawn anew whenever the timeline shows another stretch, and can be asked about a time. */
export interface Row {
  readonly element: HTMLElement | SVGElement;
  draw(span: Span): void;
  /** What is there, in words; a row of several says it of where a pointer is. */
  said(time: number, event: MouseEvent): string;
  /** Where a click leads. */
  step(time: number): number;
}

/** One that says what is so at a step. */
export interface Telling extends Row {
  show(step: number): void;
}

/** As much as a letter takes, and what is free beside a name; px. */
const [LETTER, PAD] = [6.8, 4];

/** A box from one time to another as far as it is in sight, with the first of some texts that has room in it. */
function box(span: Span, from: number, to: number, name: string, texts: string[], pad = PAD): HTMLElement | "" {
  const [left, right] = [Math.max(0, span.x(from)), Math.min(span.width, span.x(to))];
  if (right <= left) return "";
  const text = texts.find((each) => each.length * LETTER + 2 * pad <= right - left) ?? "";
  return h("span", { class: name, style: `left:${left}px;width:${right - left}px` }, text);
}

/** The number of the last of some steps that a time has come to, -1 for none. */
function lastBy(steps: readonly number[], time: number): number {
  const next = steps.findIndex((step) => step > time);
  return (next < 0 ? steps.length : next) - 1;
}

/** A path, and what is left of it without its first words. */
function tails(path: string): string[] {
  const words = path.split(/(?<=[. ])/);
  return words.map((_, i) => words.slice(i).join(""));
}

/** Stretches with names, one after the other: each has its name, or the end of a path, if there is room: half a word says nothing. */
export class Ranges implements Row {
  readonly element: HTMLElement;
  private readonly isPath: boolean;

  constructor(
    private readonly changes: Changes<string>,
    private readonly steps: number,
    private readonly whose = "",
    kind = "phases",
  ) {
    this.element = h("div", { class: `stripe ${kind}`, "aria-hidden": "true" });
    this.isPath = kind !== "phases";
  }

  private end(i: number): number {
    return this.changes[i + 1]?.[0] ?? this.steps;
  }

  draw(span: Span): void {
    const boxes = this.changes.map(([start, name, kind = name], i) =>
      name && box(span, start, this.end(i), `phase phase-${kind.split(/[ ,]/)[0]}`, this.isPath ? tails(name) : [name]),
    );
    this.element.replaceChildren(...boxes);
  }

  said(time: number): string {
    const i = lastBy(this.changes.map(([start]) => start), time);
    const [start, name] = this.changes[i] ?? [0, ""];
    return name && `${this.whose && `${this.whose}: `}${t`${name}, steps ${start} to ${this.end(i)}`}`;
  }

  step(time: number): number {
    return Math.round(time);
  }
}

/** A node that was visited: in which pass, as which, and its name. */
export type Visit = [pass: number, number: number, name: string];

/** The step at which a pass runs its node of a number: the pass that the next visit is of, else the last one. */
export function stepOfNode(visits: readonly Visit[], steps: readonly number[], now: number, wanted: number): number | undefined {
  const [pass] = visits[steps.findIndex((step) => step >= now)] ?? visits.at(-1) ?? [];
  return steps[visits.findIndex(([each, number]) => each === pass && number === wanted)];
}

/** The nodes that were visited, one box each, or one for several with their count; the keyboard goes from each to the next. */
export class Visits implements Telling {
  readonly element: HTMLElement;
  private readonly ends: number[];
  private drawn: [HTMLElement, number, number][] = [];
  /** The number of the last one that was visited. */
  private last = -1;
  private isOn = false;

  constructor(
    private readonly steps: readonly number[],
    private readonly visits: readonly Visit[],
    phases: Changes<string>,
    end: number,
    private readonly seek: (step: number) => void,
    private readonly name = "",
  ) {
    const next = (step: number): number => phases.find(([start]) => start > step)?.[0] ?? end;
    this.ends = steps.map((step, i) => Math.min(steps[i + 1] ?? end, next(step)));
    const range = { "aria-valuemin": 1, "aria-valuemax": steps.length };
    this.element = h("div", { class: "stripe visits", role: "slider", tabindex: 0, "aria-label": `${name && `${name}: `}${t`Node visits`}`, ...range });
    on(this.element, "keydown", (event) => this.press(event));
  }

  /** What is said of a visit. */
  label(i: number): string {
    const [pass, number, name] = this.visits[i]!;
    return `${this.name && `${this.name}: `}${t`pass ${pass}, node ${number}: ${name}, step ${this.steps[i]}`}`;
  }

  draw(span: Span): void {
    const [starts, ends] = [this.steps, this.ends].map((steps) => steps.map((step) => span.x(step)));
    this.drawn = cells(starts!, ends!).flatMap(([first, last]) => {
      const text = first === last ? String(this.visits[first]![1]) : `×${last - first + 1}`;
      const drawn = box(span, this.steps[first]!, this.ends[last]!, "visit", [text], 1);
      return drawn ? [[drawn, first, last] as [HTMLElement, number, number]] : [];
    });
    this.element.replaceChildren(...this.drawn.map(([drawn]) => drawn));
    this.light();
  }

  /** The last one that was visited by a time. */
  private at(time: number): number {
    return lastBy(this.steps, time);
  }

  said(time: number): string {
    const i = this.at(time);
    return i < 0 || time >= this.ends[i]! ? "" : this.label(i);
  }

  step(time: number): number {
    const i = this.at(time);
    return i < 0 || time >= this.ends[i]! ? Math.round(time) : this.steps[i]!;
  }

  /** Show which one runs at a step. */
  show(step: number): void {
    this.last = this.at(step);
    this.isOn = this.last >= 0 && (step < this.ends[this.last]! || step === this.steps[this.last]);
    set(this.element, "aria-valuenow", Math.max(1, this.last + 1));
    set(this.element, "aria-valuetext", this.now);
    this.light();
  }

  get now(): string {
    return this.isOn ? this.label(this.last) : t`no node runs now`;
  }

  /** The time at which the last one was visited. */
  get time(): number {
    return this.steps[Math.max(0, this.last)]!;
  }

  private light(): void {
    for (const [drawn, first, last] of this.drawn) drawn.classList.toggle("on", this.isOn && first <= this.last && this.last <= last);
  }

  private press(event: KeyboardEvent): void {
    const ways: Record<string, number> = { ArrowRight: this.last + 1, ArrowLeft: this.isOn ? this.last - 1 : this.last, Home: 0, End: this.steps.length - 1 };
    const to = event.shiftKey ? undefined : ways[event.key];
    if (to === undefined) return;
    claim(event);
    this.seek(this.steps[Math.min(Math.max(to, 0), this.steps.length - 1)]!);
  }
}
