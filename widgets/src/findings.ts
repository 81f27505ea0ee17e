// What is wrong with a run, worst first: a list over the picture. From each finding one jumps to where it is seen, and its
// lines light up.
import type { Place } from "./film";
import { button, h, set } from "./dom";
import CSS from "./findings.css";
import type { KeyRow } from "./keys";
import { said, t, type Words } from "./language";

/** Words, then perhaps a line of the program, where that is in words, and its place if its file is shown. */
export type Cause = [words: string, text?: string, where?: string, place?: Place | []];

export interface Finding {
  severity: "error" | "warning" | "note";
  sentence: string;
  cause: Cause[];
  remedy: string;
  step: number;
}

const SEVERITIES: Words = { error: "error", warning: "warning", note: "note" };

/** What a finding wants to have shown. */
export interface Showing {
  seek(step: number): void;
  /** Light a line of the program, or none. */
  light(place?: Place): void;
}

export class Findings {
  readonly sheet = CSS;
  readonly pieces: HTMLElement[];
  readonly keys: KeyRow[] = [["d", t`what is wrong: the findings`, { d: () => this.turn() }]];
  private readonly list: HTMLElement;
  private readonly opener: HTMLButtonElement;

  /** `around` is what the list lies over. */
  constructor(found: readonly Finding[], around: HTMLElement, private readonly showing: Showing) {
    const worst = found[0]!.severity;
    const count = found.length > 1 ? t`${found.length} findings` : t`1 finding`;
    const told = { class: "found", "aria-haspopup": "dialog", "aria-expanded": "false", "aria-label": t`What is wrong: ${count}, first: ${said(SEVERITIES[worst]!)}`, title: count };
    this.opener = button(() => this.turn(), told, sign(worst), ` ${found.length}`);
    const close = button(() => this.turn(false), { class: "close", "aria-label": t`Close` }, "×");
    const rows = found.map((finding) => this.row(finding));
    this.list = h("section", { class: "findings", role: "dialog", "aria-label": t`What is wrong`, tabindex: -1, hidden: true, onkeydown: (event: KeyboardEvent) => this.press(event) }, close, ...rows);
    around.append(this.list);
    this.pieces = [this.opener];
  }

  private row({ severity, sentence, cause, remedy, step }: Finding): HTMLElement {
    const head = button(() => this.showing.seek(step), { class: "jump", title: t`Go to step ${step}` }, sign(severity), h("b", {}, ` ${said(SEVERITIES[severity]!)}: `), sentence);
    const causes = cause.map((each) => this.cause(each, step));
    const todo = remedy ? [h("p", { class: "remedy" }, ...inCode(remedy))] : [];
    return h("article", { class: severity }, head, ...causes, ...todo);
  }

  private cause([words, text, where, place]: Cause, step: number): HTMLElement {
    if (text === undefined) return h("p", {}, words);
    const [file, line] = place ?? [];
    const lit = (): void => this.showing.light(file === undefined ? undefined : [file, line!]);
    const off = (): void => this.showing.light();
    const click = (): void => {
      this.showing.seek(step);
      lit();
    };
    return h("p", {}, button(click, { class: "line-told", onpointerenter: lit, onpointerleave: off, onfocus: lit, onblur: off }, `${words} `, h("small", {}, where ?? ""), h("code", {}, text)));
  }

  private press(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.turn(false);
  }

  /** Open the list, or shut it; if nobody says which, the other one of what it is. */
  turn(opens = this.list.hidden === true): void {
    this.list.hidden = !opens;
    set(this.opener, "aria-expanded", opens);
    this.showing.light();
    (opens ? this.list : this.opener).focus();
  }
}

/** How bad a finding is, as a shape: colour is never alone. */
function sign(severity: Finding["severity"]): HTMLElement {
  return h("span", { class: `sign ${severity}`, "aria-hidden": "true" });
}

/** Words with code between backticks. */
function inCode(text: string): (Node | string)[] {
  return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}
