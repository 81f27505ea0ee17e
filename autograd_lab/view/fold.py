"""Folding: long runs of ops drawn as one box that says what it hides.

A run is an interval of the ops in the order in which they ran. That order is topological, so a folded interval can
never lie on a cycle. Turns of a loop are found by their source lines, which come back with a fixed period; of a loop
the first two turns and the last one stay open, since they are what shows how it works.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from autograd_lab.view.history import History, Op
from autograd_lab.view.symbol import base_of

MOST = 60
"""Ops that are drawn at most before folding begins."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A folded run. `title` counts what it hides, `detail` says of what kinds."""

    id: str
    ops: tuple[str, ...]
    nodes: tuple[str, ...]
    node_set: frozenset[str]
    born: int
    title: str
    detail: str


def folds_of(history: History, most: int = MOST) -> list[Fold]:
    """The runs to fold so that about `most` ops stay, longest loop first; none when there are no more ops than that."""
    ops = list(history.ops.values())
    hidden = [False] * len(ops)
    found: list[tuple[int, int, int]] = []
    while len(ops) - sum(hidden) > most:
        loop = _longest_loop(ops, hidden)
        if loop is None:
            break
        start, end, _ = loop
        hidden[start:end] = [True] * (end - start)
        found.append(loop)
    open_ops = [number for number, gone in enumerate(hidden) if not gone]
    if len(open_ops) > most and not found:
        middle = open_ops[most // 2 : len(open_ops) - most // 2]
        found.append((middle[0], middle[-1] + 1, 0))
    return [_fold(number, ops[start:end], period) for number, (start, end, period) in enumerate(sorted(found))]


def _longest_loop(ops: list[Op], hidden: list[bool]) -> tuple[int, int, int] | None:
    """(start, end, period) of the turns to hide of the longest run in which places come back at a fixed distance."""
    places = [None if gone else _place(op) for op, gone in zip(ops, hidden, strict=True)]
    last: dict[tuple[str, int, str] | None, int] = {}
    distances: Counter[int] = Counter()
    for number, place in enumerate(places):
        if place is not None and place in last:
            distances[number - last[place]] += 1
        last[place] = number
    loops = [_run(places, period) for period, _ in distances.most_common(5)]
    return max((loop for loop in loops if loop is not None), key=lambda loop: loop[1] - loop[0], default=None)


def _run(places: list[tuple[str, int, str] | None], period: int) -> tuple[int, int, int] | None:
    """The longest run of this period, less the first two turns and the last; None when that leaves nothing."""
    best, run = (0, 0), 0
    for number in range(period, len(places) + 1):
        again = number < len(places) and places[number] is not None and places[number] == places[number - period]
        if again:
            run += 1
        elif run > best[1] - best[0]:
            best, run = (number - run - period, number), 0
        else:
            run = 0
    start, end = best
    turns = (end - start) // period
    return (start + 2 * period, start + (turns - 1) * period, period) if turns > 3 else None


def _place(op: Op) -> tuple[str, int, str]:
    where = op.event.where
    return ("", 0, op.name) if where is None else (where.file, where.line, op.name)


def _fold(number: int, ops: list[Op], period: int) -> Fold:
    nodes = tuple(op.node for op in ops if op.node is not None)
    names = Counter(base_of(op.name) for op in ops)
    turns = f"{len(ops) // period:,} more turns of the loop" if period else f"{len(ops):,} ops"
    kinds = ", ".join(f"{name} ×{count:,}" for name, count in names.most_common(3))
    more = f", {len(names) - 3} other kinds" if len(names) > 3 else ""
    title = f"{turns} · {len(ops):,} ops" if period else f"{turns} folded"
    ids = tuple(op.id for op in ops)
    return Fold(f"f{number}", ids, nodes, frozenset(nodes), ops[0].born, title, kinds + more)
