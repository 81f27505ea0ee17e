"""A titled frame around some cards of a picture, and room for it: the sheet of a second layer, what was opened."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.layout.nearby import Area
from autograd_lab.view.layout.placed import Placed
from autograd_lab.view.layout.stretch import Ramp, push_of, redrawn

AROUND, TITLE, CLEAR, NUMBER = 12.0, 30.0, 8.0, 44.0
"""Beside its cards, above them, to the next card, and to one from which lines come down, with their numbers; px."""


def with_room_around(choice: Choice, names: Collection[str]) -> Choice:
    """The choice with room for the title of a frame around these cards, and for its lower edge."""
    inner = around(choice.placed, names)
    if inner is None:
        return choice
    _, top, _, bottom = inner
    ramps = []
    above = [high for low, high in _beside(choice, names, inner) if high <= top]
    below = [low for low, high in _beside(choice, names, inner) if low >= bottom]
    start, end = max(above, default=-CLEAR), min(below, default=choice.placed.height)
    above_title = NUMBER if choice.placed.form == "TB" and above else CLEAR
    ramps.append(Ramp(start, top, max(0.0, TITLE + above_title - (top - start))))
    if below:
        ramps.append(Ramp(bottom, end, max(0.0, AROUND + CLEAR - (end - bottom))))
    placed = redrawn(choice.placed, [push_of([]), push_of(ramps)])
    more = max(0.0, AROUND - (placed.height - bottom - (placed.height - choice.placed.height)))
    return replace(choice, placed=replace(placed, height=placed.height + more))


def around(placed: Placed, names: Iterable[str]) -> Area | None:
    """The smallest area with all of these cards; None for none."""
    areas = [area_of(placed, name) for name in names]
    if not areas:
        return None
    return min(a[0] for a in areas), min(a[1] for a in areas), max(a[2] for a in areas), max(a[3] for a in areas)


def area_of(placed: Placed, name: str) -> Area:
    """A card with its pockets."""
    (x, y), box = placed.places[name], placed.boxes[name]
    return x, y, x + box.width, y + box.height + box.hang


def wider(area: Area, beside: float = AROUND, above: float = TITLE) -> Area:
    """The frame around an area."""
    return area[0] - beside, area[1] - above, area[2] + beside, area[3] + beside


def holds_others(placed: Placed, area: Area, names: Collection[str]) -> bool:
    """Whether there are other cards than these in an area."""
    return any(overlaps(area_of(placed, name), area) for name in placed.places if name not in names)


def overlaps(one: Area, other: Area) -> bool:
    """Whether two areas share any place."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _beside(choice: Choice, names: Collection[str], inner: Area) -> Iterator[tuple[float, float]]:
    """From where to where other cards stand that are above or below, on either side of these."""
    for name in choice.placed.places:
        left, top, right, bottom = area_of(choice.placed, name)
        if name not in names and left < inner[2] + AROUND and right > inner[0] - AROUND:
            yield top, bottom
