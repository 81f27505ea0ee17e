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
function mount(parent: HTMLElement, data: FilmData, style: string, changed: (moment: Moment) => void): [Player, () => void] {
  const host = h("div", { class: "autograd-lab", "data-lm-suppress-shortcuts": "true" });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = (): void => {
    const lab = document.body.dataset["jpThemeLight"];
    host.dataset["theme"] = (lab === undefined ? dark.matches : lab === "false") ? "dark" : "light";
  };
  paint();
  const watcher = new MutationObserver(paint);
  watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  dark.addEventListener("change", paint);
  parent.append(host);
  const player = new Player(host.attachShadow({ mode: "open" }), data, style, changed);
  const destroy = (): void => {
    watcher.disconnect();
    dark.removeEventListener("change", paint);
    player.destroy();
    host.remove();
  };
  return [player, destroy];
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
  const data = await unpack(model.get("film") as DataView<ArrayBuffer>);
  const style = model.get("sheet") as string;
  const [player, destroy] = mount(el, data, style, () => undefined);
  const take = (): void => player.seek(model.get("step") as number);
  const tell = (): void => {
    if (model.get("step") === player.step) return;
    model.set("step", player.step);
    model.save_changes();
  };
  const size = (): void => el.style.setProperty("--height", `${model.get("height") as number}px`);
  const showTwin = hideTwin(el);
  take();
  size();
  model.on("change:step", take);
  model.on("change:height", size);
  player.element.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && player.element.contains(event.relatedTarget))) tell();
  });
  player.element.addEventListener("pointerleave", tell);
  return () => {
    showTwin();
    model.off("change:step", take);
    model.off("change:height", size);
    destroy();
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
  const [player] = mount(parent, await unpack(bytes), style, (moment) => started && write(moment));
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
