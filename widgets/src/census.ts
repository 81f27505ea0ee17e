// What there is to be explained: kinds of parts, each with its class names, and signs in texts.
import type { Film, Part } from "./film";

/** Parts that a legend explains as it does others. */
const ALIKE: Record<string, string> = { drop: "link" };

export class Census {
  /** How many parts there are of each kind with each number of class names. */
  private readonly counts = new Map<string, number>();
  private readonly names = new Map<string, string[]>();

  constructor(private readonly film: Film) {}

  clear(): void {
    this.counts.clear();
  }

  /** A part looks so from now on, or (`by` -1) does not any more. */
  count(part: Part, look: number, by: 1 | -1): void {
    const key = this.key(part, look);
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  /** Kinds of what is there, each with each of its class names; signs in texts as names of the kind `text`. */
  get present(): Set<string> {
    return new Set([...this.counts].flatMap(([key, count]) => (count ? this.explained(key) : [])));
  }

  private key({ kind }: Part, look: number): string {
    return `${kind} ${this.film.data.looks[look]![0]}`;
  }

  /** The same of one kind of part with one number of class names, found out once. What is yet to come is that alone. */
  private explained(key: string): string[] {
    if (this.names.has(key)) return this.names.get(key)!;
    const [own, number] = key.split(" ") as [string, string];
    const [kind, ...names] = this.film.data.classes[Number(number)]!.split(" ");
    const signs = this.film.data.signs[Number(number)]!.split(" ").map((sign) => `text ${sign}`);
    const kinds = [...new Set([kind, own, ALIKE[own] ?? own])];
    const borne = names.includes("coming") ? ["coming"] : names;
    const found = [...borne.flatMap((name) => kinds.map((each) => `${each} ${name}`)), ...signs];
    return this.names.set(key, kind === "hidden" ? [] : found).get(key)!;
  }

  /** How many of some names are present at the same time, at most. */
  atMost(names: readonly string[], parts: readonly Part[]): number {
    const { steps } = this.film;
    const changes = new Map(names.map((name) => [name, new Int32Array(steps + 2)]));
    for (const part of parts) {
      const { track } = part;
      for (let i = 0; i < track.length; i += 2) {
        for (const name of this.explained(this.key(part, track[i + 1]!))) {
          const change = changes.get(name);
          if (!change) continue;
          change[track[i]!]! += 1;
          change[track[i + 2] ?? steps + 1]! -= 1;
        }
      }
    }
    const sums = new Int32Array(steps + 1);
    for (const change of changes.values()) {
      let count = 0;
      sums.forEach((_, step) => (sums[step]! += (count += change[step]!) ? 1 : 0));
    }
    return sums.reduce((one, other) => Math.max(one, other));
  }
}
