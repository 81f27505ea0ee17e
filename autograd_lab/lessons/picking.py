"""T: click parts of a graph. What is clicked is called by the expression that reaches it in PyTorch.

A card is an operation and what it made; clicked, it stands for the node, `y.grad_fn`. The card of a leaf stands for the
leaf, and with it for its AccumulateGrad, which has no card of its own. A pocket is a saved value, or, as
`y.grad_fn._saved_*`, all that a node saved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograd_lab.events import Edge
from autograd_lab.lessons.exercise import Exercise
from autograd_lab.lessons.registry import declare
from autograd_lab.lessons.worded import worded
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import History, history_of
from autograd_lab.view.scene import Scene, make_scene

ACCUMULATOR = "AccumulateGrad"
ALL_SAVED = "_saved_*"


@dataclass(frozen=True)
class Picking(Exercise):
    """An exercise that is answered by clicks in the player of `run()`, which begins at `step(trace)`, or at the end."""

    run: Callable[[], Trace] = Trace
    step: Callable[[Trace], int] = len

    def scene(self, run: Trace) -> Scene:
        """Where it is answered: no card hides an operation, however small the picture is."""
        return make_scene(run, fold=False)


def pick(
    id: str,
    text: str,
    run: Callable[[], Trace],
    judge: Callable[[list[str], Trace], str],
    *,
    hints: Sequence[str],
    after: str = "",
    step: Callable[[Trace], int] = len,
) -> None:
    """Declare an exercise whose answer is a list of parts: names such as "y", "y.grad_fn", "y.grad_fn._saved_self",
    or ids of things. `judge(names, trace)` gets the names."""

    def judged(answer: Any) -> str:
        trace = run()
        names = names_of(trace)
        given = [str(each) for each in ([answer] if isinstance(answer, str) else answer)]
        if unknown := [each for each in given if each not in names and each not in names.values()]:
            there = ", ".join(sorted(set(names.values())))
            return worded("{name} is nothing in this graph; there are {names}.", name=repr(unknown[0]), names=there)
        return judge([names.get(each, each) for each in given], trace)

    declare(Picking(id, text, judged, tuple(hints), after, run=run, step=step))


def names_of(trace: Trace) -> dict[str, str]:
    """For each thing that parts of the picture stand for what it is called in PyTorch, by its id; also for what has no
    part of its own, a `.grad` or an AccumulateGrad."""
    history = history_of(trace.events)
    found: dict[str, str] = {}
    for box in history.boxes.values():
        name = box.label or box.id
        found |= {box.id: name, f"{box.id}.grad": f"{name}.grad"}
        if box.leaf_node is not None:
            found[box.leaf_node] = f"{name}.{ACCUMULATOR}"
    for op in history.ops.values():
        made = history.boxes[op.outputs[0]]
        node = f"{made.label or made.id}.grad_fn"
        found[op.id] = node
        found |= {f"{op.id}.s{number}": f"{node}._saved_{slot.slot}" for number, slot in enumerate(op.slots)}
        if len(op.slots) > 1:
            found[f"{op.id}.s"] = f"{node}.{ALL_SAVED}"
    return found


def shown_names(trace: Trace) -> dict[str, str]:
    """What a list of clicks calls each thing, by its id: a card by what is written on it, the tensor that it made."""
    return {thing: node_named(name) for thing, name in names_of(trace).items()}


def node_named(name: str) -> str:
    """The tensor whose node a name means: the one it made, or the leaf that it fills.

    >>> node_named("y.grad_fn"), node_named("b.AccumulateGrad"), node_named("c")
    ('y', 'b', 'c')
    """
    return name.removesuffix(".grad_fn").removesuffix(f".{ACCUMULATOR}")


def tensor_named(name: str) -> str:
    """The tensor that a name speaks of: itself, its node, or something that these hold.

    >>> tensor_named("y.grad_fn._saved_self"), tensor_named("x.grad"), tensor_named("net.0.weight")
    ('y', 'x', 'net.0.weight')
    """
    return re.sub(rf"\.(grad|grad_fn(\._saved_[\w*]+)?|{ACCUMULATOR})$", "", name)


def legal_backward_order(names: list[str], trace: Trace) -> str:
    """A judge: whether backward may run the nodes in this order, which is any in which users come first.

    A node may be named by the tensor that it made, or by its leaf.
    """
    users = users_by_name(history_of(trace.events))
    order = [node_named(name) for name in names]
    if strange := [name for name in order if name not in users]:
        return worded("{name} has no node that backward would run.", name=strange[0])
    if twice := [name for name in order if order.count(name) > 1]:
        return worded("The node of {name} stands there twice, and backward runs each node once.", name=twice[0])
    for place, name in enumerate(order):
        if waits := sorted(users[name] - set(order[:place])):
            says = (
                "The node of {name} cannot run as number {number}: it still waits for a gradient from the node of "
                "{user}."
            )
            return worded(says, name=name, number=place + 1, user=waits[0])
    if missing := len(users) - len(order):
        one, many = "So far it is legal; 1 node is missing.", "So far it is legal; {number} nodes are missing."
        return worded(one) if missing == 1 else worded(many, number=missing)
    return ""


def called(node: str, history: History) -> str:
    """The name of the tensor that a node made; of an AccumulateGrad that of its leaf."""
    if node in history.op_of_node:
        box = history.boxes[history.ops[history.op_of_node[node]].outputs[0]]
    else:
        box = next(box for box in history.boxes.values() if box.leaf_node == node)
    return box.label or box.id


def users_by_name(history: History) -> dict[str, set[str]]:
    """For each node, by the tensor that it made or its leaf, the nodes that send it a gradient."""
    users: dict[str, set[str]] = {}
    for op in history.ops.values():
        if op.node is None:
            continue
        user = called(op.node, history)
        users.setdefault(user, set())
        edges: tuple[Edge | None, ...] = getattr(op.event, "edges", ())
        for edge in edges:
            if edge is not None:
                users.setdefault(called(edge.node, history), set()).add(user)
    return users
