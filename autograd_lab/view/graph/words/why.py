"""Why a tensor has no `.grad` at the end: the path to where backward began is walked, and where it is cut is named.

And how one gets there in the picture: from each box to the next on its way, or to the op where the way ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from autograd_lab import events as e
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.kit.unknown import or_else

Reason = tuple[str, int | None]
"""A sentence, and the step at which what it tells of happened."""
Place = tuple[e.Where | None, int]
"""A line and a step."""


@dataclass
class _Run:
    """What the passes of a run did: where they began and stopped, which `.grad` is there, which was cleared where.

    Of `asking` tensors `requires_grad` is True now; it was switched off for those `unasked`. Ops at steps `off` ran
    without grad mode, `dull` ones on nothing that asked. `given` has the leaves whose gradient arrived and was not
    stored, and when, `nothing` the nodes that got none, and from whom; `late` is what has retained its gradient since
    the last pass.
    """

    history: History
    roots: set[str] = field(default_factory=set)
    running: int = 0
    stopped: tuple[str | None, int] | None = None
    held: set[str] = field(default_factory=set)
    cleared: dict[str, Place] = field(default_factory=dict)
    asking: set[str] = field(default_factory=set)
    unasked: dict[str, Place] = field(default_factory=dict)
    off: set[int] = field(default_factory=set)
    dull: set[int] = field(default_factory=set)
    arrived: set[str] = field(default_factory=set)
    given: dict[str, int] = field(default_factory=dict)
    nothing: dict[str, tuple[str, int]] = field(default_factory=dict)
    late: dict[str, Place] = field(default_factory=dict)

    def see(self, event: e.Event, step: int) -> None:
        match event:
            case e.TensorCreated(tensor=facts) | e.TensorDetached(tensor=facts):
                self._ask(facts.id, facts.requires_grad)
            case e.OpApplied():
                if not any(operand.tensor in self.asking for operand in event.operands):
                    self.dull.add(step)
                for facts in event.outputs:
                    self._ask(facts.id, facts.requires_grad)
            case e.RequiresGradChanged(tensor=tensor, requires_grad=flag):
                self._ask(tensor, flag)
                self.unasked[tensor] = event.where, step
            case _:
                self._see_gradients(event, step)

    def _ask(self, tensor: str, flag: bool) -> None:
        (self.asking.add if flag else self.asking.discard)(tensor)

    def _see_gradients(self, event: e.Event, step: int) -> None:
        match event:
            case e.BackwardStarted(roots=roots):
                self.roots |= {root.node for root in roots}
                self.running += 1
                self.late.clear()
            case e.BackwardFinished():
                self.running -= 1
                self.given |= dict.fromkeys(self.arrived, step)
                self.arrived.clear()
            case e.ErrorRaised(node=node) if node is not None or self.running:
                self.stopped, self.running = (node, step), 0
                self.arrived.clear()
            case e.GradientSent():
                self._see_sent(event, step)
            case e.GradRetained(tensor=tensor):
                self.late[tensor] = event.where, step
            case e.GradAccumulated(tensor=tensor):
                self.held.add(tensor)
                self.arrived.discard(tensor)
            case e.GradAssigned(tensor=tensor, value=value) if value is not None:
                self.held.add(tensor)
            case e.GradAssigned(tensor=tensor):
                self.held.discard(tensor)
                self.cleared[tensor] = event.where, step

    def _see_sent(self, event: e.GradientSent, step: int) -> None:
        made = self.history.ops[self.history.op_of_node[event.node]].event
        edge = None if isinstance(made, e.TensorDetached) else made.edges[event.edge]
        if edge is not None and event.value is None:
            self.nothing.setdefault(edge.node, self.nothing.get(event.node, (event.node, step)))
        elif edge is not None and edge.leaf is not None:
            self.arrived.add(edge.leaf)


Leg = tuple[str, int, str | None]
"""An op, which of its operands one comes from, and the output from which one goes on, unless the way ends at the op."""


@dataclass
class _Ways:
    """The boxes that gradients can come to; for all others the first op after it that lets none past, and the way.

    What is `near` leads to where backward began, if by ops that let no gradient past; an op that does goes first.
    """

    reached: set[str] = field(default_factory=set)
    near: set[str] = field(default_factory=set)
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


WHOLE = ("bool", "int", "uint")
"""How dtypes begin that carry no gradient."""
CUT, STOPPED = "✂", "✗"
"""How the end of a way is marked: where nothing gets past, and where backward raised."""


@or_else(Why({}, {}, None, []))
def why(history: History, events: Iterable[e.Event]) -> Why:
    """Ask why about everything at once."""
    run = _run(history, events)
    ways = _ways(history, run)
    boxes = [box for box in history.boxes.values() if box.facts.id not in run.held and not _is_grad(box)]
    reasons = {box.id: _reason(box, history, run, ways) for box in boxes}
    stopped = None
    if run.stopped is not None and (node := run.stopped[0]) in history.op_of_node:
        stopped = history.op_of_node[node or ""], run.stopped[1]
    ahead = {} if stopped is None else _legs_to(history, stopped[0])
    legs = {box: (leg, STOPPED) for box, leg in _from(reasons, ahead) if box in ways.reached}
    legs |= {box: (leg, CUT) for box, leg in _from(reasons, ways.legs) if box not in ways.reached}
    leaves = [box.id for box in boxes if box.is_leaf and box.facts.requires_grad]
    return Why(reasons, legs, stopped, [*([stopped[0]] if stopped else []), *leaves])


def _from(boxes: Iterable[str], legs: Mapping[str, Leg]) -> Iterator[tuple[str, Leg]]:
    """The legs of the ways from these boxes, which may lead through others: each once."""
    seen: set[str] = set()
    for box in boxes:
        here: str | None = box
        while here is not None and here in legs and here not in seen:
            seen.add(here)
            yield here, legs[here]
            here = legs[here][2]


def reasons(history: History, events: Iterable[e.Event]) -> dict[str, Reason]:
    """For each box that has no `.grad` at the end, why."""
    return why(history, events).reasons


def _run(history: History, events: Iterable[e.Event]) -> _Run:
    run, recording = _Run(history), True
    for step, event in enumerate(events, 1):
        run.see(event, step)
        recording = event.enabled if isinstance(event, e.GradModeChanged) else recording
        if not recording:
            run.off.add(step)
    return run


def _is_grad(box: Box) -> bool:
    return box.label.endswith(".grad")


def _reason(box: Box, history: History, run: _Run, ways: _Ways) -> Reason:
    if box.facts.id in run.cleared:
        where, step = run.cleared[box.facts.id]
        return f"it was set to None{_line(where)}", step
    is_last = history.box_of(box.facts.id) == box.id
    if not (box.facts.id in run.asking if box.is_leaf and is_last else box.facts.requires_grad):
        return _unasked(box, history, run)
    if not run.roots:
        return "no backward pass was seen here", None
    if box.id not in ways.reached and box.leaf_node not in run.roots:
        return _unreached(box, run, ways)
    if not box.is_leaf and not is_last:
        return _changed(history.ops[history.boxes[history.lives[box.facts.id][box.rewrite + 1]].op or ""])
    if not box.is_leaf and not box.has_grad and (leaf := _replaced(box, history)) is not None:
        line = _line(history.ops[box.op or ""].event.where)
        return (
            f"it is not the leaf {leaf}, whose name it took{line}; under no_grad, {leaf} -= … changes the leaf",
            box.born,
        )
    if not box.is_leaf and not box.has_grad:
        return "only leaves keep theirs; retain_grad() before backward() would keep it", None
    return _missed(box, history, run)


def _replaced(box: Box, history: History) -> str | None:
    """The name of the leaf that a tensor was computed of and whose name it took, as in `w = w - lr * w.grad`."""
    used = [history.boxes[use.box] for use in history.ops[box.op or ""].uses if use.box is not None]
    name = box.facts.name
    return name if name and any(each.is_leaf and each.facts.name == name for each in used) else None


def _changed(by: Op) -> Reason:
    """Why a tensor that is no leaf has none from before an op that changed it in place, or cut its history off."""
    line = _line(by.event.where)
    if isinstance(by.event, e.TensorDetached):
        return f"only leaves keep theirs; retain_grad() before {by.name}{line} would keep it", by.born
    became = "retain_grad() after that would keep the gradient of what it became"
    return f"{by.name}{line} changed it in place; {became}", by.born


def _unasked(box: Box, history: History, run: _Run) -> Reason:
    if box.facts.id in run.unasked:
        where, step = run.unasked[box.facts.id]
        return f"requires_grad was set to False{_line(where)}", step
    made = history.ops[box.op] if box.op is not None else None
    if made is None:
        return "it does not ask for a gradient: requires_grad is False", None
    if made.node is not None:
        return f"{made.name}{_line(made.event.where)} does not differentiate this output", made.born
    return _cut(made, run, history)


def _unreached(box: Box, run: _Run, ways: _Ways) -> Reason:
    cut = ways.cuts.get(box.id)
    if cut is None:
        return "what backward began at was not made of it", None
    told = _cut(cut, run, run.history)[0]
    if cut.id in ways.near:
        return f"on the path to where backward began, {told}", cut.born
    return f"what backward began at was not made of it, as far as can be seen; {told}", cut.born


def _missed(box: Box, history: History, run: _Run) -> Reason:
    """Why a box that a gradient can come to has not kept one."""
    if box.facts.id in run.late:
        where, step = run.late[box.facts.id]
        return f"retain_grad(){_line(where)} came after backward", step
    given = run.given.get(box.facts.id, 0)
    if given and (run.stopped is None or run.stopped[1] < given):
        return "autograd.grad returned its gradient, and stores none", None
    if (node := box.leaf_node or "") in run.nothing:
        source, step = run.nothing[node]
        return f"{history.ops[history.op_of_node[source]].name} gave no gradient, None, on the path to it", step
    if run.stopped is not None:
        name = history.op_of_node.get(run.stopped[0] or "")
        at = "" if name is None else f" at {history.ops[name].name}"
        return f"backward stopped{at} before it got here", run.stopped[1]
    return "no pass that was seen here asked for it", None


def _ways(history: History, run: _Run) -> _Ways:
    """One walk from the last op to the first: what comes after an op is known when it is met."""
    ways = _Ways()

    def rank(op: Op) -> tuple[bool, int]:
        return op.id not in ways.near, op.born

    for op in reversed(history.ops.values()):
        is_reached = op.node in run.roots or not ways.reached.isdisjoint(op.outputs)
        if is_reached:
            ways.reached.update(op.outputs)
        if is_reached or not ways.near.isdisjoint(op.outputs):
            ways.near.update((op.id, *(use.box for use in op.uses if use.box is not None)))
        behind = [(ways.cuts[output], output) for output in op.outputs if output in ways.cuts]
        first = min(behind, key=lambda cut: rank(cut[0]), default=None)
        for number, use in enumerate(op.uses):
            if use.box is None:
                continue
            cut, after = first or (None, None)
            if op.node is None or use.operand.edge is None:
                cut, after = op, None
            elif is_reached:
                ways.reached.add(use.box)
            if cut is not None and (use.box not in ways.cuts or rank(cut) < rank(ways.cuts[use.box])):
                ways.cuts[use.box], ways.legs[use.box] = cut, (op.id, number, after)
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


def _cut(op: Op, run: _Run, history: History) -> Reason:
    line = _line(op.event.where)
    if op.node is not None:
        return f"{op.name}{line} sends no gradient", op.born
    if isinstance(op.event, e.TensorDetached):
        return f"{op.name}{line} cut its history", op.born
    cause = ""
    if op.born in run.off:
        cause = ": grad mode was off"
    elif op.born in run.dull:
        cause = ": nothing that it took asked for a gradient"
    elif all(history.boxes[box].facts.dtype.startswith(WHOLE) for box in op.outputs):
        cause = ": whole numbers and truth values carry no gradient"
    return f"{op.name}{line} was not recorded{cause}", op.born


def _line(where: e.Where | None) -> str:
    return "" if where is None else f" on line {where.number}"
