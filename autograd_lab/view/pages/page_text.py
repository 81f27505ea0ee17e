"""How data travels in a page: compressed, and written with 85 characters, of which five say as much as four bytes.

That is a sixteenth less than base64. None of the characters means anything in HTML, in a quoted attribute or in JSON.
"""

from __future__ import annotations

import base64
import gzip

RFC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
"""The alphabet that Python's `b85encode` has."""
OWN = RFC.translate(str.maketrans("&<>", ",./"))
"""Ours: `widgets/src/packing.ts` and the start of pages have it, too."""


def packed_text(content: bytes) -> str:
    """Bytes as text, compressed; equal texts for equal bytes."""
    return base64.b85encode(gzip.compress(content, mtime=0)).decode().translate(str.maketrans(RFC, OWN))


def unpacked_text(text: str) -> bytes:
    """The bytes that a text has.

    >>> unpacked_text(packed_text(b"abc" * 99)) == b"abc" * 99
    True
    """
    return gzip.decompress(base64.b85decode(text.translate(str.maketrans(OWN, RFC))))


UNPACK = f"""
const letters = {OWN!r};
const unpack = (text) => {{
  const bytes = new Uint8Array(Math.floor(text.length * 0.8));
  for (let i = 0, at = 0; i < text.length; i += 5) {{
    let word = 0;
    for (let k = i; k < i + 5; k++) word = word * 85 + (k < text.length ? letters.indexOf(text[k]) : 84);
    for (let k = 24; k >= 0; k -= 8) bytes[at++] = word >>> k;
  }}
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}};
""".strip()
"""The same in a browser, for what starts before anything is unpacked."""
