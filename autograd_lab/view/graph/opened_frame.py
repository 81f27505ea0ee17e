"""The frame around what stands in the place of an opened card: it says what that was, and closes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.framed import around, holds_others, wider
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.outline import opened
from autograd_lab.view.kit.shapes.stroke import wide
from autograd_lab.view.layout.nearby import Area

FLAG, CLEAR = 24.0, 10.0
"""Height of the title alone, and to its card, px: where others stand between what was opened."""
SIZE, SIDE = 13.5, 14.0
"""Size of the title, and beside it, px."""


def frame_of(choice: Choice, of: Card, title: str) -> Iterator[Part]:
    """The frame around the cards that stand for an opened one."""
    names = inside(choice, of)
    inner = around(choice.placed, names)
    if inner is None:
        return
    area = wider(inner)
    if holds_others(choice.placed, area, names):
        area = _flag(choice, names, title, (*area[:3], area[1] + FLAG))
    left, top, right, bottom = area
    yield Part(f"{of.id}.opened", "opened", of.id, left, top, right - left, bottom - top, 0, title)


def _flag(choice: Choice, names: Collection[str], title: str, across: Area) -> Area:
    """Where the title alone stands: over the first of its cards that has no other there, else `across` them all."""
    width = wide(title, SIZE, bold=True) + 2 * SIDE
    corners = sorted(choice.placed.places[name] for name in names)
    over = ((x, y - FLAG - CLEAR, x + width, y - CLEAR) for x, y in corners if y >= FLAG + CLEAR)
    return next((area for area in over if not holds_others(choice.placed, area, ())), across)


def inside(choice: Choice, of: Card) -> Collection[str]:
    """The cards that stand for an opened one."""
    ops = {op.id for op in of.ops}
    return [name for name, card in choice.cards.cards.items() if any(op.id in ops for op in card.ops)]


def draw_frame(part: Part, look: Look) -> str:
    """The frame, or its title alone."""
    return f'<g id="{part.id}">{opened(part.x, part.y, part.width, part.height, part.text)}</g>'
