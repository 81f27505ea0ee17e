"""The ways of gradients as a browser needs them: it lights what is on them, and writes the factors there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.pages.player_parts import Shown

Factors = Mapping[str, Sequence[tuple[int, str]]]


def ways_of(history: History, factors: Factors, shown: Iterable[Shown]) -> dict[str, Any]:
    """What leads to what, and the factors of the lines that are ever drawn by themselves.

    A row is of an op: how many boxes it makes, by how much the number of the first is larger than that of the op before
    it, and of each operand that a gradient comes back to how much smaller; 0 of any other. Rows are mostly alike.
    """
    rows, before = [], 0
    for op in history.ops.values():
        first = _number(op.outputs[0]) if op.outputs else before
        rows.append([len(op.outputs), first - before, *_operands(op, first)])
        before = first
    alone = {each.things[0] for each in shown if len(each.things) == 1}
    told = {line: [it for change in track for it in change] for line, track in factors.items() if line in alone}
    return {"uses": rows, "factors": told}


def _operands(op: Op, first: int) -> list[int]:
    boxes = [use.box if op.node is not None and use.operand.edge is not None else None for use in op.uses]
    return [0 if box is None else first - _number(box) for box in boxes]


def _number(box: str) -> int:
    return int(box[1:])
