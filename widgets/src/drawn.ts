// One part as it is drawn: a group of shapes, of which another look changes only those that it does not share.
import { s, set } from "./dom";
import type { Film, Part } from "./film";

/** An element of the film, made. */
export function make(film: Film, element: number): SVGElement {
  const [shape, ...children] = film.data.elements[element]!;
  const node = s(...film.data.shapes[shape]!);
  for (const child of children) node.append(...(typeof child === "string" ? [child] : [make(film, child), ...(node.localName === "g" ? [" "] : [])])); // apart, as below
  return node;
}

interface Child {
  element: number;
  node: SVGElement;
}

export class Drawn {
  /** How it looks; what is far from what is seen is made and drawn so only when it comes near. */
  look = -1;
  /** The look that it counts as having. */
  counted = -1;
  /** Whether it stands otherwise than at rest. */
  moved = false;
  private made: SVGElement | undefined;
  private drawn = -1;
  private children: Child[] = [];

  constructor(
    private readonly film: Film,
    public part: Part,
    private readonly nameOf: (drawn: Drawn) => string,
    private isNear: boolean,
  ) {}

  get group(): SVGElement {
    if (this.made) return this.made;
    const { id, isLine, x, y } = this.part;
    const place = isLine ? {} : { transform: `translate(${x} ${y})` };
    return (this.made = s("g", { class: "hidden", "data-part": id, tabindex: -1, role: "button", ...place }));
  }

  wear(look: number): void {
    this.look = look;
    if (this.isNear) this.draw();
  }

  get near(): boolean {
    return this.isNear;
  }

  set near(value: boolean) {
    if (value === this.isNear) return;
    this.isNear = value;
    if (value) this.draw();
    else this.made?.remove();
  }

  /** Say anew what it is called. */
  rename(): void {
    if (this.drawn >= 0) set(this.group, "aria-label", this.nameOf(this));
  }

  /** Only what is another element than before is made anew, or written anew if only its text is another. */
  private draw(): void {
    if (this.drawn === this.look) return;
    this.drawn = this.look;
    const elements = this.film.data.looks[this.look]![1];
    set(this.group, "class", elements.length ? this.film.classes(this.look) : "hidden");
    this.rename();
    const wanted = new Set(elements);
    const kept = new Map(this.children.map((child) => [child.element, child.node]));
    const spare = this.children.filter(({ element }) => !wanted.has(element));
    this.children = elements.map((element) => {
      const node = kept.get(element) ?? this.rewritten(spare, element) ?? make(this.film, element);
      kept.delete(element); // should it be wanted twice
      return { element, node };
    });
    for (const { node } of spare) takeOut(node);
    this.children.forEach(({ node }, i) => this.put(node, i));
  }

  /** The node of an element that is not wanted any more and differs in nothing but its text. */
  private rewritten(spare: Child[], element: number): SVGElement | undefined {
    const [shape, text] = this.film.data.elements[element]!;
    if (typeof text !== "string") return undefined;
    const place = spare.findIndex((old) => this.film.data.elements[old.element]![0] === shape);
    if (place < 0) return undefined;
    const [{ node }] = spare.splice(place, 1) as [Child];
    node.textContent = text;
    return node;
  }

  private put(node: SVGElement, place: number): void {
    const at = this.group.children[place];
    if (at === node) return;
    takeOut(node);
    this.group.insertBefore(node, this.group.children[place] ?? null);
    node.after(" "); // keeps texts apart for whoever reads them aloud
  }
}

function takeOut(node: SVGElement): void {
  if (node.parentNode) node.nextSibling?.remove();
  node.remove();
}
