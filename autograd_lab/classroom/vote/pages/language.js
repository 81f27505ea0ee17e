// What the pages say, in the language of the vote: the room tells its pairs.
import pairs from "./pairs.js";

/** A text with holes: its pair is that of `{} of {} voted.`, and may have them numbered, in another order. */
export function t(texts, ...holes) {
  const text = texts.join("{}");
  let next = 0;
  return (pairs[text] ?? text).replace(/\{(\d?)\}/g, (_, place) => String(holes[place || next++]));
}
