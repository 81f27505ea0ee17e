// The door in a notebook: what anywidget loads.
import { claim, h, on } from "./dom";
import { leaves } from "./keys";
import { type Listener, type Maker, Mounted, type Screen, unpack } from "./mounted";
import type { Given, Reply } from "./question";

/** As much of a widget's model as is needed here. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
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

/** Bring a player into view whose cell was run by Shift + Enter: the notebook shows the next cell, and of the player its end. */
function comeIntoView(el: HTMLElement): void {
  if (!el.closest(".jp-Cell")?.nextElementSibling?.classList.contains("jp-mod-active")) return;
  requestAnimationFrame(() => requestAnimationFrame(() => el.scrollIntoView({ block: "nearest" })));
}

/** Let a key that leaves go on in the notebook, from the cell that this is the output of. */
function leave(event: KeyboardEvent, host: HTMLElement): void {
  const cell = leaves(event) && host.closest<HTMLElement>(".jp-Cell");
  if (!cell || event.composedPath().some((each) => each instanceof HTMLDialogElement)) return;
  claim(event);
  cell.focus();
  if (event.key === "Enter") cell.dispatchEvent(new KeyboardEvent("keydown", event));
}

/** Give the whole page the face of the pictures, once for each that there is: a shadow tree can use a face, but not bring one. */
function bring(face: string): void {
  const id = `autograd-lab-face-${face.length}`; // with letters of other languages it is longer
  if (face && !document.getElementById(id)) document.head.append(h("style", { id }, face));
}

/** In a notebook. Stepping tells the kernel nothing; the step is told once, when the player is left. */
export async function render<Data>(Made: Maker<Data>, { model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
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
  const size = (): void => el.style.setProperty("--height", `${model.get("height") as number}px`);
  const showTwin = mounted.player.alone ? () => undefined : hideTwin(el);
  hear();
  mounted.player.seek(step());
  size();
  comeIntoView(el);
  model.on("change:replies", hear);
  model.on("change:film", follow);
  model.on("change:step", follow);
  model.on("change:height", size);
  on(mounted.host, "keydown", (event) => leave(event, mounted.host));
  on(mounted.host, "focusout", tell);
  on(mounted.host, "pointerleave", tell);
  return () => {
    showTwin();
    model.off("change:replies", hear);
    model.off("change:film", follow);
    model.off("change:step", follow);
    model.off("change:height", size);
    mounted.destroy();
  };
}
