// What asks while a film is seen: questions that hold it, and parts to be clicked.
import CARDS_CSS from "./cards.css";
import type { FilmData } from "./film";
import type { Graph } from "./graph";
import type { KeyRow } from "./keys";
import { t } from "./language";
import type { Listener } from "./mounted";
import { Picking } from "./picking";
import { Gate, type Given, type Reply } from "./question";

/** A pocket that is clicked should be large rather than its text: that has 10.5 px then, of 12. */
const PICKED = 0.885;

export class Asking {
  readonly sheet = CARDS_CSS;
  private readonly gate: Gate;
  private readonly picking: Picking | undefined;

  /** `home` is the player, which stays below the cards. */
  constructor({ questions = [], picking }: FilmData, home: HTMLElement, graph: Graph, listener?: Listener) {
    const locks = (locked: boolean): unknown => home.classList.toggle("locked", locked);
    this.gate = new Gate(questions, (id, given) => listener?.given(id, given), locks);
    graph.camera.keepAll(); // what is asked about or clicked has to be in the picture, also below what was said to an answer
    if (!picking) return;
    graph.enough = PICKED;
    this.picking = new Picking(picking, home, graph, (picked) => listener?.picked(picking.id, picked));
    home.classList.add("picking"); // the inspector would lie over what is clicked
  }

  get cards(): HTMLElement[] {
    return [this.gate.cards.length && this.gate.element, this.picking?.element].filter((card) => !!card);
  }

  get keys(): KeyRow[] {
    if (!this.gate.cards.length) return [];
    const choose = (number: number): [string, () => void] => [String(number), () => this.gate.open?.choose(number)];
    const digits = Object.fromEntries([1, 2, 3, 4, 5, 6].map(choose));
    return [["1 2 3 …", t`choose an answer; Enter goes on to how sure you are, and commits`, digits]];
  }

  /** Where one may go who wants to go to a step. */
  hold(step: number): number {
    return this.gate.hold(step);
  }

  answer(id: string, given: Given, reply: Reply | undefined): void {
    this.gate.answer(id, given, reply);
  }

  /** The picture may be another one. */
  turned(): void {
    this.picking?.mark();
  }

  say(verdict: string): void {
    this.picking?.say(verdict);
  }
}
