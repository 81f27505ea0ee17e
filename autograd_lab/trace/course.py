"""The course of a run: what is known of all its iterations, also of those that were not recorded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Points = tuple[tuple[int, float], ...]
"""Iterations, counted from 1, each with a number."""


BEGINNING = "only the first"
"""How the note of a trace begins that tells of the beginning of a run alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Numbers of a kind over the iterations: a `loss`, or the bytes `held` for backward; or, of the parameter `name`,
    the `norm` of its gradient, the share of `zeros` in it, or the `update`: by how much of its own norm it changed.
    """

    kind: str
    name: str
    points: Points


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Which iterations of how many a trace shows, and how numbers went over all of them.

    `shown` are the numbers of the iterations whose events the trace has, in order; `seen` is how many came to their
    end, and `stopped` whether an error or a key ended the program; if it `goes_on`, more of them may follow. `events`
    are how many events each shown one has.
    """

    shown: tuple[int, ...]
    seen: int
    stopped: bool = False
    goes_on: bool = False
    events: tuple[int, ...] = ()
    series: tuple[Series, ...] = ()

    def iteration_at(self, step: int) -> int:
        """The number of the iteration that a step belongs to."""
        for number, count in zip(self.shown, self.events, strict=False):
            step -= count
            if step <= 0:
                return number
        return self.shown[-1]

    def span_at(self, step: int) -> tuple[int, float]:
        """The first and the last step of the iteration that a step belongs to."""
        first = 1
        for count in self.events:
            if step < first + count:
                return first, first + count - 1
            first += count
        return first, math.inf


def to_json(course: Course) -> dict[str, Any]:
    """The course as plain JSON data; numbers that JSON has none for become "nan", "inf" and "-inf"."""
    return {
        "shown": list(course.shown),
        "seen": course.seen,
        "stopped": course.stopped,
        "goes_on": course.goes_on,
        "events": list(course.events),
        "series": [
            {"kind": each.kind, "name": each.name, "points": [[at, plain(number)] for at, number in each.points]}
            for each in course.series
        ],
    }


def from_json(found: Any) -> Course:
    """The course that `to_json` wrote. Raises ValueError if it is none."""
    try:
        return Course(
            shown=tuple(map(int, found["shown"])),
            seen=int(found["seen"]),
            stopped=bool(found.get("stopped", False)),
            goes_on=bool(found.get("goes_on", False)),
            events=tuple(map(int, found.get("events", ()))),
            series=tuple(map(_series, found.get("series", ()))),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the course of iterations cannot be read: {type(error).__name__}: {error}") from None


def _series(found: Mapping[str, Any]) -> Series:
    points = tuple((int(at), float(number)) for at, number in found["points"])
    return Series(kind=str(found["kind"]), name=str(found["name"]), points=points)


def plain(number: float) -> float | str:
    """A number as JSON has it, or its name."""
    return number if number - number == 0 else str(number)
