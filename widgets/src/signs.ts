// The row of a timeline with what is notable: a sign for each, or a bundle with its count.
import type { Row } from "./bands";
import { type Bundle, bundled, room } from "./bundles";
import { h, s, set } from "./dom";
import { said, t, type Words } from "./language";
import type { Span } from "./span";

/** What each kind of notable step is drawn as, in a row 10 high. */
const SIGNS: Record<string, string> = {
  difference: "M-4 3h8M-4 7h8M3 0l-6 10",
  visit: "M0 3v5",
  save: "M-3 3h6v4h-6z",
  free: "M-3 3h6v4h-6z",
  write: "M0 1l4 7h-8z",
  store: "M0 8l-3-5h6z",
  backward: "M0 0v10",
  error: "M-4 1l8 8m0-8l-8 8",
  pass: "M0 0v10",
  drop: "M-3 2l6 6m0-6l-6 6",
  rewrite: "M-4 5h8l-3-3m3 3l-3 3",
  fuse: "M-3 2h6m-6 3h6m-6 3h6",
  keep: "M-3 3h6v4h-6z",
  place: "M0 3v5",
};
const NAMES: Words = {
  difference: "difference",
  visit: "visit of a node",
  save: "saved value",
  free: "freed value",
  write: "write in place",
  store: "gradient stored",
  backward: "backward pass",
  error: "error",
  pass: "end of a pass",
  drop: "operation left out",
  rewrite: "operation done in another way",
  fuse: "loop",
  keep: "array kept for backward",
  place: "array put into a buffer",
};

/** What a kind is called. */
export const called = (kind: string): string => said(NAMES[kind] ?? kind);

/** What is as near as this is what one points at; px. */
const NEAR = 6;

/** The sign of a kind of notable step, at a place. */
const sign = (kind: string, x: number): SVGElement => s("path", { class: `mark mark-${kind}`, d: SIGNS[kind]!, transform: `translate(${x})` });

/** The signs of some kinds, and what they stand for. */
export function explained(kinds: readonly string[]): HTMLElement {
  const items = kinds.filter((kind) => SIGNS[kind]).map((kind) => {
    const svg = s("svg", { class: "marks", viewBox: "-6 -1 12 12", "aria-hidden": "true" });
    svg.append(sign(kind, 0));
    return h("li", {}, svg, called(kind));
  });
  return h("ul", { class: "key" }, ...items);
}

/** Marks of what is notable, and where one is. */
export class Signs implements Row {
  readonly element = s("svg", { class: "stripe marks", "aria-hidden": "true" });
  private readonly marks: [number, string][];
  private readonly layer = s("g");
  private readonly cursor = s("path", { class: "cursor" });
  private bundles: Bundle[] = [];
  private span: Span | undefined;

  constructor(
    marks: Record<string, number[]>,
    private readonly edges: readonly number[],
  ) {
    const all = Object.entries(marks).flatMap(([kind, steps]) => steps.map((step) => [step, kind] as [number, string]));
    this.marks = all.filter(([, kind]) => SIGNS[kind]).sort(([one], [other]) => one - other);
    this.element.append(this.layer, this.cursor);
  }

  draw(span: Span): void {
    this.span = span;
    const inSight = this.marks.map(([step, kind]) => [span.x(step), kind] as const).filter(([x]) => x >= 0 && x <= span.width);
    this.bundles = bundled(inSight, this.edges.map((edge) => span.x(edge)), span.width);
    this.layer.replaceChildren(...this.bundles.flatMap((bundle) => this.drawn(bundle)));
  }

  /** Each sign with how many there are, on a line as long as there are some. */
  private drawn({ from, to, counts, left, width }: Bundle): SVGElement[] {
    const line = to - from > width ? [s("path", { class: "reach", d: `M${from} 5H${left}M${left + width} 5H${to}` })] : [];
    let x = left;
    const signs = [...counts].flatMap(([kind, count]) => {
      const parts = [sign(kind, x + 4.5)];
      if (count > 1) parts.push(s("text", { x: x + 10, y: 9.5 }));
      if (count > 1) parts[1]!.textContent = String(count);
      x += room(count);
      return parts;
    });
    return [...line, ...signs];
  }

  private under(time: number): Bundle | undefined {
    const x = this.span?.x(time) ?? 0;
    const off = ({ from, to, left, width }: Bundle): number => Math.max(Math.min(from, left) - x, x - Math.max(to, left + width), 0);
    return this.bundles.filter((bundle) => off(bundle) < NEAR).sort((one, other) => off(one) - off(other))[0];
  }

  said(time: number): string {
    const bundle = this.under(time);
    if (!bundle) return "";
    const [first, last] = [bundle.from, bundle.to].map((x) => Math.round(this.span!.time(x)));
    const told = [...bundle.counts].map(([kind, count]) => `${count > 1 ? `${count} × ` : ""}${called(kind)}`);
    return `${told.join(", ")}, ${first === last ? t`step ${first}` : t`steps ${first} to ${last}`}`;
  }

  /** The step of the nearest mark, where there is one. */
  step(time: number): number {
    if (!this.under(time)) return Math.round(time);
    const far = ([step]: [number, string]): number => Math.abs(step - time);
    return this.marks.reduce((one, other) => (far(other) < far(one) ? other : one))[0];
  }

  /** Show where a time is. */
  show(time: number): void {
    if (!this.span) return;
    const x = this.span.x(time);
    set(this.cursor, "d", x >= 0 && x <= this.span.width ? `M${x} 0v10` : "");
  }
}
