"""The first iteration of two training loops that differs: in what it does, or in its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from autograd_lab.events import Value, Where
from autograd_lab.trace import Trace
from autograd_lab.trace.course import Course
from autograd_lab.view.abstract_scene import Options
from autograd_lab.view.compare.comparable import NEAR, NEAR_OF, ZERO, same_value
from autograd_lab.view.compare.difference import differences_of
from autograd_lab.view.compare.pairing import pairing_of
from autograd_lab.view.graph.recorded import recorded
from autograd_lab.view.recorded_scene import RecordedScene


def first_apart(one: Trace, other: Trace, titles: tuple[str, str]) -> int | None:
    """The number of the first iteration that both traces show, and that differs; None where none does."""
    here, there = by_number(one), by_number(other)
    for number in sorted(here.keys() & there.keys()):
        if not alike(here[number].events, there[number].events) and differ(here[number], there[number], titles):
            return number
    return None


def by_number(trace: Trace) -> dict[int, Trace]:
    """The iterations that a trace shows, by their numbers; none of a run without a loop."""
    return {part.course.shown[0]: part for part in trace.iterations() if part.course is not None}


def differ(one: Trace, other: Trace, titles: tuple[str, str]) -> bool:
    """Whether there is any difference to tell; nothing is laid out for that."""
    first, second = (RecordedScene(trace, recorded(trace), Options()) for trace in (one, other))
    pairing = pairing_of(one, other, first.history, second.history)
    return bool(differences_of((first, second), pairing, titles))


def alike(one: Any, other: Any) -> bool:
    """Whether events, or what is in them, are the same for sure: lines by their texts, floats but for rounding."""
    if isinstance(one, Where) and isinstance(other, Where):
        return one.text.strip() == other.text.strip()
    if isinstance(one, Value) and isinstance(other, Value):
        return one == other or same_value(one, other, NEAR_OF["float64"])
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if is_dataclass(one) and type(one) is type(other):
        return all(alike(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return bool(one == other)


def measured_apart(one: Course, other: Course, after: int = 0) -> tuple[int, int] | None:
    """Of those after one the first measured iteration whose losses, gradients or updates differ, and ahead of it the
    last one before; where all that both have is the same, and an error ended one of them, the one in which it came."""
    there = {(each.kind, each.name): dict(each.points) for each in other.series if each.kind != "held"}
    apart: set[int] = set()
    measured = {after}
    for each in one.series:
        for at, number, partner in _shared(dict(each.points), there.get((each.kind, each.name), {})):
            measured.add(at)
            apart |= {at} if at > after and not _close(number, partner) else set()
    both = min(one.seen, other.seen)
    if not apart and one.seen != other.seen and (one.stopped or other.stopped) and both >= after:
        apart.add(both + 1)
    first = min(apart, default=None)
    return None if first is None else (max(at for at in measured if after <= at < first), first)


def _shared(points: dict[int, float], there: dict[int, float]) -> Iterator[tuple[int, float, float]]:
    return ((at, number, there[at]) for at, number in points.items() if at in there)


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=NEAR, abs_tol=ZERO) or (math.isnan(one) and math.isnan(other))
