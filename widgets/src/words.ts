// What is said of a step: its headline, the phase that it is in, a caption, and which of the goals of backward it serves.
import { h, set } from "./dom";
import { at, type Film } from "./film";
import { t } from "./language";

export class Words {
  readonly title: HTMLElement;
  readonly pieces: HTMLElement[];
  private readonly heading = h("h2", { class: "headline" });
  private readonly phase = h("span", { class: "phase-name" });
  private readonly count = h("span", { class: "count" });
  private readonly caption: HTMLElement;
  private readonly goals: HTMLElement[];
  /** The step that the words are about. */
  private said = -1;
  /** Whether nobody has gone anywhere yet. */
  private opening = true;

  /** Words with a `name` are those of one of two films: headed by that, and read out by nobody. `own` has the number of the headlines of the graph that is shown. */
  constructor(
    private readonly film: Film,
    private readonly own: () => number | undefined,
    private readonly name: string,
    beside: HTMLElement,
  ) {
    this.caption = h("p", name ? { class: "caption" } : { class: "caption", role: "status", "aria-live": "polite" });
    this.goals = film.data.goals.map((goal, i) => h("li", {}, h("span", {}, `${i + 1} ${goal}`)));
    this.title = h("div", { class: "title" }, this.heading, this.phase, this.count, beside);
    this.pieces = [this.title, this.caption, h("ol", { class: "goals" }, ...this.goals)];
  }

  /** Whether anything was told yet. */
  get isTold(): boolean {
    return this.count.textContent !== "";
  }

  /** Tell which step it is. */
  tell(step: number): void {
    const { data, steps } = this.film;
    this.phase.textContent = this.name ? "" : this.phaseAt(step);
    this.count.textContent = t`step ${step} of ${steps}`;
    this.goals.forEach((goal, i) => {
      if (data.goal[step] === String(i)) set(goal, "aria-current", "step");
      else goal.removeAttribute("aria-current");
    });
  }

  private phaseAt(step: number): string {
    const { data } = this.film;
    const phase = [...(data.iterations ? [at(data.iterations, step)] : []), at(data.phases, step)].join(", ");
    return phase.charAt(0).toUpperCase() + phase.slice(1);
  }

  /** Say what a step is about. On the way there that waits: no number is told before it has arrived. */
  say(step: number): void {
    if (step === this.said) return;
    this.opening &&= step === this.film.data.start || (!step && this.said < 0);
    this.said = step;
    this.head();
    this.heading.title = this.heading.textContent!;
    const caption = this.film.data.captions[step] ?? "";
    const twice = !this.name && caption === `${this.headline}.`;
    const { ahead } = this;
    this.caption.classList.toggle("twice", twice && !ahead);
    this.caption.replaceChildren(...(this.name ? [h("b", {}, `${this.phaseAt(step)}: `)] : []), ahead || caption);
  }

  /** Where a page opens, what will be seen; not where that is asked for. */
  private get ahead(): string {
    const { start, questions, picking, goals, captions } = this.film.data;
    const { steps } = this.film;
    const told = !this.opening || this.name || questions || picking || !start || start === steps || this.said !== start;
    return told ? "" : t`Where it leads: ${goals.length ? this.headlineAt(steps) : captions[steps]!}`;
  }

  /** Say it in the headline, as it is for the graph that is shown. */
  head(): void {
    this.heading.textContent = this.name || this.headline;
  }

  /** What the step teaches who sees this graph. */
  private get headline(): string {
    return this.headlineAt(Math.max(0, this.said));
  }

  private headlineAt(step: number): string {
    const { words, headlines } = this.film.data;
    const own = this.own();
    return (own === undefined ? undefined : words[own]![step]) ?? at(headlines, step);
  }
}
