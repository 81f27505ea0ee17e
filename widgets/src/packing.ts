// How a page brings data along: compressed, and written with 85 characters, of which five say as much as four bytes. Python
// writes it in autograd_lab/view/pages/page_text.py.

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,()*+-;.=/?@^_`{|}~";

/** The bytes that a text has, compressed as they are. */
export function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  const codes = new Map([...LETTERS].map((letter, code) => [letter, code]));
  const bytes = new Uint8Array(Math.floor(text.length * 0.8));
  for (let i = 0, at = 0; i < text.length; i += 5) {
    let word = 0;
    for (let k = i; k < i + 5; k++) word = word * 85 + (codes.get(text[k]!) ?? 84); // what is left out at the end counts as the last letter
    for (let k = 24; k >= 0; k -= 8) bytes[at++] = word >>> k;
  }
  return bytes;
}

/** What travels of a film, or of several. */
interface Packed {
  elements?: (number | string)[][];
  looks: [number, number[], string?][];
  tracks: number[][];
  films?: Packed[];
}

type Places = (told: number) => number;

/** Gives places, of which each is told as how far it is beyond the largest before or, if it is not, as a negative number. */
function places(): Places {
  let largest = -1;
  return (told) => {
    const place = told > 0 ? largest + told : -told;
    largest = Math.max(largest, place);
    return place;
  };
}

/** A film as it was before numbers that point into its lists became differences. */
export function placed(data: Packed): unknown {
  data.films?.forEach(placed);
  if (!data.elements) return data;
  const [shape, child, drawn, look] = [1, 2, 3, 4].map(places) as [Places, Places, Places, Places];
  for (const element of data.elements) element.forEach((it, i) => typeof it === "number" && (element[i] = (i ? child : shape)(it)));
  for (const [, elements] of data.looks) elements.forEach((it, i) => (elements[i] = drawn(it)));
  for (const track of data.tracks) {
    const step = places();
    track.forEach((it, i) => (track[i] = (i % 2 ? look : step)(it)));
  }
  return data;
}
