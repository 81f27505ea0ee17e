"""The sheet below what a backward pass recorded: it tells what is a second layer, and of which pass it is.

It stands around its cards and no others. Where the cards of two layers stand too mixed for that, each has its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.framed import AROUND, area_of, around, holds_others, wider, with_room_around
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.shapes.stroke import wide
from autograd_lab.view.layout.nearby import Area

BESIDE_LINES = 0.55
"""So much of the sheet's width its title has where lines come down through its upper edge."""


def with_room(choice: Choice) -> Choice:
    """The choice with room for the title of its sheet, if it has one."""
    return choice if choice.cards.recorded is None else with_room_around(choice, _second(choice))


def sheets_of(choice: Choice) -> Iterator[Part]:
    """The sheet of the second layer; a small one for each card, if it would lie under cards of the first."""
    recorded, second = choice.cards.recorded, _second(choice)
    inner = around(choice.placed, second)
    if recorded is None or inner is None:
        return
    room = (inner[2] - inner[0] + 2 * AROUND) * (BESIDE_LINES if choice.placed.form == "TB" else 1)
    told = (f"backward of {recorded.of}, recorded (create_graph=True)", f"backward of {recorded.of}, recorded")
    title = next((title for title in told if wide(title, 13.5, bold=True) + 28 <= room), "recorded")
    if holds_others(choice.placed, wider(inner), second):
        for name in second:
            yield _sheet(f"{name}.sheet", wider(area_of(choice.placed, name), 7.0, 7.0), "", recorded.start)
        return
    yield _sheet("sheet", wider(inner), title, recorded.start)


def _sheet(name: str, area: Area, title: str, step: int) -> Part:
    left, top, right, bottom = area
    return Part(name, "sheet", name, left, top, right - left, bottom - top, step, title)


def _second(choice: Choice) -> list[str]:
    return [name for name, card in choice.cards.cards.items() if card.second]
