"""The sheet below what a backward pass recorded: it tells what is a second layer, and of which pass it is.

It stands around its cards and no others. Where the cards of two layers stand too mixed for that, each has its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.shapes.stroke import wide
from autograd_lab.view.layout.nearby import Area
from autograd_lab.view.layout.placed import Placed
from autograd_lab.view.layout.stretch import Ramp, push_of, redrawn

AROUND, TITLE, CLEAR = 12.0, 30.0, 8.0
"""Beside its cards, above them, and to the next card; px."""


def with_room(choice: Choice) -> Choice:
    """The choice with room for the title of its sheet, if it has one, and if all stays large enough."""
    inner = _around(choice.placed, _second(choice))
    if choice.cards.recorded is None or inner is None:
        return choice
    _, top, _, bottom = inner
    ramps = []
    above = [high for low, high in _beside(choice, inner) if high <= top]
    below = [low for low, high in _beside(choice, inner) if low >= bottom]
    start, end = max(above, default=-CLEAR), min(below, default=choice.placed.height)
    ramps.append(Ramp(start, top, max(0.0, TITLE + CLEAR - (top - start))))
    if below:
        ramps.append(Ramp(bottom, end, max(0.0, AROUND + CLEAR - (end - bottom))))
    placed = redrawn(choice.placed, [push_of([]), push_of(ramps)])
    more = max(0.0, AROUND - (placed.height - bottom - (placed.height - choice.placed.height)))
    return replace(choice, placed=replace(placed, height=placed.height + more))


def sheets_of(choice: Choice) -> Iterator[Part]:
    """The sheet of the second layer; a small one for each card, if it would lie under cards of the first."""
    recorded, second = choice.cards.recorded, _second(choice)
    inner = _around(choice.placed, second)
    if recorded is None or inner is None:
        return
    title = f"backward of {recorded.of}, recorded (create_graph=True)"
    if not (wide(title, 13.5, bold=True) + 28 <= inner[2] - inner[0] + 2 * AROUND):
        title = f"backward of {recorded.of}, recorded"
    others = [name for name in choice.placed.places if name not in second]
    if any(_overlaps(_area(choice.placed, name), _wider(inner)) for name in others):
        for name in second:
            yield _sheet(f"{name}.sheet", _wider(_area(choice.placed, name), 7.0, 7.0), "", recorded.start)
        return
    yield _sheet("sheet", _wider(inner), title, recorded.start)


def _sheet(name: str, area: Area, title: str, step: int) -> Part:
    left, top, right, bottom = area
    return Part(name, "sheet", name, left, top, right - left, bottom - top, step, title)


def _second(choice: Choice) -> list[str]:
    return [name for name, card in choice.cards.cards.items() if card.second]


def _around(placed: Placed, names: Iterable[str]) -> Area | None:
    areas = [_area(placed, name) for name in names]
    if not areas:
        return None
    return min(a[0] for a in areas), min(a[1] for a in areas), max(a[2] for a in areas), max(a[3] for a in areas)


def _area(placed: Placed, name: str) -> Area:
    (x, y), box = placed.places[name], placed.boxes[name]
    return x, y, x + box.width, y + box.height + box.hang


def _wider(area: Area, around: float = AROUND, above: float = TITLE) -> Area:
    return area[0] - around, area[1] - above, area[2] + around, area[3] + around


def _overlaps(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _beside(choice: Choice, inner: Area) -> Iterator[tuple[float, float]]:
    """From where to where other cards stand that are above or below, on either side of what is second."""
    second = set(_second(choice))
    for name in choice.placed.places:
        left, top, right, bottom = _area(choice.placed, name)
        if name not in second and left < inner[2] + AROUND and right > inner[0] - AROUND:
            yield top, bottom
