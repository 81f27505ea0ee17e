"""Why a tensor has no `.grad` at the end: the path to where backward began is walked, and where it is cut is named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab.events import (
    BackwardStarted,
    ErrorRaised,
    Event,
    GradAccumulated,
    GradAssigned,
    GradModeChanged,
    TensorDetached,
    Where,
)
from autograd_lab.view.history import Box, History, Op

Reason = tuple[str, int | None]
"""A sentence, and the step at which what it tells of happened."""


@dataclass
class _Run:
    """What the passes of a run did: where they began and stopped, which `.grad` is there, which was cleared where."""

    roots: set[str] = field(default_factory=set)
    stopped: tuple[str, int] | None = None
    held: set[str] = field(default_factory=set)
    cleared: dict[str, tuple[Where | None, int]] = field(default_factory=dict)
    off: set[int] = field(default_factory=set)

    def see(self, event: Event, step: int) -> None:
        match event:
            case BackwardStarted(roots=roots):
                self.roots |= {root.node for root in roots}
            case ErrorRaised(node=node) if node is not None:
                self.stopped = node, step
            case GradAccumulated(tensor=tensor):
                self.held.add(tensor)
            case GradAssigned(tensor=tensor, value=value) if value is not None:
                self.held.add(tensor)
            case GradAssigned(tensor=tensor):
                self.held.discard(tensor)
                self.cleared[tensor] = event.where, step


@dataclass
class _Ways:
    """The boxes that gradients can come to, and for each the first op after it that lets none past."""

    reached: set[str] = field(default_factory=set)
    cuts: dict[str, Op] = field(default_factory=dict)


def reasons(history: History, events: Iterable[Event]) -> dict[str, Reason]:
    """For each box that has no `.grad` at the end, why."""
    run, recording = _Run(), True
    for step, event in enumerate(events, 1):
        run.see(event, step)
        recording = event.enabled if isinstance(event, GradModeChanged) else recording
        if not recording:
            run.off.add(step)
    ways = _ways(history, run)
    boxes = (box for box in history.boxes.values() if box.facts.id not in run.held and not _is_grad(box))
    return {box.id: _reason(box, history, run, ways) for box in boxes}


def _is_grad(box: Box) -> bool:
    return box.label.endswith(".grad")


def _reason(box: Box, history: History, run: _Run, ways: _Ways) -> Reason:
    if box.facts.id in run.cleared:
        where, step = run.cleared[box.facts.id]
        return f"it was set to None{f' on line {where.line}' if where is not None else ''}", step
    if not box.facts.requires_grad:
        made = history.ops[box.op] if box.op is not None else None
        return ("it does not ask for a gradient: requires_grad is False", None) if made is None else _cut(made, run)
    if not run.roots:
        return "no backward pass was run", None
    if box.id not in ways.reached and box.leaf_node not in run.roots:
        if (cut := ways.cuts.get(box.id)) is not None:
            return "on the way to where backward began, " + _cut(cut, run)[0], cut.born
        return "what backward began at was not made of it", None
    if not box.is_leaf and not box.has_grad:
        return "only leaves keep theirs; retain_grad() before backward() would keep it", None
    if run.stopped is not None:
        name = (
            history.ops[history.op_of_node[run.stopped[0]]].name if run.stopped[0] in history.op_of_node else "a node"
        )
        return f"backward stopped at {name} before it got here", run.stopped[1]
    return "no pass asked for it", None


def _ways(history: History, run: _Run) -> _Ways:
    """One walk from the last op to the first: what comes after an op is known when it is met."""
    ways = _Ways()
    for op in reversed(history.ops.values()):
        is_reached = op.node in run.roots or not ways.reached.isdisjoint(op.outputs)
        if is_reached:
            ways.reached.update(op.outputs)
        behind = [ways.cuts[output] for output in op.outputs if output in ways.cuts]
        for use in op.uses:
            if use.box is None:
                continue
            if op.node is None or use.operand.edge is None:
                ways.cuts[use.box] = op
                continue
            if is_reached:
                ways.reached.add(use.box)
            cuts = [*behind, *([ways.cuts[use.box]] if use.box in ways.cuts else [])]
            if cuts:
                ways.cuts[use.box] = min(cuts, key=lambda cut: cut.born)
    return ways


def _cut(op: Op, run: _Run) -> Reason:
    line = f" on line {op.event.where.line}" if op.event.where is not None else ""
    if op.node is not None:
        return f"{op.name}{line} sends no gradient", op.born
    if isinstance(op.event, TensorDetached):
        return f"{op.name}{line} cut its history", op.born
    return f"{op.name}{line} was not recorded{': grad mode was off' if op.born in run.off else ''}", op.born
