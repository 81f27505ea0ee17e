"""The moments of a run that have a name: forward, backward, end, error, each at the step that tells most."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from autograd_lab.events import (
    BackwardFinished,
    BackwardStarted,
    ErrorRaised,
    Event,
    GradientSent,
    NodeEvaluated,
    NodeVisited,
    Value,
)
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.kit.figure import norm_of


def moments_of(
    history: History, events: Sequence[Event], drawn: Collection[str] = (), junctions: Collection[str] | None = None
) -> dict[str, int]:
    """The steps of forward, backward, end and error, as far as there are such; of several backward passes the first
    through nodes that are `drawn`. Where a picture is known, gradients are seen to meet at its `junctions` alone."""
    starts = [step for step, event in enumerate(events) if isinstance(event, BackwardStarted)]
    errors = [step for step, event in enumerate(events, 1) if isinstance(event, ErrorRaised)]
    over = [step for step, event in enumerate(events, 1) if isinstance(event, BackwardFinished | ErrorRaised)]
    found = {"end": len(events), "forward": starts[0] if starts else len(events)}
    if starts:
        seen = (step for step, event in enumerate(events) if isinstance(event, NodeVisited) and event.node in drawn)
        first = next(seen, starts[0])
        start = found["forward"] = max((step for step in starts if step < first), default=starts[0])
        stop = next((step for step in over if step > start), len(events))
        found["backward"] = telling_step(history, events, start + 1, stop, junctions)
    after = [step for step in errors if step in over]
    return found | ({"error": after[0]} if after else {})


def telling_step(
    history: History, events: Sequence[Event], start: int, stop: int, junctions: Collection[str] | None = None
) -> int:
    """The step of a backward pass that tells most: gradients are about to meet; else an op is about to use what it
    saved, best halfway, and of several there where that changes the gradient most; else the gradient changes most;
    else the middle."""
    steps = [(step, events[step - 1]) for step in range(start, stop + 1)]
    for telling in (partial(_meetings, junctions=junctions), _needs, _changes):
        scored = list(telling(history, steps))
        if scored:
            return max(scored, key=lambda found: (*found[0], -found[1]))[1]
    sent = [step for step, event in steps if isinstance(event, GradientSent)]
    return sent[(len(sent) - 1) // 2] if sent else stop


Scored = tuple[tuple[float, ...], int]


def _meetings(history: History, steps: list[tuple[int, Event]], junctions: Collection[str] | None) -> Iterator[Scored]:
    """Half of the gradients that will be added are there: best at what the user named, and of that where most meet; at
    what nobody named, best in the middle of the pass, where half of a picture is done."""
    middle = (steps[0][0] + steps[-1][0]) / 2 if steps else 0.0
    leaves = {box.leaf_node: bool(box.facts.name) for box in history.boxes.values() if box.leaf_node is not None}
    for step, event in steps:
        if not isinstance(event, GradientSent) or event.value is None or event.arrived != event.expected // 2:
            continue
        edge = getattr(history.ops[history.op_of_node[event.node]].event, "edges", ())[event.edge]
        op = history.ops.get(history.op_of_node.get(edge.node, ""))
        made = [] if op is None else [history.boxes[box] for box in op.outputs]
        if event.arrived and len(made) < 2 and (junctions is None or edge.node in junctions):
            is_named = leaves.get(edge.node, False) if op is None else any(box.facts.name for box in made)
            yield (1.0, float(event.expected)) if is_named else (0.0, -abs(step - middle)), step


def _needs(history: History, steps: list[tuple[int, Event]]) -> Iterator[Scored]:
    change = {step: size for (size,), step in _changes(history, steps, visits=True)}
    quarter = len(steps) / 4  # at either end there is little to be seen of the gradient, or little is left to be done
    for place, (step, event) in enumerate(steps):
        op = history.ops.get(history.op_of_node.get(event.node, "")) if isinstance(event, NodeVisited) else None
        if op is not None and any(slot.tensor is not None for slot in op.slots):
            yield (float(quarter <= place <= len(steps) - quarter), change.get(step, 0.0)), step


def _changes(history: History, steps: list[tuple[int, Event]], visits: bool = False) -> Iterator[Scored]:
    """By how much each node changes the size of the gradient, at the step at which it did or, in `visits`, will."""
    at: dict[str, tuple[int, float | None]] = {}
    for step, event in steps:
        match event:
            case NodeVisited(node=node, gradients=gradients):
                at[node] = step, _norm(gradients)
            case NodeEvaluated(node=node, gradients=gradients) if node in at:
                before, after = at[node][1], _norm(gradients)
                if before and after:
                    yield (round(abs(math.log(after / before)), 6),), at[node][0] if visits else step


def _norm(gradients: Sequence[Value | None]) -> float | None:
    """The largest norm of some gradients, if there is one that is no 0."""
    norms = [norm_of(gradient) for gradient in gradients]
    return max((norm for norm in norms if norm), default=None)
