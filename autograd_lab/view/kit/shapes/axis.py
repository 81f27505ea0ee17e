"""The timeline: phases as bands with their word, a mark for each node, where we are, and the bytes that are held."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograd_lab.view.kit.font import clean, text_width
from autograd_lab.view.kit.shapes.stroke import at, circle, group, path, rect, say, short, wide

BAND, RAIL, TICK, HEAD = 26, 4, 16, 9
"""Height of a band and of the rail, length of a mark, radius of the playhead; px."""
BETWEEN_NAMES, BETWEEN_TICKS = 6, 5


@dataclass(frozen=True, slots=True)
class Band:
    """A phase of a run, from one step to another."""

    word: str
    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the rail, at a step; those with a `name` may have it below them."""

    step: int
    kind: str
    name: str = ""


def band(x: float, y: float, width: float, word: str, kind: str = "") -> str:
    """A phase: `forward`, `backward`, `failed` or another. A word that has no room is left out."""
    shown = clean(word) if text_width(clean(word), 13.5, bold=True) <= width - 14 else ""
    return group(f"band {kind}".rstrip(), rect("shape", x, y, width, BAND, 4), say(shown, x + 10, y + 17.8))


def rail(x: float, y: float, width: float) -> str:
    """The rail around y."""
    return rect("rail", x, y - RAIL / 2, width, RAIL, 2)


def past(x: float, y: float, width: float) -> str:
    """The part of the rail that is behind us."""
    return rect("rail past", x, y - RAIL / 2, width, RAIL, 2)


def tick(x: float, y: float, kind: str = "") -> str:
    """The mark of a node."""
    return rect(f"tick {kind}".rstrip(), x - 1.5, y - TICK / 2, 3, TICK, 1.5)


def apart(marks: Iterable[tuple[float, str]]) -> Iterator[tuple[float, str]]:
    """The marks, each with its kind, that leave a gap to the one before."""
    free = -math.inf
    for x, kind in marks:
        if x >= free:
            free = x + BETWEEN_TICKS
            yield x, kind


def playhead(x: float, y: float) -> str:
    """Where we are."""
    return circle("playhead", x, y, HEAD)


def names(marks: Sequence[tuple[float, str]], y: float, now: int | None = None) -> str:
    """Names below the marks, in their order, where they leave room; the one of `now` always stands."""
    taken: list[tuple[float, float]] = []
    drawn = []
    for index in sorted(range(len(marks)), key=lambda index: index != now):
        x, name = marks[index]
        half = wide(name, 13.5, bold=index == now) / 2
        if all(x - half >= end + BETWEEN_NAMES or x + half <= start - BETWEEN_NAMES for start, end in taken):
            taken.append((x - half, x + half))
            drawn.append(say(name, x, y, "note plus mid" if index == now else "below mid"))
    return "".join(drawn)


def held(x: float, y: float, width: float, height: float, sizes: Sequence[tuple[float, float]]) -> str:
    """Bytes that are held: from each place (0 to 1) on so many of the most, as a strip above the line at y."""
    most = max((size for _, size in sizes), default=0.0) or 1.0
    steps = [(x + width * place, y - height * (size / most)) for place, size in sizes]
    if not steps:
        return ""
    edge = f"M{at(*steps[0])}" + "".join(f"H{short(px)}V{short(py)}" for px, py in steps[1:]) + f"H{short(x + width)}"
    return path("bytes", f"{edge}V{short(y)}H{short(steps[0][0])}z") + path("bytes-edge", edge)
