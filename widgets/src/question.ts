// Questions on cards: a choice and how sure one is come first, then the truth beside them. A gate keeps a player from
// going past a question that nobody has answered.
import { button, h, on } from "./dom";
import { t } from "./language";

/** A question as Python sends it. `step` is the last one that may be seen before it; `truth` comes along where no
 * Python will be asked: the number of the right choice, and what is said to each. */
export interface QuestionData {
  id: string;
  text: string;
  choices: string[];
  step: number | null;
  truth?: { right: number; said: string[] };
  /** The step at which a wall shows the truth. */
  shows?: number;
  /** It is about another program than the film. */
  alone?: boolean;
  /** SVG of the graph that it is about then: the first until the truth is told, the last from then on. */
  pictures?: string[];
}

/** What a learner commits to; no choice means that the question was skipped. */
export interface Given {
  choice: number | null;
  confidence: number | null;
}

/** What is said to it, and the number of the right choice, unless that is kept back. */
export interface Reply {
  right: number | null;
  said: string;
}

export const LETTERS = "ABCDEF";
/** How sure one can be. */
const sureness = (): string[] => [t`guessing`, t`fairly sure`, t`certain`];
let count = 0;

/** Text with `code` in backticks and *stress* in asterisks, as nodes. */
export function prose(text: string): (Node | string)[] {
  const stress = /(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])/;
  const stressed = (part: string): (Node | string)[] => part.split(stress).map((each, i) => (i % 2 ? h("em", {}, each) : each));
  return text.split("`").flatMap((part, i) => (i % 2 ? [h("code", {}, part)] : stressed(part)));
}

export class Card {
  readonly element: HTMLElement;
  given: Given | undefined;
  private readonly form: HTMLFormElement;
  private readonly radios: HTMLInputElement[];
  private readonly sure: HTMLInputElement[];
  private readonly note = h("p", { class: "note", role: "status" });
  private readonly outcome = h("div", { class: "outcome", role: "status", tabindex: -1 });

  constructor(
    readonly data: QuestionData,
    private readonly commit: (given: Given) => void,
  ) {
    const name = `question-${(count += 1)}`;
    this.radios = data.choices.map((_, i) => h("input", { type: "radio", name: `${name}-choice`, value: i }));
    this.sure = sureness().map((_, i) => h("input", { type: "radio", name: `${name}-sure`, value: i + 1 }));
    const rows = this.radios.map((input, i) => h("label", {}, input, h("b", {}, LETTERS[i]!), h("span", {}, ...prose(data.choices[i]!))));
    const how = this.sure.map((input, i) => h("label", {}, input, h("b", {}, String(i + 1)), sureness()[i]!));
    this.form = h(
      "form",
      { novalidate: true, onsubmit: (event: SubmitEvent) => this.submit(event) },
      h("fieldset", { class: "choices" }, h("legend", {}, ...prose(data.text)), ...rows),
      h("fieldset", { class: "sure" }, h("legend", {}, t`How sure are you?`), ...how),
      h("button", { type: "submit" }, t`Commit`),
      button(() => this.give({ choice: null, confidence: null }), {}, t`Skip`),
      this.note,
    );
    this.element = h("section", { class: "card", "aria-label": t`Question ${data.id}`, tabindex: -1 }, this.form, this.outcome);
    on(this.element, "keydown", (event) => this.key(event));
  }

  /** Digits choose: an answer or, once there is one and Enter was pressed, how sure one is. */
  private key(event: KeyboardEvent): void {
    if (!(event.target instanceof HTMLInputElement)) return;
    if (event.key !== "Escape") event.stopPropagation(); // arrows go through the choices here, not through the film
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const among = this.sure.includes(event.target) ? this.sure : this.radios;
    const wanted = among[Number(event.key) - 1];
    if (wanted && !this.given) {
      wanted.checked = true;
      wanted.focus();
    } else if (event.key === "Enter") this.submit(event);
  }

  private submit(event: Event): void {
    event.preventDefault();
    const choice = this.radios.findIndex((each) => each.checked);
    const sure = this.sure.findIndex((each) => each.checked);
    if (choice >= 0 && sure >= 0) return this.give({ choice, confidence: sure + 1 });
    this.note.textContent = choice < 0 ? t`Choose an answer first, or skip.` : t`Now say how sure you are: 1, 2 or 3, then Enter.`;
    (choice < 0 ? this.radios : this.sure)[0]!.focus();
  }

  private give(given: Given): void {
    if (this.given) return;
    this.commit(given);
    this.outcome.focus();
  }

  /** Take the cursor here, and say why one cannot go on. */
  ask(why: string): void {
    if (this.given) return;
    this.note.textContent = why;
    (this.radios.find((each) => each.checked) ?? this.element).focus(); // an arrow must not choose
  }

  /** Choose an answer from outside. */
  choose(number: number): void {
    const wanted = this.radios[number - 1];
    if (!wanted || this.given) return;
    wanted.checked = true;
    wanted.focus();
  }

  /** From now on it is answered: prediction beside truth, as far as that is told. */
  show(given: Given, reply: Reply | undefined): void {
    this.given = given;
    this.note.textContent = "";
    for (const input of [...this.radios, ...this.sure]) input.disabled = true;
    if (given.choice !== null) this.radios[given.choice]!.checked = true;
    if (given.confidence !== null) this.sure[given.confidence - 1]!.checked = true;
    for (const button of this.form.querySelectorAll("button")) button.hidden = true;
    const sure = given.confidence === null ? "" : `, ${sureness()[given.confidence - 1]!}`;
    const mine = given.choice === null ? [t`skipped`] : [...this.lettered(given.choice), sure];
    const pair = [h("dt", {}, t`Your prediction`), h("dd", {}, ...mine)];
    if (reply && reply.right !== null) {
      const hit = reply.right === given.choice;
      const mark = hit ? " ✓" : ` ≠ ${t`yours`}`;
      pair.push(h("dt", {}, t`The truth`), h("dd", { class: hit ? "hit" : "miss" }, ...this.lettered(reply.right), mark));
    }
    const said = reply?.said.split("\n").map((line) => h("p", {}, ...prose(line))) ?? [];
    this.outcome.replaceChildren(h("dl", {}, ...pair), ...said);
  }

  private lettered(choice: number): (Node | string)[] {
    return [`${LETTERS[choice]!}  `, ...prose(this.data.choices[choice]!)];
  }
}

/** The cards of a film, one at a time, and the step that none of them lets pass. */
export class Gate {
  readonly element = h("div", { class: "gate" });
  readonly cards: Card[];
  private shown: Card | undefined;

  constructor(
    questions: readonly QuestionData[],
    commit: (id: string, given: Given) => void,
    private readonly changed: (locked: boolean) => void,
  ) {
    this.cards = questions.map((data) => new Card(data, (given) => this.give(data, given, commit)));
    this.reveal(this.open ?? this.cards[0]);
  }

  private give(data: QuestionData, given: Given, commit: (id: string, given: Given) => void): void {
    commit(data.id, given);
    const truth = data.truth;
    const said = given.choice === null ? t`Skipped. Go on, and see what happens.` : (truth?.said[given.choice] ?? "");
    const told = truth && { right: given.choice === null ? null : truth.right, said };
    this.answer(data.id, given, told ?? { right: null, said: given.choice === null ? said : t`Noted. Go on, and see.` });
  }

  /** The first question that has no answer yet. */
  get open(): Card | undefined {
    return this.cards.find((card) => !card.given);
  }

  /** Where one may go who wants to go to a step. */
  hold(step: number): number {
    const locks = this.cards.filter(({ given, data }) => !given && data.step !== null).map(({ data }) => data.step!);
    const last = Math.min(...locks);
    if (step > last) {
      const card = this.cards.find(({ given, data }) => !given && data.step === last);
      this.reveal(card);
      card?.ask(t`First answer this question, or skip it; then the way on is free.`);
    }
    return Math.min(step, last);
  }

  /** Take an answer, just given or given before, with what was said to it. */
  answer(id: string, given: Given, reply: Reply | undefined): void {
    const card = this.cards.find(({ data }) => data.id === id);
    card?.show(given, reply);
    this.reveal(this.shown);
  }

  /** Lay the card on top; once it is answered there is a way to the next. */
  private reveal(card: Card | undefined): void {
    this.shown = card;
    const next = card?.given && this.open;
    const onward = next ? [button(() => this.reveal(next), { class: "next" }, t`Next question`)] : [];
    const place = card && this.cards.length > 1 ? [h("p", { class: "place" }, t`question ${this.cards.indexOf(card) + 1} of ${this.cards.length}`)] : [];
    if (card && this.element.contains(card.element)) {
      for (const old of this.element.querySelectorAll(".next")) old.remove();
      this.element.append(...onward);
    } else this.element.replaceChildren(...place, ...(card ? [card.element] : []), ...onward);
    this.changed(this.open !== undefined && this.open.data.step !== null);
  }
}
