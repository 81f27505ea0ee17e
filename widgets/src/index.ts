// The two doors: what anywidget loads in a notebook, and what starts by itself in a stand-alone page.
import { h } from "./dom";
import type { FilmData } from "./film";
import { type Moment, Player } from "./player";

/** As much of a widget's model as is needed here. */
interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** A player in a shadow tree, where the styles of the page around do not reach, nor its own get out. */
class Mounted {
  readonly host = h("div", { class: "autograd-lab", "data-lm-suppress-shortcuts": "true" });
  player: Player;
  private readonly root = this.host.attachShadow({ mode: "open" });
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly watcher = new MutationObserver(() => this.paint());
  private readonly paint = (): void => {
    const lab = document.body.dataset["jpThemeLight"];
    this.host.dataset["theme"] = (lab === undefined ? this.dark.matches : lab === "false") ? "dark" : "light";
  };

  constructor(
    parent: HTMLElement,
    data: FilmData,
    private readonly style: string,
    private readonly changed: (moment: Moment) => void,
  ) {
    this.paint();
    this.watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
    this.dark.addEventListener("change", this.paint);
    parent.append(this.host);
    this.player = new Player(this.root, data, style, changed);
  }

  /** Show another film of much the same in place of this one, from a step on. */
  replay(data: FilmData, step: number): void {
    const before = this.player;
    const focused = this.root.activeElement !== null;
    before.destroy();
    this.root.replaceChildren();
    this.player = new Player(this.root, data, this.style, this.changed);
    this.player.seek(step);
    this.player.takeOver(before);
    if (focused) this.player.element.focus();
  }

  destroy(): void {
    this.watcher.disconnect();
    this.dark.removeEventListener("change", this.paint);
    this.player.destroy();
    this.host.remove();
  }
}

/** The film that Python packed. */
async function unpack(bytes: BufferSource): Promise<FilmData> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as FilmData;
}

/** Hide the picture that stands for this player where no player lives: the output right after it. Gives the way back. */
function hideTwin(el: HTMLElement): () => void {
  const own = el.closest(".jp-OutputArea-child");
  let twin: HTMLElement | undefined;
  const hide = (): void => {
    const next = own?.nextElementSibling;
    if (twin || !(next instanceof HTMLElement) || !next.querySelector(".jp-RenderedImage, .jp-RenderedSVG")) return;
    twin = next;
    twin.style.display = "none";
  };
  hide();
  const watcher = new MutationObserver(hide);
  if (own?.parentElement) watcher.observe(own.parentElement, { childList: true, subtree: true });
  return () => {
    watcher.disconnect();
    twin?.style.removeProperty("display");
  };
}

/** In a notebook. Stepping tells the kernel nothing; the step is told once, when the player is left. */
async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  let film = model.get("film");
  const style = model.get("sheet") as string;
  const mounted = new Mounted(el, await unpack(film as BufferSource), style, () => undefined);
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
  const size = (): void => el.style.setProperty("--height", `${model.get("height") as number}px`);
  const showTwin = hideTwin(el);
  mounted.player.seek(step());
  size();
  model.on("change:film", follow);
  model.on("change:step", follow);
  model.on("change:height", size);
  mounted.host.addEventListener("focusout", tell);
  mounted.host.addEventListener("pointerleave", tell);
  return () => {
    showTwin();
    model.off("change:film", follow);
    model.off("change:step", follow);
    model.off("change:height", size);
    mounted.destroy();
  };
}

/** In a page of its own: the address says which step is shown, and keys need no click before them. */
async function open(source: HTMLElement, parent: HTMLElement): Promise<void> {
  const bytes = Uint8Array.from(atob(source.textContent), (char) => char.charCodeAt(0));
  const style = document.getElementById("autograd-lab-style")?.textContent ?? "";
  let soon = 0;
  const write = ({ step, select, view }: Moment): void => {
    const words = new URLSearchParams({ step: String(step), ...(select ? { select } : {}), view });
    clearTimeout(soon); // browsers refuse to be told of each of many steps
    soon = window.setTimeout(() => history.replaceState(null, "", `#${words.toString()}`), 150);
  };
  let started = false;
  const { player } = new Mounted(parent, await unpack(bytes), style, (moment) => started && write(moment));
  const read = (): void => {
    const words = new URLSearchParams(location.hash.slice(1));
    const view = words.get("view");
    if (view) player.turnTo(view);
    if (words.has("step")) player.seek(Number(words.get("step")));
    if (words.has("select")) player.select(words.get("select") ?? undefined);
  };
  read();
  started = true;
  addEventListener("hashchange", read);
  addEventListener("beforeprint", () => player.onPaper(true));
  addEventListener("afterprint", () => player.onPaper(false));
  document.addEventListener("keydown", (event) => player.key(event));
}

const [source, parent] = ["autograd-lab-film", "autograd-lab-player"].map((id) => document.getElementById(id));
if (source && parent) void open(source, parent);

export default { render };
