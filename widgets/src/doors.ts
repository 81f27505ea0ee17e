// The two doors of a screen: what anywidget loads in a notebook, and what starts by itself in a stand-alone page.
import type { Stepped } from "./controls";
import { h } from "./dom";
import { leaves } from "./keys";
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
}

/** What stands behind the doors. */
export interface Screen extends Stepped {
  readonly element: HTMLElement;
  select(id: string | undefined): void;
  turnTo(view: string): void;
  /** Go on where another screen of much the same was. */
  takeOver?(before: Screen): void;
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
type Maker<Data> = new (
  root: ShadowRoot,
  data: Data,
  style: string,
  changed: (moment: Moment) => void,
  listener?: Listener,
) => Screen;

/** As much of a widget's model as is needed here. */
interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** Whether what is behind an element is dark, which is how all kinds of pages tell their theme; unknown if all is clear. */
function liesOnDark(element: HTMLElement): boolean | undefined {
  for (let each = element.parentElement; each; each = each.parentElement) {
    const [red, green, blue, opacity = 1] = (getComputedStyle(each).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (opacity > 0.5) return red! * 0.3 + green! * 0.6 + blue! * 0.1 < 128;
  }
  return undefined;
}

/** A screen in a shadow tree, where the styles of the page around do not reach, nor its own get out. */
class Mounted<Data> {
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
    this.dark.addEventListener("change", this.paint);
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
async function unpack<Data>(bytes: BufferSource): Promise<Data> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as Data;
}

/** Hide the picture that stands for this player where no player lives: the output right after it. Gives the way back. */
function hideTwin(el: HTMLElement): () => void {
  const own = el.closest(".jp-OutputArea-child");
  let twin: HTMLElement | undefined;
  const hide = (): void => {
    const next = own?.nextElementSibling;
    if (twin || !(next instanceof HTMLElement) || !next.querySelector(".autograd-lab-still, .jp-RenderedImage, .jp-RenderedSVG")) return;
    twin = next;
    twin.style.display = "none";
    // Notebook 7 has put output of that height into a small box that scrolls, and will not measure again
    if (document.body.dataset["notebook"]) own?.closest(".jp-mod-outputsScrolled")?.classList.remove("jp-mod-outputsScrolled");
  };
  hide();
  const watcher = new MutationObserver(hide);
  if (own?.parentElement) watcher.observe(own.parentElement, { childList: true, subtree: true });
  return () => {
    watcher.disconnect();
    twin?.style.removeProperty("display");
  };
}

/** A widget's answers: what comes of them goes to Python, which may say something to it. */
class Answers implements Listener {
  constructor(private readonly model: Model) {}

  given(id: string, given: Given): void {
    this.give(id, given);
  }

  picked(id: string, picked: string[]): void {
    this.give(id, { picked, time: Date.now() });
  }

  private give(id: string, given: object): void {
    this.model.set("given", { ...this.all, [id]: given });
    this.model.save_changes();
  }

  private get all(): Record<string, Given | { picked: string[] }> {
    return (this.model.get("given") ?? {}) as Record<string, Given | { picked: string[] }>;
  }

  /** Show all that was answered so far, and what was said to it. */
  tell(screen: Screen): void {
    const replies = (this.model.get("replies") ?? {}) as Record<string, Reply>;
    for (const [id, given] of Object.entries(this.all)) {
      if ("picked" in given) screen.say?.(replies[id]?.said ?? "");
      else screen.answer?.(id, given, replies[id]);
    }
  }
}

/** Let a key that leaves go on in the notebook, from the cell that this is the output of. */
function leave(event: KeyboardEvent, host: HTMLElement): void {
  const cell = leaves(event) && host.closest<HTMLElement>(".jp-Cell");
  if (!cell || event.composedPath().some((each) => each instanceof HTMLDialogElement)) return;
  event.preventDefault();
  event.stopPropagation();
  cell.focus();
  if (event.key === "Enter") cell.dispatchEvent(new KeyboardEvent("keydown", event));
}

/** Give the whole page the face of the pictures, once: a shadow tree can use a face, but not bring one. */
function bring(face: string): void {
  if (face && !document.getElementById("autograd-lab-face")) document.head.append(h("style", { id: "autograd-lab-face" }, face));
}

/** In a notebook. Stepping tells the kernel nothing; the step is told once, when the player is left. */
async function render<Data>(Made: Maker<Data>, { model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  let film = model.get("film");
  const style = model.get("sheet") as string;
  bring((model.get("face") ?? "") as string);
  const answers = new Answers(model);
  const mounted = new Mounted(Made, el, await unpack<Data>(film as BufferSource), style, () => undefined, answers);
  const hear = (): void => answers.tell(mounted.player);
  const step = (): number => model.get("step") as number;
  const take = async (): Promise<void> => {
    if (model.get("film") !== film) {
      film = model.get("film");
      mounted.replay(await unpack(film as BufferSource), step());
    } else mounted.player.seek(step());
  };
  let taken = Promise.resolve();
  const follow = (): void => void (taken = taken.then(take)); // one after the other: a film comes with its step
  const tell = (): void => {
    if (step() === mounted.player.step) return;
    model.set("step", mounted.player.step);
    model.save_changes();
  };
  const size = (): void => {
    const height = model.get("height") as number;
    el.style.setProperty("--height", `${height}px`);
    el.style.setProperty("--tall", `${height + 200}px`); // where all stands one above the other
  };
  const showTwin = mounted.player.alone ? () => undefined : hideTwin(el);
  hear();
  mounted.player.seek(step());
  size();
  model.on("change:replies", hear);
  model.on("change:film", follow);
  model.on("change:step", follow);
  model.on("change:height", size);
  mounted.host.addEventListener("keydown", (event) => leave(event, mounted.host));
  mounted.host.addEventListener("focusout", tell);
  mounted.host.addEventListener("pointerleave", tell);
  return () => {
    showTwin();
    model.off("change:replies", hear);
    model.off("change:film", follow);
    model.off("change:step", follow);
    model.off("change:height", size);
    mounted.destroy();
  };
}

/** In a page of its own: the address says which step is shown, and keys need no click before them. */
async function open<Data>(Made: Maker<Data>, source: HTMLElement, parent: HTMLElement): Promise<void> {
  const bytes = Uint8Array.from(atob(source.textContent), (char) => char.charCodeAt(0));
  const data = await unpack<Data & { style: string; start?: number }>(bytes);
  let soon = 0;
  const framed = location.protocol === "about:"; // inside another page, which has the address
  const write = ({ step, select, view, words: more = {} }: Moment): void => {
    const words = new URLSearchParams({ step: String(step), ...(select ? { select } : {}), view });
    for (const [name, text] of Object.entries(more)) if (text) words.set(name, text);
    clearTimeout(soon); // browsers refuse to be told of each of many steps
    soon = window.setTimeout(() => history.replaceState(null, "", `#${words.toString()}`), 150);
  };
  let started = false;
  const { player } = new Mounted(Made, parent, data, data.style, (moment) => started && !framed && write(moment));
  const read = (): void => {
    const words = new URLSearchParams(location.hash.slice(1));
    const view = words.get("view");
    player.take?.(words);
    if (view) player.turnTo(view);
    if (words.has("step") || data.start !== undefined) player.seek(Number(words.get("step") ?? data.start), 0);
    if (words.has("select")) player.select(words.get("select") ?? undefined);
  };
  read();
  started = true;
  addEventListener("hashchange", read);
  addEventListener("beforeprint", () => player.onPaper(true));
  addEventListener("afterprint", () => player.onPaper(false));
  document.addEventListener("keydown", (event) => player.key(event));
}

/** Open a page if this is one; gives what anywidget asks for. */
export function door<Data>(Made: Maker<Data>): { render: (widget: { model: Model; el: HTMLElement }) => Promise<() => void> } {
  const [source, parent] = ["autograd-lab-film", "autograd-lab-player"].map((id) => document.getElementById(id));
  if (source && parent) void open(Made, source, parent);
  return { render: (widget) => render(Made, widget) };
}
