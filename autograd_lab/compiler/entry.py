"""An entry: one captured call of a function, made into programs, and how they run in the place of the function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograd_lab.compiler.capture.capture import Captured, Output
from autograd_lab.compiler.capture.guards import Guard
from autograd_lab.compiler.compiled_node import CompiledFunctionBackward
from autograd_lab.compiler.graph import Graph, Value
from autograd_lab.compiler.joint import Halves, forward_outputs, halved, joint_of, separate
from autograd_lab.compiler.kernel import CHECK
from autograd_lab.compiler.passes import ON_ALL, ON_HALVES, Notes, Pass
from autograd_lab.compiler.program.assembly import Program
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.node import Made, enter
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.whose import place

UNCHANGED = [0]
"""The version counter of what a compiled call keeps for its backward pass: nobody else can write to it."""


@dataclass(frozen=True)
class Stage:
    """A graph on its way through the passes; `notes` say of values that were there before what has become of them."""

    name: str
    graph: Graph
    notes: Notes = field(default_factory=dict)


class Entry:
    """A captured call: what its guard asks, the stages of its graph, and its programs, `forward` and `backward`.

    The stages are those of forward and backward as one graph; those of each half are in `halves`. What its outputs are
    good for is in `results`, `writes`, `grads` and `gradients`, in this order.
    """

    def __init__(self, captured: Captured, guard: Guard, passes: tuple[Pass, ...], mode: Any) -> None:
        self.guard, self.mode, self.tree, self.changes = guard, mode, captured.tree, captured.changes
        self.inputs, self.files = captured.inputs, captured.files
        self.is_gone = captured.gradients is None
        self.stages = staged("captured", joint_of(captured), [each for each in ON_ALL if each in passes])
        halves = halved(self.stages[-1].graph, len(captured.inputs), len(forward_outputs(captured)))
        forward, writes = self._arranged(halves, captured)
        late = [each for each in ON_HALVES if each in passes]
        self.halves = {"forward": staged("forward", forward, late)}
        self.forward = Program("forward", self.halves["forward"][-1].graph, writes)
        self.backward: Program | None = None
        if halves.backward is not None:
            self.halves["backward"] = staged("backward", halves.backward, late)
            self.backward = Program("backward", self.halves["backward"][-1].graph)
        self._name_outputs(captured)
        self.needing = [at for at, one in enumerate(captured.places) if one.tensor._needs]
        self.draws = any(not one.kernel.pure and one.kernel is not CHECK for one in self.forward.graph.operations)
        self._roots = [one.number for one in captured.outputs if one.needs]
        self._numbers = {
            position: self._roots.index(at)
            for position, (is_input, at) in enumerate(self._saved)
            if not is_input and at in self._roots
        }

    def _arranged(self, halves: Halves, captured: Captured) -> tuple[Graph, dict[Value, Value]]:
        """The forward graph with outputs as a run wants them, and for each value that an input gets that input.

        The outputs are new tensors, gradients to be set, whatever else is saved for backward, and what inputs get. Of
        what is saved `_saved` tells whether it is an input or a new tensor, each by its number, or is in that rest: -1.
        """
        inputs = list(captured.inputs)
        targets = [inputs[change.place] for change in captured.changes if change.value is not None]
        first, self._news = len(forward_outputs(captured)), len(captured.outputs)
        whole = separate(halves.forward, tuple(targets), first)
        made, saved = whole.outputs[:first], whole.outputs[first:]
        new, grads = made[: self._news], made[self._news + len(targets) :]
        writes = {one: target for one, target in zip(made[self._news :], targets, strict=False) if one is not None}
        self._set = len(grads)
        self._saved: list[tuple[bool, int]] = []
        rest = []
        for value in saved:
            source = value if value is None else writes.get(value, value)
            if source in inputs:
                self._saved.append((True, inputs.index(source)))
            elif value in new:
                self._saved.append((False, new.index(value)))
            else:
                self._saved.append((False, -1))
                rest.append(value)
        return Graph(whole.inputs, whole.operations, (*new, *grads, *rest, *writes)), writes

    def _name_outputs(self, captured: Captured) -> None:
        """Say in words what the outputs of the graphs are good for; what is returned comes with its `Output`."""
        names = [one.name for one in captured.inputs]
        returned = list(outputs_in(captured.tree))
        several = len(returned) > 1
        self.results = tuple((f"result {at}" if several else "result", one) for at, one in enumerate(returned, 1))
        self.writes = tuple(f"into {names[one.place]}" for one in captured.changes if one.value is not None)
        self.grads = tuple(f"is {names[one.place]}.grad" for one in captured.changes if isinstance(one.grad, Value))
        places = [] if captured.gradients is None else captured.places
        needing = [name for name, one in zip(names, places, strict=False) if one.tensor._needs]
        self.gradients = tuple(f"gradient of {name}" for name in needing)

    @property
    def count_of_new(self) -> int:
        """How many new tensors it returns: they are the first outputs of its graphs."""
        return self._news

    @property
    def operations(self) -> list[Any]:
        """What the entry runs: forward, then backward."""
        programs = [self.forward, *([self.backward] if self.backward else [])]
        return [each for program in programs for each in program.graph.operations]

    def run(self, tensors: tuple[Any, ...]) -> Any:
        """What the function would do with these tensors. Raises `Departed` before anything has changed."""
        results = self.forward(*[one._array for one in tensors])
        count = self._news
        outputs = [wrap(one if type(one) is np.ndarray else np.asarray(one)) for one in results[:count]]
        if self.changes:
            self._change(tensors, results[count:])
        if self._roots and is_grad_enabled():
            self._link(tensors, outputs, results[count + self._set :])
        return returned(self.tree, outputs, tensors)

    def _change(self, tensors: tuple[Any, ...], grads: tuple[Any, ...]) -> None:
        """Move versions and set gradients, as the function would have."""
        where = place()
        grad = iter(grads)
        for change in self.changes:
            tensor = tensors[change.place]
            if change.writes:
                cell = tensor._cell
                cell[:] = cell[0] + change.writes, *where
            if change.grad is None:
                tensor._grad = None
            elif change.grad is not ...:
                tensor._grad = wrap(np.asarray(next(grad)))

    def _link(self, tensors: tuple[Any, ...], outputs: list[Any], rest: tuple[Any, ...]) -> None:
        """Give the outputs a history: one node for the whole of it."""
        roots = [outputs[at] for at in self._roots]
        node = CompiledFunctionBackward()
        node.next_functions = tuple([tensors[at]._edge or edge_of(tensors[at]) for at in self.needing])
        enter(node, roots[0])
        node.many = len(roots) > 1
        node.others = [Made(one._array.shape, one._array.dtype) for one in roots[1:]]
        node._program, node._numbers = self.backward, self._numbers
        saved: list[Any] = []
        more = iter(rest)
        for is_input, at in self._saved:
            source = tensors[at] if is_input else next(more) if at < 0 else outputs[at]._array
            cell = source._cell if is_input else UNCHANGED if at < 0 else outputs[at]._cell
            saved += (source, cell, cell[0])
        node._saved = tuple(saved)
        if self.is_gone:  # the function went back through it already
            node._saved, node.freed = None, (node.code, node.at)
        for number, one in enumerate(roots):
            one._needs, one._edge = True, (node, number)


def staged(name: str, graph: Graph, passes: list[Pass]) -> list[Stage]:
    """A graph, then what each pass makes of it."""
    stages = [Stage(name, graph)]
    for each in passes:
        graph, notes = each(graph)
        stages.append(Stage(each.__name__, graph, notes))
    return stages


def outputs_in(tree: Any) -> Iterator[Output]:
    """The tensors in what a function returns, in their order."""
    if type(tree) is Output:
        yield tree
    elif isinstance(tree, list | tuple | dict):
        for one in tree.values() if isinstance(tree, dict) else tree:
            yield from outputs_in(one)


def returned(tree: Any, outputs: list[Any], tensors: tuple[Any, ...]) -> Any:
    """What the function returns, with tensors in their places."""
    if type(tree) is Output:
        return outputs[tree.number] if tree.place is None else tensors[tree.place]
    if type(tree) in (list, tuple):
        return type(tree)([returned(one, outputs, tensors) for one in tree])
    if isinstance(tree, tuple):
        return type(tree)(*[returned(one, outputs, tensors) for one in tree])
    if type(tree) is dict:
        return {key: returned(one, outputs, tensors) for key, one in tree.items()}
    return tree
