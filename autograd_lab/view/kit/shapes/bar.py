"""Bars: the sum of a gradient's parts, how many of a stack are done, the lane of a weight that is used many times."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from autograd_lab.view.kit.shapes.stroke import group, rect, say

SUM, BETWEEN, NARROWEST, HOLLOW = 14, 2, 2.5, 6.0
"""Height of a sum, gap and least width of its parts, and of a negative one, which must be seen to be hollow; px."""
LANE, USE = 58, 36
"""Height of a lane, width of the bar of one use; px."""
TO_COME = 5


def sum_bar(
    x: float, y: float, width: float, parts: Sequence[float], total: float | None = None, to_come: Collection[int] = ()
) -> str:
    """The parts that have arrived, end to end, negative ones hollow, in a dashed frame while more are expected.

    Those of the other sign than the sum lie over the end of the rest, and take it back. `total` is the sum of the sizes
    of all parts that there will be, where it is known; the places of parts `to_come` stay free for them.
    """
    sizes = [abs(part) if math.isfinite(part) else 0.0 for part in parts]
    whole = max(sum(sizes), total or 0.0)
    is_whole = parts and not to_come and sum(sizes) >= whole * (1 - 1e-9)
    frame = "" if is_whole else rect("expected", x, y, width, SUM, 3)
    gap, is_positive = _gap(len(parts), width), sum(part for part in parts if math.isfinite(part)) >= 0
    lengths = list(zip(range(len(parts)), parts, _lengths(parts, sizes, whole, width), strict=True))
    forth = [it for it in lengths if not it[1] or not math.isfinite(it[1]) or (it[1] > 0) == is_positive]
    back = [it for it in lengths if it not in forth]
    drawn, at = [], x
    for place, part, long in forth:
        drawn.append("" if place in to_come else _part(at, y, long, part))
        at += long + gap
    for place, part, long in back:
        at = max(x, at - long - gap)
        drawn.append("" if place in to_come else _part(at, y, long, part))
    return group("part", frame, *drawn)


def _gap(count: int, width: float) -> float:
    return BETWEEN if count * (BETWEEN + NARROWEST) <= width / 2 else 0


def _lengths(parts: Sequence[float], sizes: Sequence[float], whole: float, width: float) -> list[float]:
    """Lengths in proportion; what would be too short to see is as short as can be, and the others give the room."""
    room = width - _gap(len(sizes), width) * max(len(sizes) - 1, 0)
    most = room / max(len(sizes), 1)
    least = [min(HOLLOW if part < 0 else NARROWEST, most) for part in parts]
    share = [room * (size / whole) if whole else small for size, small in zip(sizes, least, strict=True)]
    lacking = sum(max(small - each, 0) for small, each in zip(least, share, strict=True))
    spare = sum(max(each - small, 0) for small, each in zip(least, share, strict=True))
    keep = max(0.0, 1 - lacking / spare) if spare else 0.0
    return [small + max(each - small, 0) * keep for small, each in zip(least, share, strict=True)]


def _part(x: float, y: float, long: float, part: float) -> str:
    if not math.isfinite(part):
        return rect("odd", x, y, long, SUM)
    if part < 0:
        return rect("minus", x + 0.9, y + 0.9, max(long - 1.8, 0.3), SUM - 1.8, 2)
    return rect("plus", x, y, long, SUM, min(2.5, long / 2))


def progress(x: float, y: float, width: float, part: float) -> str:
    """How much is done (0 to 1) of a stack; from the right, for backward comes from there."""
    done = width * min(max(part, 0.0), 1.0)
    return rect("track", x, y, width, 6, 3) + (rect("track done", x + width - done, y, done, 6, 3) if done else "")


def lane(x: float, y: float, width: float, name: str, word: str, uses: Sequence[tuple[float, float | None]]) -> str:
    """A weight that is used many times: for each use, at its x, the size of the gradient it brought, or None so far."""
    most = max((abs(size) for _, size in uses if size is not None and math.isfinite(size)), default=0.0)
    bars = [_use(at, y + LANE - 8, size, most) for at, size in uses]
    texts = say(name, x + 14, y + 27, "name-of") + say(word, x + 14, y + 47, "note plus")
    return group("lane", rect("shape", x, y, width, LANE, 8), texts, group("part", *bars))


def _use(x: float, bottom: float, size: float | None, most: float) -> str:
    if size is None:
        return rect("expected", x - USE / 2, bottom - TO_COME, USE, TO_COME, 2)
    if not math.isfinite(size):
        return rect("odd", x - USE / 2, bottom - 40, USE, 40, 2)
    tall = max(2.0, 40 * (abs(size) / most)) if most else 2.0
    return rect("plus", x - USE / 2, bottom - tall, USE, tall, 2)
