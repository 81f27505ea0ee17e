// What Python has to say of things to whoever asks: where something came from, or why it is not there.
import { type Film, lookAt, type Row } from "./film";

export class Answers {
  constructor(private readonly film: Film) {}

  /** What is so at a step, if there is anything to be said of it; else what will be first. */
  at(thing: string, step: number): Row | undefined {
    const { answers, rows } = this.film.data;
    const track = answers[thing];
    return track?.length ? rows[lookAt(track, step)] : undefined;
  }

  /** Why something is not there, in the end. */
  reason(thing: string): Row | undefined {
    return this.film.data.rows[this.film.data.reasons[thing] ?? -1];
  }

  /** The thing to ask about first, of some: what is wrong, then what has an answer. */
  first(things: readonly string[]): string | undefined {
    const { asks, answers, reasons } = this.film.data;
    return things.find((thing) => asks.includes(thing)) ?? things.find((thing) => thing in answers || thing in reasons) ?? things[0];
  }

  /** Of some things the first that something is told of at this very step, else the first that has an answer by now. */
  told(things: readonly string[], step: number): string | undefined {
    const happens = (thing: string): boolean => this.film.rowsOf(thing).some((row) => row[2] === step);
    return things.find(happens) ?? things.find((thing) => (this.at(thing, step)?.[2] ?? Infinity) <= step);
  }

  /** All that is to be said at a step: what is so, and why something is not; else what it is, and what happened last. */
  all(thing: string, step: number): Row[] {
    const past = (row: Row | undefined): row is Row => row !== undefined && (row[2] ?? 0) <= step;
    const [answer, reason] = [this.at(thing, step), this.reason(thing)].filter(past);
    if (answer) return reason ? (answer[2] === reason[2] ? [reason] : [answer, reason]) : [answer];
    const rows = this.film.rowsOf(thing);
    const events = [...rows, ...this.film.rowsOf(thing.split(".")[0]!)].filter((row) => row[2] !== undefined && past(row)).sort((one, other) => other[2]! - one[2]!);
    return [...new Set([...rows.slice(1, 2), ...events.slice(0, 1)])];
  }
}
