"""The window: which ops of a trace are drawn.

A training loop does the same again and again, so one iteration stands for all. Two backward passes are turns of one
loop if the same line began them, over the same kinds of ops at the same lines, but not over the same ops. All other
passes belong to one graph: those of two losses, of the two sides of a GAN, or of a gradient's gradient.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from autograd_lab.events import (
    ErrorRaised,
    Event,
    OptimizerLeft,
    TensorDetached,
    TensorModified,
)
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.back_passes import (
    Pass,
    Recorded,
    made_in_passing,
    passes_of,
    reached,
    recorded_pass,
)
from autograd_lab.view.graph.cards.updates import Update, update_in
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.facts.labels import SUBSCRIPTS

FEW = 24
"""Tensors that a small program has at most."""


@dataclass(frozen=True, slots=True)
class Window:
    """`ops` are drawn, in program order; those of them that are `second` were made by a backward pass.

    The others have no gradient: those `aside` make data, masks and targets ready, or look at results; `updates` change
    leaves, as optimizers do, or look at gradients; those in `passing` were made by backward passes. `recomputed` tells
    for each op that a checkpoint ran again the op of the node for which it did.

    `leaves` are drawn though no op uses them: of small programs those that want a gradient and get none.
    `recorded` is the pass that made what is second, `update` closes the iteration. `span` are the first step of the
    `iteration` and its last one; there are so many `iterations`.
    """

    ops: tuple[Op, ...] = ()
    second: frozenset[str] = frozenset()
    aside: tuple[Op, ...] = ()
    updates: tuple[Op, ...] = ()
    passing: tuple[Op, ...] = ()
    recomputed: dict[str, str] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()
    span: tuple[int, int] = (0, 0)
    iteration: int = 1
    iterations: int = 1
    recorded: Recorded | None = None
    update: Update | None = None


def window_of(history: History, events: Sequence[Event], asked: Asked | None = None) -> Window:
    """What is to be drawn. Raises ValueError when no tensor is called as the root is."""
    asked = asked or Asked()
    second, updating, recomputed = made_in_passing(history, events)
    nodes = [op for op in history.ops.values() if op.node is not None and not op.unpacks]
    if history.is_unrecorded:  # what led to the error is seen all the same
        nodes = [op for op in history.ops.values() if not op.unpacks]
    if asked.root is not None:
        wanted = _ancestors(history, called(history, asked.root))
        chosen, span, which, count = wanted, (1, len(events)), 1, 1
        nodes = [op for op in nodes if op.id in wanted]
    else:
        chosen, span, which, count = _iteration(history, events, nodes, asked.iteration)
        nodes = [op for op in nodes if op.id in chosen]
    rest = [] if history.is_unrecorded else [op for op in history.ops.values() if op.node is None and not op.unpacks]
    rest = [op for op in rest if span[0] <= op.born <= span[1] and (asked.root is None or op.id in chosen)]
    updates = _updates(history, rest, updating)
    layer = [op.id for op in nodes if op.id in second]
    return Window(
        tuple(nodes),
        frozenset(layer),
        tuple(op for op in rest if op.id not in updates | second),
        tuple(op for op in rest if op.id in updates),
        tuple(op for op in rest if op.id in second - updates),
        recomputed, _unused(history, nodes, asked), span, which, count,
        recorded_pass(history, events, layer), update_in(history, events, span),
    )  # fmt: skip


def called(history: History, root: str) -> Box:
    """The last tensor that is called so. Raises ValueError if there is none."""
    asked = root.replace("_", "").translate(SUBSCRIPTS)
    exact = [box for box in history.boxes.values() if root == box.label]
    near = (box for box in history.boxes.values() if asked == box.label.replace("_", "") or root == box.facts.name)
    names = exact or list(near)
    if not names:
        known = list(dict.fromkeys(box.label for box in history.boxes.values() if box.label))
        raise ValueError(f"no tensor is called {root!r}; there are {', '.join(known[:12])}{', …' * (len(known) > 12)}")
    return names[-1]


def _iteration(
    history: History, events: Sequence[Event], nodes: Sequence[Op], asked: int | None
) -> tuple[set[str], tuple[int, int], int, int]:
    """The ops of an iteration, by default the last, with what no pass reaches; its steps; its number, of how many."""
    kinds: dict[Hashable, list[Pass]] = {}
    for each in passes_of(history, events):
        if each.ops:
            kinds.setdefault(each.place, []).append(each)
    rounds = min((kind for kind in kinds.values() if len(kind) > 1), key=len, default=[])
    if not rounds:
        return {op.id for op in nodes}, (1, len(events)), 1, 1
    which = min(max(asked or len(rounds), 1), len(rounds))
    ends = [0, *(_last_update(history, events, each, rounds[number + 1 :]) for number, each in enumerate(rounds))]
    before, end = ends[which - 1], ends[which]
    met = {op for kind in kinds.values() for each in kind for op in each.ops}
    if which == len(rounds) and any(isinstance(event, ErrorRaised) for event in events[rounds[-1].end :]):
        unfinished = [op for op in nodes if op.born > rounds[-1].end and op.id not in met]
        if unfinished:  # the iteration that failed before its backward pass
            failed = {op.id for op in unfinished} | reached(history, (op.node or "" for op in unfinished))
            return failed, (rounds[-1].end + 1, len(events)), which + 1, len(rounds) + 1
    chosen: set[str] = set()
    for kind in kinds.values():
        begun = [each for each in kind if each.start <= end] or kind[:1]
        chosen |= begun[-1].ops
    chosen |= {op.id for op in nodes if before < op.born <= rounds[which - 1].end and op.id not in met}
    return chosen, (before + 1, end), which, len(rounds)


def _last_update(history: History, events: Sequence[Event], done: Pass, later: Sequence[Pass]) -> int:
    """The step with which an iteration ends: when leaves were last changed before the next one runs forward."""
    if not later:
        return len(events)
    following = min(history.ops[op].born for op in later[0].ops)
    for step in range(following - 1, done.end, -1):
        match events[step - 1]:
            case OptimizerLeft():
                return step
            case TensorModified(tensor=tensor) if _is_learnt(history, tensor):
                return step
    return done.end


def _is_learnt(history: History, tensor: str) -> bool:
    lives = history.lives.get(tensor, [])
    return bool(lives) and history.boxes[lives[0]].is_leaf and history.boxes[lives[0]].forms[-1].requires_grad


def _ancestors(history: History, end: Box) -> set[str]:
    """The ops that a tensor was made of, with a gradient or without."""
    found: set[str] = set()
    waiting = [end.op]
    while waiting:
        op = waiting.pop()
        if op is not None and op not in found:
            found.add(op)
            waiting += [history.boxes[use.box].op for use in history.ops[op].uses if use.box is not None]
            edges = getattr(history.ops[op].event, "edges", ())
            waiting += [history.op_of_node.get(edge.node) for edge in edges if edge is not None]
    return found


def _unused(history: History, nodes: Sequence[Op], asked: Asked) -> tuple[str, ...]:
    """In a small program the leaves that want a gradient, and that nothing with a gradient uses."""
    if asked.root is not None:
        root = called(history, asked.root)
        return (root.id,) if not nodes and root.facts.requires_grad else ()
    if len(history.boxes) > FEW or history.calls:
        return ()
    met = {edge.leaf for op in history.ops.values() for edge in getattr(op.event, "edges", ()) if edge is not None}
    firsts = (history.boxes[lives[0]] for tensor, lives in history.lives.items() if tensor not in met)
    return tuple(box.id for box in firsts if box.op is None and box.forms[-1].requires_grad and box.label)


def _updates(history: History, rest: Sequence[Op], updating: set[str]) -> set[str]:
    """Of the ops without a gradient those that change leaves or take a `.grad`, and those that only these build on."""
    found = {op.id for op in rest if op.id in updating or _writes_leaf(history, op) or _reads_grad(history, op)}
    users: dict[str, set[str]] = {}
    for op in history.ops.values():
        for use in op.uses:
            if use.box is not None:
                users.setdefault(use.box, set()).add(op.id)
    for op in reversed(rest):
        users_of_op = {user for box in op.outputs for user in users.get(box, ())}
        if users_of_op and users_of_op <= found:
            found.add(op.id)
    return found


def _reads_grad(history: History, op: Op) -> bool:
    return any(use.box is not None and history.boxes[use.box].label.endswith(".grad") for use in op.uses)


def _writes_leaf(history: History, op: Op) -> bool:
    if isinstance(op.event, TensorDetached) or not getattr(op.event, "wrote_in_place", False):
        return False
    return any(history.boxes[box].facts.requires_grad for box in op.outputs)
