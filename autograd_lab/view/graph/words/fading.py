"""How the gradient fades, or grows, on its way back through the turns of a loop."""

from __future__ import annotations

import math

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.kit.figure import figure, norm_of
from autograd_lab.view.kit.headline import Headline, Run, said

SOME = 2.0
"""Gradients of turns that are so many times apart are a lesson."""
TURNS = 3
"""A leaf that is used so often by the same kind of op goes through a loop."""
CARRIERS = {"mm", "addmm", "matmul", "bmm", "mv", "addmv", "mul", "add", "dot"}
"""The ops whose gradient is that of what goes through a loop."""
ALL_TURNS = 6
"""Of no more turns than these, all are told."""


def faded(ops: list[Op], state: GraphState, history: History, called: Called) -> Headline | None:
    """The lesson of the ops that use one leaf, if they are those of a loop whose turns lead into each other."""
    lines = {(op.event.where.line if op.event.where else None, called.word(op)) for op in ops}
    if len(ops) < TURNS or len(lines) != 1 or called.word(ops[0]) not in CARRIERS:
        return None
    ops = sorted(ops, key=lambda op: op.born)
    norms = [norm_of(_only(state.nodes[op.node or ""].gathered)) for op in ops]
    first, last = norms[0], norms[-1]
    if first is None or not last or not leads(history, ops[0], ops[-1]):
        return None
    verb = verb_for(last, first)
    told = f"{figure(last, 2)} at the last turn, {figure(first, 2)} at the first"
    short = f"The gradient {verb}: {told}"
    text = f"The gradient {verb} on its way back: {told}"
    return Headline(text, short, _turns(norms), is_of_turns=True) if verb else None


def verb_for(last: float, first: float) -> str:
    """What becomes of a gradient from the last turn, where it comes in, to the first; nothing if that is little."""
    ratio = last / first if first else math.inf
    if 1 / SOME < ratio < SOME:
        return ""
    return "grows" if ratio < 1 else "fades" if first else "vanishes"


def leads(history: History, first: Op, last: Op) -> bool:
    """Whether one op's result goes into another, by way of nodes."""
    ahead = set(first.outputs)
    for op in history.ops.values():
        is_between = first.born < op.born <= last.born and op.node is not None
        if is_between and any(use.box in ahead and use.operand.edge is not None for use in op.uses):
            ahead.update(op.outputs)
    return not ahead.isdisjoint(last.outputs)


def _turns(norms: list[float | None]) -> tuple[Run, ...]:
    """The gradient's size at the turns, from the last to the first; of many turns at some, each with its number."""
    count = len(norms)
    if count <= ALL_TURNS:
        known = [figure(norm, 2) for norm in reversed(norms) if norm is not None]
        return said("from the last turn to the first: ", ", ".join(known))
    places = [max(0, round(count * share / 4) - 1) for share in (4, 3, 2, 1, 0)]
    told = [f"{place + 1}: {figure(norm, 2)}" for place in places if (norm := norms[place]) is not None]
    return said("turn ", ", ".join(told))


def _only(values: tuple[Value | None, ...]) -> Value | None:
    return values[0] if len(values) == 1 else None
