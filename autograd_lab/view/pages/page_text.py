"""How data travels in a page: compressed, and written with 85 characters, of which five say as much as four bytes.

That is a sixteenth less than base64. None of the characters means anything in HTML, in a quoted attribute or in JSON.
Before that, a number in a film that points into one of its lists says how far it points beyond the largest so far, 1
for the next one; if it points back, it is negative. So most numbers are alike, and the whole takes a seventh less.
`widgets/src/packing.ts` makes places of them again.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable
from typing import Any

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

Turn = Callable[[int], int]


def with_differences(data: dict[str, Any]) -> dict[str, Any]:
    """A film, or several, ready to travel."""
    return _turned(data, _difference)


def with_places(data: dict[str, Any]) -> dict[str, Any]:
    """What travelled, as it was.

    >>> film = {"elements": [[0], [0, 0], [1, "b"]], "looks": [[0, [1, 2]]], "tracks": [[0, 0, 5, 0]]}
    >>> with_differences(film)["tracks"], with_places(with_differences(film)) == film
    ([[1, 1, 5, 0]], True)
    """
    return _turned(data, _place)


def _difference() -> Turn:
    """The next place as it travels."""
    largest = -1

    def turn(place: int) -> int:
        nonlocal largest
        before, largest = largest, max(largest, place)
        return place - before if place > before else -place

    return turn


def _place() -> Turn:
    """The other way round."""
    largest = -1

    def turn(told: int) -> int:
        nonlocal largest
        place = largest + told if told > 0 else -told
        largest = max(largest, place)
        return place

    return turn


def _turned(data: dict[str, Any], turn: Callable[[], Turn]) -> dict[str, Any]:
    if "films" in data:
        return data | {"films": [_turned(film, turn) for film in data["films"]]}
    if "tracks" not in data:
        return data
    shape, child, drawn, look = turn(), turn(), turn(), turn()
    return data | {
        "elements": [[shape(first), *(child(it) if isinstance(it, int) else it for it in inner)]
                     for first, *inner in data["elements"]],
        "looks": [[kind, [drawn(it) for it in elements], *said] for kind, elements, *said in data["looks"]],
        "tracks": [_track(track, turn(), look) for track in data["tracks"]],
    }  # fmt: skip


def _track(track: list[int], step: Turn, look: Turn) -> list[int]:
    return [look(it) if place % 2 else step(it) for place, it in enumerate(track)]
