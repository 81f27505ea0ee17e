"""By which paths gradients came, and with which factors; for each tensor a sentence on that.

A factor is what a node has sent along an edge, over what had arrived at it: it was seen in this pass, so it is told of
every node for which it is one number, whatever its formula. Of arrays it is what all elements have in common.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autograd_lab import events as e
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.words.meeting import Arrival, Meetings
from autograd_lab.view.graph.words.origin import Gradient, origin_of
from autograd_lab.view.kit.figure import figure, is_now, numbers_of
from autograd_lab.view.kit.unknown import or_else

MOST, LONG = 4, 6
"""So many paths are written out, of so many factors each."""
CLOSE = 1e-3
"""How far, relative to it, rounding in half precision leads a product from its factors."""

Factors = tuple[float, ...]
Output = tuple[str, int]
"""A node, and which of its outputs."""


class Came(NamedTuple):
    """How the gradient for an output came: by how many paths, with which factors on each, the last of these first;
    None where a factor is not one number, or there are more paths than anybody would read."""

    paths: int
    factors: tuple[Factors, ...] | None


class Paths:
    """Goes along with a run. `factors` has for each line of the picture the steps at which its factor changes, `told`
    for each box what is to be said of its gradient from a step on."""

    def __init__(self, history: History) -> None:
        self.factors: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.told: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.came: dict[Output, Came] = {}
        self._history, self._meetings = history, Meetings(history)
        self._seeds: dict[Output, e.Value] = {}
        self._visited: dict[str, list[tuple[int, e.Value]]] = {}
        self._lines = {
            (op.node, use.operand.edge): f"{op.id}.u{number}"
            for op in history.ops.values()
            for number, use in enumerate(op.uses)
            if op.node is not None and use.operand.edge is not None
        }

    @or_else(None)
    def see(self, event: e.Event, before: GraphState, state: GraphState) -> None:
        """Take notice of an event that led from one state to the next."""
        match event:
            case e.BackwardStarted(roots=roots, gradients=gradients):
                self._seeds = {(root.node, root.index): it for root, it in zip(roots, gradients, strict=True)}
            case e.NodeVisited(node=node, gradients=gradients):
                self._visit(node, [(at, value) for at, value in enumerate(gradients) if value is not None], state)
            case e.GradientSent(node=node, edge=edge, value=value) if (node, edge) in self._lines:
                factor = None if value is None else self._factor(Arrival(node, edge, value))
                self._send(self._lines[node, edge], "" if factor is None else figure(factor), state.step)
            case e.GradAccumulated():
                self._store(event, before, state)
            case e.GradAssigned(tensor=tensor, value=value, where=where):
                now = "is None" if value is None else is_now(value)
                self._tell(tensor, f" {now}: the program set it{_line(where)}", state.step)
            case e.TensorModified(tensor=grad) if not before.in_backward and (owner := before.owner_of(grad)):
                self._tell(owner, f" {is_now(event.value)}: {event.op}{_line(event.where)} wrote it", state.step)

    def _visit(self, node: str, gradients: list[tuple[int, e.Value]], state: GraphState) -> None:
        self._visited[node] = gradients
        op = self._history.ops.get(self._history.op_of_node.get(node, ""))
        for index, value in gradients:
            gradient = self._arrived((node, index), value, state)
            if op is not None and index < len(op.outputs):
                box = self._history.boxes[op.outputs[index]]
                whose = f"gradient of {box.label}" if box.label else "its gradient"
                self.told[box.id].append((state.step, f"{whose}{origin_of(gradient)}"))

    def _store(self, event: e.GradAccumulated, before: GraphState, state: GraphState) -> None:
        output = self._stored(event.tensor, before)
        if output is not None:
            held = None if event.is_first else before.tensors[event.tensor].grad
            gradient = self._arrived(output, event.added, state)
            self._tell(event.tensor, origin_of(gradient, held, event.total), state.step)

    def _stored(self, tensor: str, state: GraphState) -> Output | None:
        """The output whose gradient is stored for a tensor: that of its AccumulateGrad, which is not the same in all
        passes, or of the node that made it."""
        if state.active is not None and state.nodes[state.active].leaf == tensor:
            return state.active, 0
        box = self._history.boxes.get(self._history.box_of(tensor) or "")
        op = None if box is None or box.op is None else self._history.ops[box.op]
        return None if box is None or op is None or op.node is None else (op.node, op.outputs.index(box.id))

    def _arrived(self, output: Output, value: e.Value, state: GraphState) -> Gradient:
        parts = self._meetings.at(state, *output)
        self.came[output] = came = self._along(output, parts)
        names = [self._history.ops[self._history.op_of_node[part.node]].name for part in parts]
        is_hooked = any(call.step <= state.step for call in self._history.hooks.get(output[0], ()))
        return Gradient(value, [part.value for part in parts], names, came.paths, came.factors, is_hooked)

    def _along(self, output: Output, parts: Sequence[Arrival]) -> Came:
        """The paths to an output: those to the nodes that sent to it, each with one factor more."""
        seed = self._seeds.get(output)
        found = [] if seed is None else list(_begun(seed))
        paths, is_known = int(seed is not None), seed is None or bool(found)
        for part in parts:
            before = [self.came[part.node, index] for index, _ in self._visited.get(part.node, ())]
            factor, paths = self._factor(part), paths + sum(came.paths for came in before)
            if factor is None or before[0].factors is None:
                is_known = False
            elif is_known:
                found += [_short((factor, *others)) for others in before[0].factors]
        is_known &= len(found) <= MOST and all(len(factors) <= LONG for factors in found)
        return Came(paths, tuple(found) if is_known else None)

    def _factor(self, part: Arrival) -> float | None:
        """What a node did to the one gradient that it had, on its way along an edge."""
        came = self._visited.get(part.node, ())
        return ratio(part.value, came[0][1]) if len(came) == 1 else None

    def _send(self, line: str, said: str, step: int) -> None:
        known = self.factors[line][-1:] if line in self.factors else []
        if said != (known[0][1] if known else ""):
            self.factors[line].append((step, said))

    def _tell(self, tensor: str, said: str, step: int) -> None:
        """Say something of a `.grad`, which all lives of its tensor have in common."""
        for number in self._history.lives.get(tensor, ()):
            box = self._history.boxes[number]
            if box.born <= step:
                self.told[number].append((step, f"{box.label}.grad{said}"))


def ratio(sent: e.Value, came: e.Value) -> float | None:
    """The one factor between two gradients, if there is one: all of their elements have it in common.

    >>> value = lambda *numbers: e.Value(numbers=list(numbers))
    >>> ratio(value(6.0, 0.0, 3.0), value(2.0, 0.0, 1.0)), ratio(value(1.0, 0.0), value(1.0, 1.0))
    (3.0, None)
    """
    ends, starts = numbers_of(sent), numbers_of(came)
    if ends is None or starts is None or len(ends) != len(starts) or not all(map(math.isfinite, (*ends, *starts))):
        return None
    pairs = list(zip(ends, starts, strict=True))
    found = next((end / start for end, start in pairs if start), None)
    if found is None or any(abs(end - found * start) > CLOSE * abs(end) for end, start in pairs):
        return None
    return found


def _begun(seed: e.Value) -> Iterator[Factors]:
    """What a path begins with: mostly 1, which needs no saying."""
    numbers = numbers_of(seed)
    if numbers is not None and len(numbers) == 1:
        yield () if numbers[0] == 1 else (numbers[0],)


def _short(factors: Factors) -> Factors:
    """Of many factors those that are not 1."""
    return factors if len(factors) <= LONG else tuple(factor for factor in factors if factor != 1)


def _line(where: e.Where | None) -> str:
    return "" if where is None else f" on line {where.number}"
