// A screen in a place of its own, and what it and the world outside know of each other.
import type { Stepped } from "./controls";
import { h, on } from "./dom";
import { speakAs, type Spoken } from "./language";
import { placed } from "./packing";
import type { Given, Reply } from "./question";

/** What is told to the world outside: which step, which part is selected, which view. */
export interface Moment {
  step: number;
  select: string | undefined;
  view: string;
  /** What else an address says; what is empty is left out. */
  words?: Record<string, string>;
}

/** Who is told what a learner answers: a choice, or the parts that were clicked. */
export interface Listener {
  given(id: string, given: Given): void;
  picked(id: string, parts: string[]): void;
  /** The address of what is seen, in a page that has one. */
  address?(): string;
}

/** What stands behind the doors. */
export interface Screen extends Stepped {
  readonly element: HTMLElement;
  readonly moment?: Moment;
  select(id: string | undefined): void;
  turnTo(view: string): void;
  /** Go on where another screen of much the same was. */
  takeOver?(before: Screen): void;
  /** Show around whoever is here for the first time, if not `linked` to something in particular. */
  welcome?(linked: boolean): void;
  /** No picture stands for it where it cannot live. */
  readonly alone?: boolean;
  /** Show an answer that was given, here or elsewhere, and what is said to it. */
  answer?(id: string, given: Given, reply: Reply | undefined): void;
  /** Show what is said to the parts that were clicked. */
  say?(verdict: string): void;
  /** Take from an address what it says besides step, selection and view. */
  take?(words: URLSearchParams): void;
  key(event: KeyboardEvent): void;
  onPaper(printing: boolean): void;
  destroy(): void;
}

/** Makes a screen of what Python packed. */
export type Maker<Data> = new (
  root: ShadowRoot,
  data: Data,
  style: string,
  changed: (moment: Moment) => void,
  listener?: Listener,
) => Screen;

/** Whether what is behind an element is dark, which is how all kinds of pages tell their theme; unknown if all is clear. */
function liesOnDark(element: HTMLElement): boolean | undefined {
  for (let each = element.parentElement; each; each = each.parentElement) {
    const [red, green, blue, opacity = 1] = (getComputedStyle(each).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (opacity > 0.5) return red! * 0.3 + green! * 0.6 + blue! * 0.1 < 128;
  }
  return undefined;
}

/** A screen in a shadow tree, where the styles of the page around do not reach, nor its own get out. */
export class Mounted<Data> {
  readonly host = h("div", { class: "autograd-lab", "data-lm-suppress-shortcuts": "true" });
  player: Screen;
  private readonly root = this.host.attachShadow({ mode: "open" });
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly watcher = new MutationObserver(() => this.paint());
  private readonly paint = (): void => {
    const lab = document.body.dataset["jpThemeLight"];
    const dark = lab === undefined ? (liesOnDark(this.host) ?? this.dark.matches) : lab === "false";
    this.host.dataset["theme"] = dark ? "dark" : "light";
  };

  constructor(
    private readonly Made: Maker<Data>,
    parent: HTMLElement,
    data: Data,
    private readonly style: string,
    private readonly changed: (moment: Moment) => void,
    private readonly listener?: Listener,
  ) {
    parent.append(this.host);
    this.paint();
    for (const each of [document.documentElement, document.body]) this.watcher.observe(each, { attributes: true });
    on(this.dark, "change", this.paint);
    this.player = new Made(this.root, data, style, changed, listener);
  }

  /** Show another film of much the same in place of this one, from a step on. */
  replay(data: Data, step: number): void {
    const before = this.player;
    const focused = this.root.activeElement !== null;
    before.destroy();
    this.root.replaceChildren();
    this.player = new this.Made(this.root, data, this.style, this.changed, this.listener);
    this.player.seek(step);
    this.player.takeOver?.(before);
    if (focused) this.player.element.focus();
  }

  destroy(): void {
    this.watcher.disconnect();
    this.dark.removeEventListener("change", this.paint);
    this.player.destroy();
    this.host.remove();
  }
}

/** What Python packed. */
export async function unpack<Data>(bytes: BufferSource): Promise<Data> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(stream).text()) as Spoken & Parameters<typeof placed>[0];
  speakAs(data);
  return placed(data) as Data;
}
