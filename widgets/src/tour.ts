// Half a minute for whoever opens a page for the first time: what is where, one pointer after the other.
import { button, focusOn, h, on, rectOf, set } from "./dom";
import { t } from "./language";

const KEY = "autograd-lab tour";
/** What is pointed at, the first of these that is in sight, and what is said of it. */
const pointers = (): [string, string][] => [
  [".words", t`What this step is about, and what happened.`],
  [".graph .card:is(.ready,.running,.failed), .graph .card", t`The graph. Click a card or a number to see where it comes from.`],
  [".line.now, .code", t`The program, and the line that runs. Click a line to go to what it does.`],
  [".timeline", t`All steps. Click where you want to be; → goes on, Space plays.`],
  [".help, .drawer.more", t`All keys, and what else there is, are here. That is all!`],
];

/** Whether somebody wants to be shown around: who was never here before, or asks for it with `?tour`. */
export function isWanted(linked: boolean): boolean {
  if (new URLSearchParams(location.search).has("tour")) return true;
  if (linked || navigator.webdriver) return false;
  try {
    return !localStorage.getItem(KEY);
  } catch {
    return true; // pages without an address of their own may not remember anything
  }
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** How far from what is pointed at, and from the edge; px. */
const [OFF, EDGE] = [12, 6];

/** Where something of a size stands beside a target in a room: below, above, right, or left of it. */
export function beside(target: Box, width: number, height: number, room: Box): { left: number; top: number } {
  const across = Math.max(room.left + EDGE, Math.min(target.left, room.right - width - EDGE));
  const along = Math.max(room.top + EDGE, Math.min(target.top, room.bottom - height - EDGE));
  const places = [
    { left: across, top: target.bottom + OFF },
    { left: across, top: target.top - OFF - height },
    { left: target.right + OFF, top: along },
    { left: target.left - OFF - width, top: along },
  ];
  const fits = ({ left, top }: { left: number; top: number }): boolean =>
    left >= room.left && top >= room.top && left + width <= room.right && top + height <= room.bottom;
  return places.find(fits) ?? places[0]!;
}

export class Tour {
  private readonly text = h("p", { id: "tour-says" });
  private readonly next = button(() => this.go(), {});
  private readonly skip = button(() => this.end(), {}, t`Skip`);
  private readonly bubble = h("div", { class: "tour", role: "dialog", "aria-describedby": "tour-says" }, this.text, this.skip, this.next);
  private readonly ring = h("div", { class: "pointed" });
  private readonly pointers: ReturnType<typeof pointers>;
  private readonly watcher = new ResizeObserver(() => this.place());
  private at = -1;

  constructor(private readonly home: HTMLElement) {
    this.pointers = pointers().filter(([target]) => this.find(target));
    try {
      localStorage.setItem(KEY, "seen");
    } catch {
      // then it is shown again, in another page
    }
    home.append(this.ring, this.bubble);
    on(document, "keydown", this.press, true);
    this.go();
    this.watcher.observe(home);
  }

  private find(targets: string): Element | undefined {
    const { top, bottom } = rectOf(this.home);
    const isSeen = (each: Element): boolean => {
      const box = rectOf(each);
      return box.width > 0 && box.top >= top && box.bottom <= bottom;
    };
    return targets.split(", ").flatMap((target) => [...this.home.querySelectorAll(target)]).find(isSeen);
  }

  private readonly press = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.end();
  };

  /** Point at the next thing; after the last one there is nothing more. */
  private go(): void {
    this.at += 1;
    if (this.at === this.pointers.length) return this.end();
    this.text.textContent = this.pointers[this.at]![1];
    const count = t`${this.at + 1} of ${this.pointers.length}`;
    set(this.bubble, "aria-label", t`Tour, ${count}`);
    this.skip.hidden = this.at === this.pointers.length - 1;
    this.next.textContent = this.skip.hidden ? t`Done` : t`Next (${count})`;
    this.place();
    focusOn(this.next);
  }

  /** Stand beside what is pointed at, wherever that is now. */
  place(): void {
    const found = this.find(this.pointers[this.at]?.[0] ?? "none");
    if (!found) return;
    const [room, target] = [rectOf(this.home), rectOf(found)];
    const { left, top } = beside(target, this.bubble.offsetWidth, this.bubble.offsetHeight, room);
    this.bubble.style.translate = `${left - room.left}px ${top - room.top}px`;
    this.ring.style.translate = `${target.left - room.left}px ${target.top - room.top}px`;
    this.ring.style.width = `${target.width}px`;
    this.ring.style.height = `${target.height}px`;
  }

  end(): void {
    if (!this.bubble.isConnected) return;
    this.watcher.disconnect();
    document.removeEventListener("keydown", this.press, true);
    this.bubble.remove();
    this.ring.remove();
    focusOn(this.home);
  }
}
