// What keys do, and the list that says so: one table for both.
import { button, h } from "./dom";

/** Keys as the list names them, what they do in words, and what to call for each; `false` leaves the key to others. */
export type KeyRow = [names: string, meaning: string, actions: Record<string, () => unknown>];

/** Whether a key is one by which notebooks go on: it then leads out of a player. */
export function leaves({ key, shiftKey, ctrlKey }: KeyboardEvent): boolean {
  return key === "Escape" || (key === "Enter" && (shiftKey || ctrlKey));
}

const HINT =
  "Drag to move the picture; Ctrl and the wheel, or two fingers, come closer. A line of the program, a part of the graph and a step of its life can be clicked.";

export class Keys {
  readonly dialog: HTMLDialogElement;
  readonly button: HTMLButtonElement;
  private readonly actions: Record<string, () => unknown>;

  /** `home` is where keys work; `choose` is told which part Enter was pressed on; the list is followed by `more`. */
  constructor(
    rows: readonly KeyRow[],
    private readonly home: HTMLElement,
    private readonly choose: (target: SVGElement) => void,
    ...more: HTMLElement[]
  ) {
    const list = [...rows, ["?", "this list"]].flatMap(([names, meaning]) => [h("dt", {}, names), h("dd", {}, meaning)]);
    this.dialog = h("dialog", { "aria-label": "Keys" }, h("h3", {}, "Keys"), h("dl", {}, ...list));
    this.dialog.append(...more, h("p", {}, HINT), button(() => this.dialog.close(), {}, "Close"));
    this.button = button(() => this.help(), { "aria-label": "Keys", title: "Keys" }, "?");
    this.actions = { ...Object.fromEntries(rows.flatMap(([, , actions]) => Object.entries(actions))), "?": () => this.help() };
    home.addEventListener("keydown", (event) => this.press(event));
  }

  private actionOf({ key, shiftKey }: KeyboardEvent): (() => unknown) | undefined {
    return (shiftKey ? this.actions[`Shift+${key}`] : undefined) ?? this.actions[key];
  }

  private help(): void {
    this.dialog.showModal();
  }

  /** Do what a key asks for; what is typed into a field is left to it. */
  press(event: KeyboardEvent): void {
    const target = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey || this.dialog.open) return;
    if (target instanceof HTMLSelectElement) return;
    if (target instanceof HTMLInputElement && target.type === "search") {
      if (event.key !== "Escape") return;
      this.home.focus();
      event.stopPropagation();
      return;
    }
    const presses = target instanceof HTMLButtonElement || target instanceof HTMLInputElement;
    if (event.key === " " && presses) return;
    const part = target instanceof SVGElement ? target.closest<SVGElement>("[data-part]") : null;
    const action = event.key === "Enter" && part && !event.shiftKey ? () => this.choose(part) : this.actionOf(event);
    if (!action || action() === false) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
