"""The sheet below what a backward pass recorded: it tells what is a second layer, and of which pass it is.

It stands around its cards and no others. Where the cards of two layers stand too mixed for that, each has its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.framed import area_of, around, holds_others, overlaps, wider, with_room_around
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.shapes.stroke import wide
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.layout.boxes import Point
from autograd_lab.view.layout.nearby import Area
from autograd_lab.view.layout.signposts import polyline

SIZE, SIDE, NEAR = 13.5, 14.0, 9.0
"""Size of the title, from the left edge of its sheet, and to the middle of any line, which may be wide; px."""


def with_room(choice: Choice) -> Choice:
    """The choice with room for the title of its sheet, if it has one."""
    return choice if choice.cards.recorded is None else with_room_around(choice, _second(choice))


def sheets_of(choice: Choice, below: Iterable[Part] = ()) -> Iterator[Part]:
    """The sheet of the second layer; a small one for each card, if it would lie under cards of the first, or hide what
    lies `below` it. Its title is the longest that no line crosses; if all are crossed, it has none.
    """
    recorded, second = choice.cards.recorded, _second(choice)
    inner = around(choice.placed, second)
    if recorded is None or inner is None:
        return
    lines = [each for route in choice.placed.routes.values() for each in pairwise(polyline(route))]
    told = (
        translated(f"backward of {recorded.of}, recorded (create_graph=True)"),
        translated(f"backward of {recorded.of}, recorded"),
        translated("recorded", "card"),
    )
    title = next((title for title in told if not _is_crossed(wider(inner), title, lines)), "")
    hidden = any(overlaps(wider(inner), (it.x, it.y, it.x + it.width, it.y + it.height)) for it in below)
    if hidden or holds_others(choice.placed, wider(inner), second):
        for name in second:
            yield _sheet(f"{name}.sheet", wider(area_of(choice.placed, name), 7.0, 7.0), "", recorded.start)
        return
    yield _sheet("sheet", wider(inner), title, recorded.start)


def _is_crossed(sheet: Area, title: str, lines: Iterable[tuple[Point, Point]]) -> bool:
    """Whether a title is too long for its sheet, or a line comes near it."""
    left, top, right = sheet[0] + SIDE - NEAR, sheet[1] + NEAR, sheet[0] + SIDE + wide(title, SIZE, bold=True) + NEAR
    return right > sheet[2] or any(
        min(a[0], b[0]) < right and max(a[0], b[0]) > left and min(a[1], b[1]) < top + SIZE and max(a[1], b[1]) > top
        for a, b in lines
    )


def _sheet(name: str, area: Area, title: str, step: int) -> Part:
    left, top, right, bottom = area
    return Part(name, "sheet", name, left, top, right - left, bottom - top, step, title)


def _second(choice: Choice) -> list[str]:
    return [name for name, card in choice.cards.cards.items() if card.second]
