// A vote by raised hands on one question: counting, the counts, another round, the answer.
import { h, set } from "./dom";
import { t } from "./language";
import { prose, type QuestionData } from "./question";

export const LETTERS = "abcdefgh";

/** How far a vote has come. After `counted` or `revealed` the way on is free. */
export type Stage = "asking" | "counted" | "revealed" | "skipped";

export class Hands {
  readonly element = h("section", { class: "hands", role: "group" });
  stage: Stage = "asking";
  private rounds: number[][];
  private readonly last: number[] = [];
  /** What is said where phones vote, which no key counts. */
  private phoned = "";

  constructor(readonly data: QuestionData) {
    this.rounds = [this.none()];
    this.draw();
  }

  private none(): number[] {
    return this.data.choices.map(() => 0);
  }

  get counts(): number[] {
    return this.rounds.at(-1)!;
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  get done(): boolean {
    return this.stage !== "asking";
  }

  /** One hand more for a choice. */
  raise(choice: number): void {
    if (this.stage !== "asking" || !(choice in this.counts)) return;
    this.counts[choice]! += 1;
    this.last.push(choice);
    this.draw();
  }

  /** The last hand was counted by mistake. */
  lower(): void {
    const choice = this.stage === "asking" ? this.last.pop() : undefined;
    if (choice === undefined) return;
    this.counts[choice]! -= 1;
    this.draw();
  }

  /** Show the counts; whether that could be done. A question without choices has been asked, and that is all. */
  close(): boolean {
    if (this.stage !== "asking" || (this.data.choices.length && !this.total)) return false;
    this.turn("counted");
    return true;
  }

  reveal(): void {
    if (this.stage !== "asking" && this.data.truth) this.turn("revealed");
  }

  skip(): void {
    if (this.stage === "asking") this.turn("skipped");
  }

  /** Vote once more; the counts of this round stay beside those of the next. */
  again(): void {
    if (this.total) this.rounds.push(this.none());
    this.last.length = 0;
    this.turn("asking");
  }

  /** All of it in a few letters, for an address; and back. */
  get written(): string {
    return [this.stage, ...this.rounds.map((counts) => counts.join("."))].join("_");
  }

  take(written: string, phoned = ""): void {
    const [stage, ...rounds] = written.split("_");
    const counts = rounds.map((round) => round.split(".").map(Number));
    const fits = counts.length && counts.every((round) => round.length === this.data.choices.length && round.every((n) => n >= 0 && Number.isInteger(n)));
    if (!["asking", "counted", "revealed", "skipped"].includes(stage!) || !(fits || !this.data.choices.length)) return;
    if (fits) this.rounds = counts;
    this.phoned = phoned;
    this.turn(stage as Stage);
  }

  private turn(stage: Stage): void {
    this.stage = stage;
    this.draw();
  }

  private draw(): void {
    const rows = this.data.choices.map((text, number) => this.row(text, number));
    const list = h("div", { class: "choices", role: "list" }, ...rows);
    this.element.replaceChildren(h("h3", {}, ...prose(this.data.text)), list, h("p", { class: "said", role: "status" }, this.said), ...this.picture());
    set(this.element, "aria-label", t`Question: ${this.data.text}`);
    this.fit();
  }

  /** Have all seen that is revealed, in smaller letters if need be: why it is right is what a teacher reads out. */
  private fit(): void {
    this.element.classList.remove("tight");
    const { scrollHeight = 0, clientHeight = 0 } = this.element.parentElement ?? {};
    this.element.classList.toggle("tight", this.stage === "revealed" && scrollHeight > clientHeight);
  }

  /** The graph that a question about another program has; with its truth it is another one. */
  private picture(): HTMLElement[] {
    const svg = this.data.pictures?.at(this.stage === "revealed" ? -1 : 0);
    return svg ? [h("img", { class: "own", src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: t`The graph that is asked about` })] : [];
  }

  private get said(): string {
    const { choices } = this.data;
    if (this.stage === "skipped") return t`Nobody was asked.`;
    if (this.stage === "asking" && !choices.length) return t`Space goes on.`;
    const asking = this.phoned ? t`Space shows the counts.` : t`Keys 1 to ${choices.length} count, Space shows the counts.`;
    const keys = { asking, counted: t`r reveals, v votes again, Space goes on.`, revealed: "" };
    return `${this.phoned || this.counted} ${keys[this.stage]}`.trim();
  }

  private get counted(): string {
    const hands = this.total === 1 ? t`1 hand` : t`${this.total} hands`;
    return `${this.stage === "revealed" && this.rounds.length > 1 ? t`${hands}, in round ${this.rounds.length}` : hands}.`;
  }

  /** The wrong choice that most hands were for. */
  private get temptation(): number {
    const wrong = this.counts.map((count, number) => (number === this.data.truth?.right ? 0 : count));
    const most = Math.max(...wrong);
    return most ? wrong.indexOf(most) : -1;
  }

  private row(text: string, number: number): HTMLElement {
    const right = this.stage === "revealed" && this.data.truth?.right === number;
    const shown = this.stage === "counted" || this.stage === "revealed";
    const bar = h("div", { class: "bar-of-hands" });
    bar.style.width = shown ? `${(100 * this.counts[number]!) / Math.max(1, ...this.counts)}%` : "0";
    const before = shown && this.rounds.length > 1 ? h("small", {}, ` ${t`before: ${this.rounds.at(-2)![number]}`}`) : "";
    const count = this.stage === "skipped" || (this.phoned && !shown) ? "" : h("b", { class: "number" }, `${right ? `✓ ${t`right`} ` : ""}${this.counts[number]}`, before);
    const why = right || (this.stage === "revealed" && number === this.temptation) ? (this.data.truth?.said[number] ?? "") : "";
    const words = h("span", { class: "text" }, h("b", {}, `${LETTERS[number]!}) `), ...prose(text), why && h("small", { class: "why" }, ...prose(why)));
    return h("div", { class: right ? "choice right" : "choice", role: "listitem" }, bar, words, count);
  }
}
