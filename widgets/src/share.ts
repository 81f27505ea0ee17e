// What one takes away: the address of what is seen, and a picture of it, to paste or as a file.
import { button, h, icon, on, set } from "./dom";
import type { KeyRow } from "./keys";
import { t } from "./language";
import { pngOf, save, svgOf } from "./picture";

/** So long is said what was done, ms. */
const SAID = 4000;

export class Share {
  readonly pieces: HTMLElement[];
  private readonly home: HTMLElement;
  private readonly opener = button(() => this.turn(this.menu.hidden === true), { "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": t`Share`, title: t`Share` }, icon("share"));
  private readonly menu: HTMLElement;
  private readonly said = h("span", { class: "toast", "aria-live": "polite" });
  private soon = 0;

  /** `name` is what files are called; without an `address` there is no link to copy. */
  constructor(
    private readonly graph: () => SVGElement,
    private readonly name: () => string,
    address?: () => string,
  ) {
    const items: [string, () => Promise<string>][] = [
      [t`Copy picture`, () => this.copyPicture()],
      [t`Download picture (SVG)`, async () => this.download()],
    ];
    if (address) items.unshift([t`Copy link`, () => this.copyLink(address())]);
    const item = ([label, act]: (typeof items)[number]): HTMLElement => button(() => void this.done(act), { role: "menuitem" }, label);
    this.menu = h("div", { class: "menu", role: "menu", "aria-label": t`Share`, tabindex: -1, hidden: true }, ...items.map(item));
    this.home = h("div", { class: "share", onkeydown: (event) => this.press(event) }, this.opener, this.menu);
    this.pieces = [this.home, this.said];
    on(this.menu, "focusout", ({ relatedTarget }) => this.home.contains(relatedTarget as Node | null) || this.turn(false));
  }

  /** Open the menu, or shut it. */
  private turn(opens: boolean): void {
    this.menu.hidden = !opens;
    set(this.opener, "aria-expanded", opens);
    if (opens) this.items[0]!.focus();
  }

  readonly keys: KeyRow[] = [["c", t`copy a link or the picture`, { c: () => this.turn(true) }]];

  private get items(): HTMLElement[] {
    return [...this.menu.children] as HTMLElement[];
  }

  private press(event: KeyboardEvent): void {
    if (this.menu.hidden || event.key === "Tab") return;
    const { items } = this;
    const at = items.indexOf(event.target as HTMLElement);
    const ways: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const to = ways[event.key];
    event.stopPropagation(); // no key is the film's, as long as it is open
    if (event.key === "Escape") this.shut();
    if (to === undefined) return;
    event.preventDefault();
    items.at(to % items.length)!.focus();
  }

  private shut(): void {
    this.opener.focus();
    this.turn(false);
  }

  private async done(act: () => Promise<string>): Promise<void> {
    this.shut();
    this.said.textContent = await act();
    clearTimeout(this.soon);
    this.soon = window.setTimeout(() => (this.said.textContent = ""), SAID);
  }

  private async copyLink(address: string): Promise<string> {
    try {
      await navigator.clipboard.writeText(address);
      return t`Link copied`;
    } catch {
      return t`The clipboard is not to be had. The link: ${address}`;
    }
  }

  private async copyPicture(): Promise<string> {
    const picture = pngOf(this.graph());
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
      return t`Picture copied`;
    } catch {
      save(await picture, `${this.name()}.png`);
      return t`The clipboard is not to be had: the picture is in your downloads`;
    }
  }

  private download(): string {
    save(new Blob([svgOf(this.graph())], { type: "image/svg+xml" }), `${this.name()}.svg`);
    return t`The picture is in your downloads`;
  }
}
