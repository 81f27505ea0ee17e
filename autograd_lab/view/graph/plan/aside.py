"""Ops beside the graph: those that make data ready without a gradient, and those that only look at results.

In a training loop they are augmentation and normalisation here, accuracies and logs there. Where a picture is too large
they are folded before any module is: nobody looks for a gradient in them.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.view.graph.facts.history import History, Op

FEWEST = 3
"""Fewer ops than this are not worth a fold."""


def asides(history: History, ops: Sequence[Op]) -> tuple[list[Op], list[Op]]:
    """What can be folded in front of the graph, and what behind it, without a cycle; each may be empty.

    In front of it are ops without a node that nothing with a node leads to, but for those that the graph takes its data
    from and what these lead to. Behind it are ops that lead to none with a node. None of them runs in a module.
    """
    if not any(op.node is not None for op in ops):
        return [], []
    free = _outside_of_modules(history, ops)
    behind = _that_lead_nowhere(history, ops, free)
    before = _that_make_ready(history, ops, free - behind, behind)
    return _chosen(ops, before), _chosen(ops, behind)


def _chosen(ops: Sequence[Op], names: set[str]) -> list[Op]:
    return [op for op in ops if op.id in names] if len(names) >= FEWEST else []


def _outside_of_modules(history: History, ops: Sequence[Op]) -> set[str]:
    """The ops without a node that ran outside of all modules, and are not what went wrong."""
    inside = {number for call in history.calls if call.parent is None for number in range(call.start, call.end)}
    found = {op.id for op in ops if op.node is None and int(op.id[1:]) not in inside}
    return found - history.culprits


def _that_lead_nowhere(history: History, ops: Sequence[Op], free: set[str]) -> set[str]:
    """Those that only others like them build on."""
    found = set(free)
    for op in reversed(ops):
        if op.id not in found:
            found -= _makers(history, op)
    return found


def _that_make_ready(history: History, ops: Sequence[Op], free: set[str], behind: set[str]) -> set[str]:
    """Those that build only on others like them, but for what the graph takes, and what builds on that."""
    taken = {maker for op in ops if op.id not in free | behind for maker in _makers(history, op)}
    found: set[str] = set()
    for op in ops:
        if op.id in free and op.id not in taken and _makers(history, op) <= found:
            found.add(op.id)
    return found


def _makers(history: History, op: Op) -> set[str]:
    """The ops that made what an op takes."""
    boxes = [history.boxes[use.box] for use in op.uses if use.box is not None]
    return {box.op for box in boxes if box.op is not None}
