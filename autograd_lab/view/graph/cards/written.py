"""Writes in place: a write belongs to the card of what it writes.

`h.add_(1)` makes no new thing: it is `h` that has another value, and another node. So the two ops are one piece, before
anything is folded, wherever that closes no cycle. A write that breaks the backward of what it writes stands apart: two
cards tell who is to blame and who has to stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograd_lab.view.graph.cards.ground import Ground
from autograd_lab.view.graph.cards.groups import Group, Groups, Piece
from autograd_lab.view.graph.facts.history import Op


def with_writes(ground: Ground, pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces, with each write in place in the piece of what it writes, if that is no module's."""
    found = list(pieces)
    if not any(is_write(op) for op in ground.ops):
        return found
    groups = Groups(ground, found, writes=True)
    victims = frozenset(ground.places[op] for op in ground.history.victims if op in ground.places)
    groups.contract(lambda a, b: _is_written_by(ground, a, b) and victims.isdisjoint(a.places))
    return list(groups.pieces())


def is_write(op: Op) -> bool:
    """Whether an op writes in place what it takes."""
    return bool(getattr(op.event, "wrote_in_place", False))


def _is_written_by(ground: Ground, a: Group, b: Group) -> bool:
    """Whether b is a write to what a gives on; both of the same module, if of any, so that neither is hidden."""
    if a.weighted or b.weighted or a.piece.kind != "op" or b.piece.kind != "op":
        return False
    first, last = min(b.places), a.last
    if not is_write(ground.ops[first]) or any(not is_write(ground.ops[place]) for place in b.places):
        return False
    if any(not is_write(ground.ops[place]) for place in sorted(a.places)[1:]):
        return False
    inside = [ground.around[place][:1] for place in (first, last)]
    return inside[0] == inside[1] and ground.output(last).facts.id == ground.output(first).facts.id


def is_rewritten(ops: Sequence[Op]) -> bool:
    """Whether the ops of a card are a tensor and what wrote it."""
    return bool(ops) and is_write(ops[-1]) and all(map(is_write, ops[1:]))
