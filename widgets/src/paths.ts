// What leads to what: of each op Python tells what it takes and what it makes.
import type { FilmData } from "./film";

export class Paths {
  /** By box: the lines from it to the ops that take it. */
  private readonly lines = new Map<string, string[]>();
  /** By op: the boxes that it makes. */
  private readonly made = new Map<string, string[]>();

  constructor({ uses }: Pick<FilmData, "uses">) {
    let first = 0;
    uses.forEach(([count, later, ...taken], op) => {
      first += later!;
      this.made.set(`o${op}`, Array.from({ length: count! }, (_, i) => `b${first + i}`));
      taken.forEach((earlier, i) => {
        const box = `b${first - earlier}`;
        if (earlier) this.lines.set(box, [...(this.lines.get(box) ?? []), `o${op}.u${i}`]);
      });
    });
  }

  /** All things that one comes to from some, by the lines that one can go on. */
  from(things: readonly string[], goes: (line: string) => boolean): Set<string> {
    const found = new Set(things);
    for (const thing of found) {
      const [op, line] = thing.split(".");
      const next = line ? [op!] : [...(this.made.get(thing) ?? []), ...(this.lines.get(thing) ?? []).filter(goes)];
      for (const each of next) found.add(each);
    }
    return found;
  }
}
