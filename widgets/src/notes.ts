// The teacher's window beside the one on the wall: what comes next, the answer, the note, the time.
import { h } from "./dom";
import { type Hands, LETTERS } from "./hands";
import { language, t } from "./language";

/** What is to be told. */
export interface Told {
  title: string;
  note: string;
  caption: string;
  next: string;
  question: Hands | undefined;
}

const STYLE = `body { margin: 0; padding: 1rem 1.3rem; background: #14181d; color: #e8ecf1; font: 19px/1.45 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.2rem; margin: 0 0 .6rem; } h2 { margin: 1.1rem 0 .2rem; color: #a9b4bf; font-size: .85rem; } p { margin: 0 0 .6rem; white-space: pre-line; }
.clock { float: right; font-size: 1.8rem; font-variant-numeric: tabular-nums; } ul { margin: 0; padding: 0; list-style: none; } .right { color: #3fc79a; font-weight: bold; }`;

export class Notes {
  private window: Window | null = null;
  private clock = h("div", { class: "clock", role: "timer" });

  /** `press` is given the keys that are pressed there. */
  constructor(private readonly press: (event: KeyboardEvent) => void) {}

  /** Open it; a browser that opens no windows is told of. */
  open(told: Told): boolean {
    if (!this.window || this.window.closed) {
      this.window = window.open("", "", "popup,width=620,height=720");
      this.window?.document.addEventListener("keydown", this.press);
    }
    this.show(told);
    return this.window !== null;
  }

  show(told: Told): void {
    const place = this.window?.closed === false ? this.window.document : undefined;
    if (!place) return;
    place.title = t`Notes: ${told.title}`;
    place.documentElement.lang = language();
    const style = h("style");
    style.textContent = STYLE;
    const main = h("main", {}, this.clock, h("h1", {}, told.title), ...this.section(t`Now`, told.caption), ...this.section(t`Next`, told.next));
    if (told.question) main.append(...this.answers(told.question));
    main.append(...this.section(t`Note`, told.note));
    place.head.replaceChildren(style);
    place.body.replaceChildren(main);
  }

  private section(title: string, text: string): HTMLElement[] {
    return text ? [h("h2", {}, title), h("p", {}, text)] : [];
  }

  private answers({ data, counts }: Hands): HTMLElement[] {
    const rows = data.choices.map((text, number) =>
      h("li", { class: data.truth?.right === number ? "right" : "" }, `${LETTERS[number]!}) ${text} (${counts[number]}) `, h("small", {}, data.truth?.said[number] ?? "")),
    );
    return [h("h2", {}, t`Question`), h("p", {}, data.text), h("ul", {}, ...rows)];
  }

  tick(time: string): void {
    this.clock.textContent = time;
  }

  close(): void {
    this.window?.close();
  }
}
