// Questions without a film, built as cards.js: one card after the other.
import { door } from "./doors";
import type { Listener, Screen } from "./mounted";
import { h } from "./dom";
import { Gate, type Given, type QuestionData, type Reply } from "./question";
import CARDS_CSS from "./cards.css";
import CSS from "./style.css";

class Cards implements Screen {
  readonly element: HTMLElement;
  readonly step = 0;
  readonly steps = 0;
  readonly alone = true;
  private readonly gate: Gate;

  constructor(root: ShadowRoot, data: { questions: QuestionData[] }, style: string, _: unknown, listener?: Listener) {
    this.gate = new Gate(data.questions, (id, given) => listener?.given(id, given), () => undefined);
    this.element = h("div", { class: "stack alone" }, this.gate.element);
    const sheet = h("style");
    sheet.textContent = style + CSS + CARDS_CSS;
    root.append(sheet, this.element);
  }

  answer(id: string, given: Given, reply: Reply | undefined): void {
    this.gate.answer(id, given, reply);
  }

  seek(): void {}
  select(): void {}
  turnTo(): void {}
  key(): void {}
  onPaper(): void {}
  destroy(): void {}
}

export default door(Cards);
