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
