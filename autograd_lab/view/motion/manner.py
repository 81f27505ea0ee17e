"""A manner: how a part comes from one look to the next inside of a step, as channels over the share of the step.

A step `k` is the time from `k - 1` to `k`; a share of it goes from 0 to 1. At its end all is at rest, as the look has
it. The channels, each a number over time:

    o   opacity of the part
    g   opacity of its look before, behind a line and in front of all else; none is seen where this channel is missing
    c   how much of its look before is cut away: from above where that is positive, from below where it is negative
    x y shift, px
    s   scale around its middle
    u   place along its line in the direction of the program, from 0 to 1; `HOME` is where the part rests
    d   how much of its line is drawn, from where the line begins
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

Frames = tuple[str | float, ...]
"""The name of a channel, then shares of the step in turn with the values there."""
HOME = -1.0
"""The place on its line where a part rests."""


@dataclass(frozen=True, slots=True)
class Token:
    """What rides along a line and is gone at the end: its drawing around the origin."""

    svg: str
    frames: tuple[Frames, ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """It wants to last some milliseconds; `turns` is the share of the step, over 0, at which the new look is put on."""

    lasts: int
    turns: float
    frames: tuple[Frames, ...] = ()
    token: Token | None = None

    @lru_cache(maxsize=1024)  # noqa: B019 - a few patterns are squeezed over and over, and patterns live on
    def within(self, begin: float, end: float, lasts: int) -> Manner:
        """The same, squeezed into a part of a step; it is `lasts` milliseconds longer."""

        def squeezed(frames: Frames) -> Frames:
            name, *rest = frames
            return name, *(value if n % 2 else begin + (end - begin) * float(value) for n, value in enumerate(rest))

        token = self.token and replace(self.token, frames=tuple(map(squeezed, self.token.frames)))
        return Manner(self.lasts + lasts, begin + (end - begin) * self.turns, tuple(map(squeezed, self.frames)), token)

    def told(self, look_of: Callable[[str], int]) -> list[Any]:
        """As a browser is told of it; `look_of` gives the number of what a token looks like."""
        token = [] if self.token is None else [[look_of(self.token.svg), _json(self.token.frames)]]
        return [self.lasts, round(self.turns, 3), _json(self.frames), *token]


def _json(frames: tuple[Frames, ...]) -> list[list[Any]]:
    return [[name, *(round(float(number), 3) for number in rest)] for name, *rest in frames]


def value_at(frames: Frames, share: float, home: float = HOME) -> float:
    """The value of a channel; between two times it goes slowly, fast, slowly.

    >>> [value_at(("o", 0.25, 0.0, 0.75, 1.0), share) for share in (0.0, 0.5, 0.9)]
    [0.0, 0.5, 1.0]
    """
    times, values = frames[1::2], [home if value == HOME else float(value) for value in frames[2::2]]
    after = sum(float(time) <= share for time in times)
    if after in (0, len(times)):
        return values[max(0, after - 1)]
    begin, end = float(times[after - 1]), float(times[after])
    return values[after - 1] + (values[after] - values[after - 1]) * eased((share - begin) / (end - begin))


def eased(share: float) -> float:
    """Slowly off, slowly in.

    >>> eased(0), eased(0.5), eased(1)
    (0.0, 0.5, 1.0)
    """
    return 4.0 * share**3 if share < 0.5 else 1 - (2 - 2 * share) ** 3 / 2
