"""Backward passes of a trace: which ops they may reach, and which ops were made while they went on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograd_lab.events import (
    BackwardFinished,
    BackwardStarted,
    ErrorRaised,
    Event,
    NodeEvaluated,
    NodeVisited,
    OptimizerEntered,
    OptimizerLeft,
    Where,
)
from autograd_lab.view.graph.facts.history import History


@dataclass(slots=True)
class Pass:
    """A backward pass, or several over common ops: the steps at which it began and ended, and the ops it may reach."""

    start: int
    end: int
    ops: set[str]
    place: Hashable


def passes_of(history: History, events: Iterable[Event]) -> list[Pass]:
    """All backward passes; one over ops of the pass that the same line began before it belongs to that."""
    found: list[Pass] = []
    running: list[Pass] = []
    latest: dict[Hashable, Pass] = {}
    step = 0
    for step, event in enumerate(events, 1):
        match event:
            case BackwardStarted(roots=roots, where=where):
                ops = reached(history, (root.node for root in roots))
                made = Pass(step, step, ops, _place(history, ops, where))
                before = latest.get(made.place)
                if before is not None and before.ops & ops:
                    before.ops |= ops
                    made = before
                else:
                    found.append(made)
                    latest[made.place] = made
                running.append(made)
            case BackwardFinished() if running:
                running.pop().end = step
            case ErrorRaised():
                while running:
                    running.pop().end = step
    for each in running:
        each.end = step
    return found


def reached(history: History, nodes: Iterable[str]) -> set[str]:
    """The ops that a pass from these nodes may reach."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        op = history.op_of_node.get(waiting.pop())
        if op is not None and op not in found:
            found.add(op)
            waiting += [edge.node for edge in getattr(history.ops[op].event, "edges", ()) if edge is not None]
    return found


def _place(history: History, ops: Iterable[str], where: Where | None) -> Hashable:
    lines = frozenset((history.ops[op].name, _line(history.ops[op].event.where)) for op in ops)
    return _line(where), lines


def _line(where: Where | None) -> tuple[str, int] | None:
    return None if where is None else (where.file, where.line)


def made_in_passing(history: History, events: Sequence[Event]) -> tuple[set[str], set[str], dict[str, str]]:
    """The ops that backward passes made, those that optimizers did, and what nodes of checkpoints ran again."""
    second: set[str] = set()
    updating: set[str] = set()
    recomputed: dict[str, str] = {}
    ops = iter(history.ops.values())
    following = next(ops, None)
    for step, inside, optimizer, keeper in _circumstances(history, events):
        while following is not None and following.born <= step:
            if optimizer:
                updating.add(following.id)
            elif keeper and following.unpacks:
                recomputed[following.id] = keeper
            elif inside and not following.unpacks:
                second.add(following.id)
            following = next(ops, None)
    return second, updating, recomputed


@dataclass(frozen=True, slots=True)
class Recorded:
    """A backward pass under `create_graph`: what it is `of`, which pass of the program, where it begins to record."""

    of: str
    number: int
    start: int


def recorded_pass(history: History, events: Iterable[Event], second: Iterable[str]) -> Recorded | None:
    """The pass that made the first of these ops."""
    first = min((history.ops[op].born for op in second), default=0)
    if not first:
        return None
    found: Recorded | None = None
    number = 0
    for step, event in enumerate(events, 1):
        number += isinstance(event, BackwardStarted)
        match event:
            case BackwardStarted(tensors=tensors, create_graph=True) if step <= first:
                boxes = (history.box_of(tensor) for tensor in tensors)
                names = [history.boxes[box].label for box in boxes if box is not None]
                found = Recorded(", ".join(names), number, first)
            case BackwardFinished() if step > first:
                break
    return found


def _circumstances(history: History, events: Sequence[Event]) -> Iterator[tuple[int, bool, bool, str]]:
    """For each step: whether a pass and whether an optimizer goes on, and which checkpoint runs its part again."""
    passes, optimizers, keepers = 0, 0, [""]
    for step, event in enumerate(events, 1):
        match event:
            case BackwardStarted():
                passes += 1
            case BackwardFinished():
                passes = max(passes - 1, 0)
            case ErrorRaised():
                passes, keepers = 0, [""]
            case OptimizerEntered():
                optimizers += 1
            case OptimizerLeft():
                optimizers = max(optimizers - 1, 0)
            case NodeVisited(node=node) if _keeps(history, node):
                keepers.append(history.op_of_node[node])
            case NodeEvaluated(node=node) if len(keepers) > 1 and history.op_of_node.get(node) == keepers[-1]:
                keepers.pop()
        yield step, passes > 0, optimizers > 0, keepers[-1]


def _keeps(history: History, node: str) -> bool:
    op = history.op_of_node.get(node)
    return op is not None and history.ops[op].name == "CheckpointFunctionBackward"
