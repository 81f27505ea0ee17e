// The language in which a screen speaks: English, or another one, whose pairs came along with what is shown.

/** What Python sends along, unless all is to be said in English: a language's code, and English texts with theirs. */
export interface Spoken {
  language?: string;
  pairs?: Record<string, string>;
}

/** English words that are looked up when they are said, by what they stand for. */
export type Words = Record<string, string>;

let spoken: Spoken = {};

/** Speak as some data ask for. */
export function speakAs(data: Spoken): void {
  spoken = data;
}

/** The code of the language that is spoken. */
export const language = (): string => spoken.language ?? "en";

/** A word or text without holes in the language that is spoken; English, if it has no pair. */
export const said = (text: string): string => spoken.pairs?.[text] ?? text;

/** A text with holes: its pair is that of `step {} of {}`, and may have them numbered, in another order: `{1} … {0}`. */
export function t(texts: TemplateStringsArray, ...holes: unknown[]): string {
  let next = 0;
  return said(texts.join("{}")).replace(/\{(\d?)\}/g, (_, place) => String(holes[place || next++]));
}
