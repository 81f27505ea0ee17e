"""What a recorded backward pass handed out, and did not pour into a `.grad`: `g, = grad(y, x, create_graph=True)`."""

from __future__ import annotations

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Cards, Wire
from autograd_lab.view.graph.cards.ground import word_of


def is_handed_out(wire: Wire, cards: Cards) -> bool:
    """Whether the gradient that a wire brought its leaf was handed out, and not stored."""
    source, target = cards.cards.get(wire.source), cards.cards.get(wire.target)
    if cards.recorded is None or source is None or target is None or source.kind != "leaf" or source.box is None:
        return False
    begun = cards.recorded.start
    before = bool(target.ops) and not target.second and target.ops[0].born < begun
    return before and source.box.facts.id not in cards.recorded.kept


def handed_to(value: Value, cards: Cards) -> str:
    """An arrow to what the user calls it, if all of what was returned came along one line; else nothing."""
    boxes = (card.box for card in cards.cards.values() if card.second and card.box is not None)
    names = (word_of(box) for box in boxes if box.values and box.values[0] == value)
    name = next(filter(None, names), "")
    return f" → {name}" if name else ""
