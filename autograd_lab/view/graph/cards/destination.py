"""Where the gradients of a line end up, if not in a `.grad` or at what a card gives on.

`g, = grad(y, x)` hands a gradient to the program. And a recorded backward pass computes with weights, so a second one
brings gradients for these by ways of their own.
"""

from __future__ import annotations

from collections.abc import Collection

from autograd_lab.events import Edge, Value
from autograd_lab.view.graph.cards.card import Cards, Wire
from autograd_lab.view.graph.cards.ground import word_of

SHORT = {"weight": "W", "bias": "b"}
"""What weights are called on a card."""


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


def weight_on(wire: Wire, cards: Cards) -> str:
    """The weight that all gradients of a line go to, by its short name; nothing if they do not go to one alone."""
    source = cards.cards.get(wire.source)
    if source is None or not source.params or not cards.has_second:
        return ""
    leaves = {leaf for edge in wire.edges for leaf in _leaves(edge, cards)}
    found = [box.label for box in source.params if box.facts.id in leaves]
    return short_name(found[0]) if len(leaves) == len(found) == 1 else ""


def short_name(label: str) -> str:
    """`W` for `fc1.weight`, `b` for `fc1.bias`; else the last part of a path."""
    last = label.rsplit(".", 1)[-1]
    return SHORT.get(last, last)


def _leaves(edge: tuple[str, int], cards: Cards) -> set[str]:
    """The leaves that what an edge leads to passes all of its gradient on to; an empty name for anything else."""
    ahead = _edges(edge[0], cards)[edge[1]]
    onward = [] if ahead is None else [each for each in _edges(ahead.node, cards) if each is not None]
    return {each.leaf or "" for each in onward} or {""}


def _edges(node: str, cards: Cards) -> tuple[Edge | None, ...]:
    op = cards.history.ops.get(cards.history.op_of_node.get(node, ""))
    return () if op is None else getattr(op.event, "edges", ())
