"""Leaves: which of them are drawn, before what, and at which of their uses only as a chip."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.plan.fold import Fold

DOCK_AT = 3
"""A leaf with more uses than this is docked at them, save for the first: lines to all would cover the picture."""
FAR = 8
"""So many ops or folds after its first use, a leaf is drawn again as a chip: a line would run around the picture."""
CROWD = 8
"""So many leaves that one fold alone uses are still drawn."""
FEW = 24
"""Up to this many tensors, also those are drawn that ask for no gradient and that no op uses."""

Chips = set[tuple[str, int]]
"""The (op, operand) pairs that are drawn as chips at the op."""


Users = list[Op | Fold]
"""What is drawn and uses a leaf."""


def users_of(history: History, drawn: Iterable[Op | Fold]) -> dict[str, Users]:
    """Who uses each leaf."""
    users: dict[str, Users] = {}
    for item in drawn:
        ops = [item] if isinstance(item, Op) else [history.ops[op] for op in item.ops]
        leaves = dict.fromkeys(use.box for op in ops for use in op.uses if use.box is not None)
        for box in leaves:
            if history.boxes[box].op is None:
                users.setdefault(box, []).append(item)
    return users


def without_crowds(
    drawn: Sequence[Op | Fold], users: dict[str, Users], boxes: set[str]
) -> tuple[list[Op | Fold], set[str]]:
    """Leaves that only one fold uses, which has many such, are no boxes, but are counted at the fold."""
    alone: dict[str, list[str]] = {}
    for box, items in users.items():
        if box in boxes and len(items) == 1 and isinstance(items[0], Fold):
            alone.setdefault(items[0].id, []).append(box)
    crowds = {fold: leaves for fold, leaves in alone.items() if len(leaves) > CROWD}
    kept = [
        replace(item, details=(*item.details, f"{len(crowds[item.id]):,} tensors from outside, not drawn"))
        if isinstance(item, Fold) and item.id in crowds
        else item
        for item in drawn
    ]
    return kept, {box for leaves in crowds.values() for box in leaves}


def in_order(boxes: Iterable[Box], drawn: Sequence[Op | Fold], users: dict[str, Users]) -> list[Box | Op | Fold]:
    """Everything in an order in which no line leads back: leaves as they come to be, but before all that use them."""
    latest: dict[str, float] = {}
    born = math.inf
    for item in reversed(drawn):  # what a fold uses may have come to be after the first of its ops
        born = latest[item.id] = min(born, item.born)
    keys = {box.id: min([box.born, *(latest[user.id] for user in users.get(box.id, ()))]) for box in boxes}
    items: list[tuple[float, int, Box | Op | Fold]] = [(keys[box.id], 0, box) for box in boxes]
    items += [(latest[item.id], 1, item) for item in drawn]
    return [item for _, _, item in sorted(items, key=lambda entry: entry[:2])]


def leaves_of(history: History, drawn: Sequence[Op | Fold], users: dict[str, Users], *, idle: bool) -> list[Box]:
    """The leaves to draw: those of ops, inputs of folds, and, with `idle`, those that nothing uses."""
    few = len(history.boxes) <= FEW
    idle = idle and not any(isinstance(item, Fold) and item.calls for item in drawn)
    leaves = [box for box in history.boxes.values() if box.op is None]
    shown = [box for box in leaves if box.id in users and _is_shown(box, users[box.id])]
    unused = [box for box in leaves if idle and _is_idle(box) and (few or box.facts.requires_grad)]
    return [*shown, *unused]


def _is_shown(box: Box, users: Users) -> bool:
    return not all(isinstance(user, Fold) and user.keeps(box.facts.name, box.made) for user in users)


def _is_idle(box: Box) -> bool:
    """Whether a program has made it, under a name or to learn it, and uses it nowhere."""
    return box.uses == 0 and box.rewrite == 0 and bool(box.label or box.facts.requires_grad)


def docked_uses(history: History, drawn: Sequence[Op | Fold]) -> Chips:
    """The uses of leaves that are drawn as chips: all but the first of one that is used often, and those far from it.

    At a fold of a loop, all leaves are that are used outside of it too.
    """
    first: dict[str, int] = {}
    docked: Chips = set()
    for place, item in enumerate(drawn):
        uses = [use for use in uses_of(item, history) if use[2].label]
        inside = Counter(box.id for _, _, box in uses)
        for op, number, box in uses:
            again = box.id in first and (isinstance(item, Op) or first[box.id] < place)
            far = place - first.setdefault(box.id, place) >= FAR
            if isinstance(item, Fold) and not item.calls:
                again = far = box.uses > inside[box.id]
            if again and (far or box.uses > DOCK_AT):
                docked.add((op.id, number))
    return docked


def uses_of(item: Op | Fold, history: History) -> Iterator[tuple[Op, int, Box]]:
    """Each use of a leaf: the op, which of its operands, and the leaf."""
    for op in [item] if isinstance(item, Op) else [history.ops[name] for name in item.ops]:
        for number, use in enumerate(op.uses):
            if use.box is not None and history.boxes[use.box].is_leaf:
                yield op, number, history.boxes[use.box]
