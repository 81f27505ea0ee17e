// Choosing what of the graph is seen: a part by its name, the maths or the engine view.
import { button, h, on, set } from "./dom";
import type { KeyRow } from "./keys";
import { t } from "./language";
import type { Pane } from "./pane";

export class Views {
  readonly pieces: HTMLElement[];
  private readonly find = h("input", { type: "search", placeholder: t`find`, "aria-label": t`Search by name or op` });

  /** `active` gives the pane that keys are about, where there is more than one. */
  constructor(
    private readonly panes: readonly Pane[],
    private readonly active: () => Pane,
  ) {
    const missed = h("span", { class: "missed", role: "alert" });
    const tell = (misses: boolean): void => {
      set(this.find, "aria-invalid", misses);
      missed.textContent = misses ? t`nothing found` : "";
    };
    on(this.find, "input", () => tell(false));
    on(this.find, "keydown", ({ key }) => {
      if (key !== "Enter") return;
      const misses = !this.active().search(this.find.value);
      tell(misses);
      if (!misses) this.active().focus(); // what was found is what the next key is about
    });
    this.pieces = [h("div", { class: "find" }, this.find, missed)];
    if (this.isTwofold) this.pieces.push(button(() => this.turn(), {}, t`maths / engine`));
  }

  /** Whether there is more than one view. */
  private get isTwofold(): boolean {
    return this.panes[0]!.film.data.views.length > 1;
  }

  /** Whether a key can do anything in one of the films. */
  private isUseful(key: string): boolean {
    return this.panes.some(({ film: { data } }) => {
      if (key === "o") return data.graphs.some(({ opened }) => opened);
      return data.marks["visit"] ?? (key === "w" && data.asks.length + data.healthy.length);
    });
  }

  /** The pane that has a reason to give, the active one first. */
  private asked(): Pane {
    const active = this.active();
    return [active, ...this.panes].find((pane) => pane.film.data.asks.length) ?? active;
  }

  private turn(): void {
    const wanted = this.active().other;
    for (const pane of this.panes) pane.turnTo(wanted);
  }

  get keys(): KeyRow[] {
    const camera = (): Pane["graph"]["camera"] => this.active().graph.camera;
    const rows: KeyRow[] = [
      ["↑ ↓", t`previous, next part of the graph`, { ArrowUp: () => this.active().beside(-1), ArrowDown: () => this.active().beside(1) }],
      ["o", t`open or close the selected card; of none, close the one opened last`, { o: () => this.active().graph.toggle(this.active().graph.selected) }],
      ["p", t`to the program: there ↑ ↓ and Enter`, { p: () => this.active().code.focus() }],
      ["l L", t`next, previous step of the selected part`, { l: () => this.active().inspector.go(1), L: () => this.active().inspector.go(-1) }],
      ["u", t`on until backward visits the selected node`, { u: () => this.active().inspector.awaitVisit() }],
      ["w", t`why: where a gradient comes from, why none, who freed this; once more: of the next`, { w: () => this.asked().ask() }],
      ["+ − 0", t`closer, farther, all of it`, { "+": () => camera().zoom(1.25), "-": () => camera().zoom(0.8), "0": () => camera().fitAll() }],
      ...(this.isTwofold ? [["m", t`maths view or engine view`, { m: () => this.turn() }] as KeyRow] : []),
      ["f", t`follow what happens, or do not`, { f: () => this.panes.forEach((pane) => pane.toggleFollow()) }],
      ["/", t`search; once more: the next`, { "/": () => this.find.select() }],
      ["Esc", t`select nothing; once more: back to the notebook`, { Escape: () => this.active().deselect() }],
    ];
    return rows.filter(([names]) => !"ouw".includes(names) || this.isUseful(names));
  }
}
