"""What a backward pass handed to the program, and did not pour into a `.grad`: `g, = grad(y, x)`."""

from __future__ import annotations

from collections.abc import Collection

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Cards, Wire
from autograd_lab.view.graph.cards.ground import word_of


def handing_passes(wire: Wire, cards: Cards) -> Collection[int]:
    """The numbers of the passes whose gradient for the leaf of a wire was handed to the program."""
    source = cards.cards.get(wire.source)
    leaf = source.box.leaf_node if source is not None and source.kind == "leaf" and source.box is not None else None
    return cards.history.returning.found.get(leaf or "", {})


def handed_to(value: Value, cards: Cards) -> str:
    """An arrow to what the user calls it, if all of what was returned came along one line; else nothing."""
    boxes = (card.box for card in cards.cards.values() if card.second and card.box is not None)
    names = (word_of(box) for box in boxes if box.values and box.values[0] == value)
    name = next(filter(None, names), "")
    return f" → {name}" if name else ""
