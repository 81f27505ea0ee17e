"""Sparklines: how a number went over all iterations, as small as a word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from autograd_lab.view.kit.font import fit, text_width
from autograd_lab.view.kit.shapes.stroke import at, circle, group, path, rect, say
from autograd_lab.view.languages.speaking import translated

HEAD, FOOT = 18.0, 16.0
"""Height of the words above and below the line, px."""
INSET, CLOSE = 6.0, 0.2
"""How far the line stays from the ends of its panel, px, and at most which share of the height from top and foot."""
LOG_FROM = 30.0
"""From this ratio of the largest to the smallest on, the line is logarithmic, and says so."""
FLAT = 0.05
"""What changes by less than this share of its size takes no more than that share of the height."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Spark:
    """A number over the iterations: what it is called, the points, which iteration is shown, how it reads there.

    `word` says whether that is `now`, or the `last` that is known. `span` is from which iteration to which the panel
    goes, if not from the first point to the last.
    """

    name: str
    points: Points
    now: float
    first: str
    last: str
    kind: str = ""
    word: str = "now"
    span: tuple[float, float] | None = None


def spark(x: float, y: float, width: float, height: float, it: Spark) -> str:
    """The line in its panel, its name above it, and below it how it began and how it stood last."""
    finite = [(place, value) for place, value in it.points if math.isfinite(value)]
    low, high = min((v for _, v in finite), default=0.0), max((v for _, v in finite), default=1.0)
    logs = low > 0 and high / low > LOG_FROM
    if not logs:
        low, high = _spread(low, high)
    scale = translated("log scale") if logs else ""
    room = width - text_width(scale, 12.5) - 10
    words = say(fit(it.name, room, 13.5, bold=True), x, y + 12, f"note {it.kind or 'quiet'}")
    words += say(scale, x + width, y + 12, "fine end")
    panel = (x, y + HEAD, width, height - HEAD - FOOT)
    line = _line(it, finite, panel, (low, high), logs=logs)
    below = y + height - 2
    words += say(translated(f"first {it.first}"), x, below, "fine") + say(
        f"{it.word} {it.last}", x + width, below, "note now-word end"
    )
    return group(f"spark {it.kind}".rstrip(), rect("panel", *panel, 4), line, words)


def _line(
    it: Spark, points: Points, panel: tuple[float, float, float, float], values: tuple[float, float], *, logs: bool
) -> str:
    if not points:
        return ""
    x, y, width, height = panel
    first, last = it.span or (points[0][0], points[-1][0])

    def place(point: tuple[float, float]) -> tuple[float, float]:
        share = (point[0] - first) / (last - first) if last > first else 0.0
        rise = _share(point[1], *values, logs=logs)
        foot = min(INSET, CLOSE * height)
        return x + INSET + (width - 2 * INSET) * share, y + height - foot - (height - 2 * foot) * rise

    course = "".join(f"{'L' if number else 'M'}{at(*place(point))}" for number, point in enumerate(points))
    nearest = min(points, key=lambda point: abs(point[0] - it.now))
    return path("course", course) + circle("dot", *place(nearest), 4)


def _spread(low: float, high: float) -> tuple[float, float]:
    """From the least to the most, but so far apart that what hardly changes is seen to be flat."""
    more = max(0.0, FLAT * max(abs(low), abs(high)) - (high - low)) / 2
    return low - more, high + more


def _share(value: float, low: float, high: float, *, logs: bool) -> float:
    """How high a value stands, from 0 to 1."""
    if high <= low:
        return 0.5
    return math.log(value / low) / math.log(high / low) if logs else (value - low) / (high - low)
