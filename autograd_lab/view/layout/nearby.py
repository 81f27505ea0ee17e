"""What is near: areas, found by where they are and not one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Area = tuple[float, float, float, float]
"""Left, top, right, bottom."""
STRIP = 240.0
"""Areas are kept by upright strips of this width, px."""

T = TypeVar("T")


class Nearby(Generic[T]):
    """Things with their areas."""

    def __init__(self, things: Iterable[tuple[Area, T]] = ()) -> None:
        self._strips: dict[int, list[tuple[Area, T]]] = defaultdict(list)
        for area, thing in things:
            self.add(area, thing)

    def add(self, area: Area, thing: T) -> None:
        """One thing more."""
        for strip in _strips(area):
            self._strips[strip].append((area, thing))

    def meeting(self, area: Area) -> list[tuple[Area, T]]:
        """What overlaps with an area, each once."""
        found: dict[int, tuple[Area, T]] = {}
        for strip in _strips(area):
            for pair in self._strips.get(strip, ()):
                if meet(area, pair[0]):
                    found[id(pair[1])] = pair
        return list(found.values())


def meet(one: Area, other: Area) -> bool:
    """Whether two areas overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _strips(area: Area) -> Iterator[int]:
    return iter(range(int(area[0] // STRIP), int(area[2] // STRIP) + 1))
