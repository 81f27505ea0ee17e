// The door of a page of its own, whose address says what is seen.
import { on } from "./dom";
import { type Maker, type Moment, Mounted, unpack } from "./mounted";
import { bytesIn } from "./packing";

/** In a page of its own: the address says which step is shown, and keys need no click before them. */
async function open<Data>(Made: Maker<Data>, source: HTMLElement, parent: HTMLElement): Promise<void> {
  const data = await unpack<Data & { style: string; start?: number }>(bytesIn(source.textContent));
  let soon = 0;
  const framed = location.protocol === "about:"; // inside another page, which has the address
  const hash = ({ step, select, view, words: more = {} }: Moment): string => {
    const words = new URLSearchParams({ step: String(step), ...(select ? { select } : {}), view });
    for (const [name, text] of Object.entries(more)) if (text) words.set(name, text);
    return `#${words.toString()}`;
  };
  const write = (moment: Moment): void => {
    clearTimeout(soon); // browsers refuse to be told of each of many steps
    soon = window.setTimeout(() => history.replaceState(null, "", hash(moment)), 150);
  };
  let started = false;
  const address = (): string => new URL(hash(player.moment!), location.href).href;
  const listener = framed ? undefined : { given: () => undefined, picked: () => undefined, address };
  const { player } = new Mounted(Made, parent, data, data.style, (moment) => started && !framed && write(moment), listener);
  const read = (from: string): void => {
    const words = new URLSearchParams(new URL(from).hash.slice(1));
    const view = words.get("view");
    player.take?.(words);
    if (view) player.turnTo(view);
    if (words.has("step") || data.start !== undefined) player.seek(Number(words.get("step") ?? data.start), 0);
    if (words.has("select")) player.select(words.get("select") ?? undefined);
  };
  read(location.href);
  started = true;
  if (!framed) player.welcome?.(new URLSearchParams(location.hash.slice(1)).has("step"));
  // what was put into the address, and not what is there by now: a step that was waiting may have been written over it
  addEventListener("hashchange", ({ newURL }) => read(newURL));
  addEventListener("beforeprint", () => player.onPaper(true));
  addEventListener("afterprint", () => player.onPaper(false));
  on(document, "keydown", (event) => player.key(event));
}

/** Open a page if this is one. */
export function openPage<Data>(Made: Maker<Data>): void {
  const [source, parent] = ["autograd-lab-film", "autograd-lab-player"].map((id) => document.getElementById(id));
  if (source && parent) void open(Made, source, parent);
}
