"""The frame around what stands in the place of an opened card: it says what that was, and closes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.framed import around, holds_others, wider
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.outline import opened

FLAG = 24.0
"""Height of the title alone, px: where others stand between what was opened."""


def frame_of(choice: Choice, of: Card, title: str) -> Iterator[Part]:
    """The frame around the cards that stand for an opened one."""
    inner = around(choice.placed, inside(choice, of))
    if inner is None:
        return
    left, top, right, bottom = wider(inner)
    if holds_others(choice.placed, (left, top, right, bottom), inside(choice, of)):
        bottom = top + FLAG
    yield Part(f"{of.id}.opened", "opened", of.id, left, top, right - left, bottom - top, 0, title)


def inside(choice: Choice, of: Card) -> Collection[str]:
    """The cards that stand for an opened one."""
    ops = {op.id for op in of.ops}
    return [name for name, card in choice.cards.cards.items() if any(op.id in ops for op in card.ops)]


def draw_frame(part: Part, look: Look) -> str:
    """The frame, or its title alone."""
    return f'<g id="{part.id}">{opened(part.x, part.y, part.width, part.height, part.text)}</g>'
