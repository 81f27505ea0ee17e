"""Why a tensor has no `.grad` at the end: the path to where backward began is walked, and where it is cut is named.

And how one gets there in the picture: from each box to the next on its way, or to the op where the way ends.
"""

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


Leg = tuple[str, int, str | None]
"""An op, which of its operands one comes from, and the output from which one goes on, unless the way ends at the op."""


@dataclass
class _Ways:
    """The boxes that gradients can come to; for all others the first op after it that lets none past, and the way."""

    reached: set[str] = field(default_factory=set)
    cuts: dict[str, Op] = field(default_factory=dict)
    legs: dict[str, Leg] = field(default_factory=dict)


@dataclass(frozen=True)
class Why:
    """For each box that has no `.grad` at the end a reason, and for many the next leg of the way to that.

    `stopped` is the op at which backward raised, with the step, `asks` what one would ask about first, by id.
    """

    reasons: dict[str, Reason]
    legs: dict[str, tuple[Leg, str]]
    stopped: tuple[str, int] | None
    asks: list[str]


CUT, STOPPED = "✂", "✗"
"""How the end of a way is marked: where nothing gets past, and where backward raised."""


def why(history: History, events: Iterable[Event]) -> Why:
    """Ask why about everything at once."""
    run = _run(events)
    ways = _ways(history, run)
    boxes = [box for box in history.boxes.values() if box.facts.id not in run.held and not _is_grad(box)]
    reasons = {box.id: _reason(box, history, run, ways) for box in boxes}
    stopped = None
    if run.stopped is not None and run.stopped[0] in history.op_of_node:
        stopped = history.op_of_node[run.stopped[0]], run.stopped[1]
    ahead = {} if stopped is None else _legs_to(history, stopped[0])
    legs = {box: (leg, STOPPED) for box, leg in ahead.items() if box in ways.reached and box in reasons}
    legs |= {box: (leg, CUT) for box, leg in ways.legs.items() if box not in ways.reached and box in reasons}
    leaves = [box.id for box in boxes if box.is_leaf and box.facts.requires_grad]
    return Why(reasons, legs, stopped, [*([stopped[0]] if stopped else []), *leaves])


def reasons(history: History, events: Iterable[Event]) -> dict[str, Reason]:
    """For each box that has no `.grad` at the end, why."""
    return why(history, events).reasons


def _run(events: Iterable[Event]) -> _Run:
    run, recording = _Run(), True
    for step, event in enumerate(events, 1):
        run.see(event, step)
        recording = event.enabled if isinstance(event, GradModeChanged) else recording
        if not recording:
            run.off.add(step)
    return run


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
        behind = [(ways.cuts[output], output) for output in op.outputs if output in ways.cuts]
        first = min(behind, key=lambda cut: cut[0].born, default=None)
        for number, use in enumerate(op.uses):
            if use.box is None:
                continue
            if op.node is None or use.operand.edge is None:
                ways.cuts[use.box], ways.legs[use.box] = op, (op.id, number, None)
                continue
            if is_reached:
                ways.reached.add(use.box)
            if first is not None and (use.box not in ways.cuts or first[0].born < ways.cuts[use.box].born):
                ways.cuts[use.box], ways.legs[use.box] = first[0], (op.id, number, first[1])
    return ways


def _legs_to(history: History, goal: str) -> dict[str, Leg]:
    """For each box from which edges lead to an op, the next leg of a way there."""
    legs: dict[str, Leg] = {}
    for op in reversed(history.ops.values()):
        after = next((output for output in op.outputs if output in legs), None)
        if op.id == goal or after is not None:
            for number, use in enumerate(op.uses):
                if use.box is not None and use.operand.edge is not None:
                    legs[use.box] = op.id, number, None if op.id == goal else after
    return legs


def _cut(op: Op, run: _Run) -> Reason:
    line = f" on line {op.event.where.line}" if op.event.where is not None else ""
    if op.node is not None:
        return f"{op.name}{line} sends no gradient", op.born
    if isinstance(op.event, TensorDetached):
        return f"{op.name}{line} cut its history", op.born
    return f"{op.name}{line} was not recorded{': grad mode was off' if op.born in run.off else ''}", op.born
