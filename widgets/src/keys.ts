// What keys do, and the list that says so: one table for both.
import { button, claim, focusOn, h, on } from "./dom";
import { t } from "./language";

/** Keys as the list names them, what they do in words, and what to call for each; `false` leaves the key to others. */
export type KeyRow = [names: string, meaning: string, actions: Record<string, () => unknown>];

/** Whether a key is one by which notebooks go on: it then leads out of a player. */
export function leaves({ key, shiftKey, ctrlKey }: KeyboardEvent): boolean {
  return key === "Escape" || (key === "Enter" && (shiftKey || ctrlKey));
}

/** What fingers and the mouse do, which is all that there is on a phone. */
const gestures = (): [string, string][] => [
  [t`tap, click`, t`what it is; in the program and the timeline: go there`],
  [t`twice`, t`open a card that stands for several`],
  [t`drag`, t`move the picture, or the timeline`],
  [t`two fingers, Ctrl + wheel`, t`closer, farther; on the timeline + − do it, too`],
  [t`swipe over the words`, t`forward, back`],
];

/** Words that stand on the screen without another word on them. */
const words = (): [string, string][] => [
  [t`gradient, ∂`, t`how fast the result changes with this value`],
  [t`backward, pass`, t`the way back through the program, which finds gradients`],
  [t`leaf`, t`a tensor that no recorded operation made: its gradient ends up in .grad`],
  [t`node`, t`what is recorded for backward: AddBackward0 for a +, AccumulateGrad for a leaf`],
  [t`seed`, t`what backward begins with: 1, since the result changes as fast as itself`],
  [t`local derivative`, t`how fast one result changes with what it is made of; what comes in is multiplied by it`],
  [t`saved, pocket, slot`, t`a value that a node keeps to find its gradients`],
  ["‖grad‖", t`the size of a gradient: the root of the sum of its squares; below the timeline, a stronger colour is more`],
  ["v0, v1 …", t`how often a tensor was overwritten`],
];

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
    const list = (name: string, title: string, told: (readonly [string, string, ...unknown[]])[]): HTMLElement =>
      h("section", { class: `list-${name}` }, h("h3", {}, title), h("dl", {}, ...told.flatMap(([word, meaning]) => [h("dt", {}, word), h("dd", {}, meaning)])));
    const keys = list("keys", t`Keys`, [...rows, ["?", t`this list`]]);
    const hands = list("hands", t`Touch and mouse`, gestures());
    const first = matchMedia("(pointer: coarse)").matches ? [hands, ...more, keys] : [keys, ...more, hands];
    this.dialog = h("dialog", { "aria-label": t`Keys` }, button(() => this.dialog.close(), { class: "done" }, t`Close`), ...first, list("words", t`Words`, words()));
    this.button = button(() => this.help(), { class: "help", "aria-label": t`Keys`, title: t`Keys` }, "?");
    this.actions = { ...Object.fromEntries(rows.flatMap(([, , actions]) => Object.entries(actions))), "?": () => this.help() };
    on(home, "keydown", (event) => this.press(event));
    on(home, "click", (event) => this.leave(event));
  }

  /** Whoever clicks a button of the bar, or one that moves the picture, goes on by keys: Space is for the film then. */
  private leave({ detail, target }: MouseEvent): void {
    const pressed = detail > 0 && target instanceof Element ? target.closest(".bar button, .camera button") : null;
    if (pressed && pressed === (this.home.getRootNode() as ShadowRoot).activeElement) focusOn(this.home);
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
    claim(event);
  }
}
