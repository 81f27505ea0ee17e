"""Forward and backward as one graph, which is improved as a whole and then cut in two."""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lab.compiler.capture.capture import Captured
from autograd_lab.compiler.graph import Constant, Graph, Operation, Value, dense
from autograd_lab.compiler.kernel import COPY

HEAVY = {
    "exp",
    "log",
    "tanh",
    "sin",
    "cos",
    "power",
    "**",
    "sqrt",
    "divide",
    "expm1",
    "log1p",
    "exp2",
    "log2",
    "arctan",
}
"""Elementwise operations that are rather kept than done twice."""
MOST_AGAIN = 4
"""How many cheap operations are done again to have a value that would otherwise be kept."""


@dataclass(frozen=True)
class Halves:
    """What runs when the function is called and what runs when gradients come, and the values that are kept between.

    The forward graph gives its own outputs, then what is `saved`; the backward one takes that, then the tangents.
    """

    forward: Graph
    backward: Graph | None
    saved: tuple[Value, ...]


def joint_of(captured: Captured) -> Graph:
    """One graph from the inputs and tangents to all that a run gives: new tensors, changes, gradients."""
    return Graph(
        (*captured.inputs, *captured.tangents),
        captured.operations,
        (*forward_outputs(captured), *_gradients(captured)),
    )


def _gradients(captured: Captured) -> list[Value | None]:
    """One for each input that needs one."""
    found = captured.gradients or ()
    return [g for g, one in zip(found, captured.places, strict=False) if one.tensor._needs]


def forward_outputs(captured: Captured) -> tuple[Value | None, ...]:
    """The values of new tensors, then those that inputs get, then those of gradients that are set."""
    new = [change.value for change in captured.changes if change.value is not None]
    grads = [change.grad for change in captured.changes if isinstance(change.grad, Value)]
    return (*(one.value for one in captured.outputs), *new, *grads)


def halved(joint: Graph, inputs: int, outputs: int) -> Halves:
    """The graph cut in two: the first `inputs` and `outputs` belong to the forward half."""
    primals, tangents = joint.inputs[:inputs], joint.inputs[inputs:]
    results, gradients = joint.outputs[:outputs], joint.outputs[outputs:]
    first = _leading_to(joint, results, impure=True)
    forward = [each for each in joint.operations if id(each) in first]
    if not tangents:
        return Halves(Graph(primals, tuple(forward), results), None, ())
    second = _leading_to(joint, gradients, impure=False)
    backward = [each for each in joint.operations if id(each) in second - first]
    saved, again = _kept(joint, backward, gradients, primals, tangents)
    backward = [each for each in joint.operations if id(each) in again | (second - first)]
    return Halves(
        Graph(primals, tuple(forward), (*results, *saved)),
        Graph((*saved, *tangents), tuple(backward), gradients),
        saved,
    )


def _leading_to(graph: Graph, outputs: tuple[Value | None, ...], *, impure: bool) -> set[int]:
    """The operations that outputs depend on, by their ids; with those that must run in any case."""
    wanted = {one for one in outputs if one is not None}
    found = set()
    for each in reversed(graph.operations):
        if not wanted.isdisjoint(each.results) or (impure and not each.kernel.pure):
            wanted.update(each.operands)
            found.add(id(each))
    return found


def _kept(
    joint: Graph, backward: list[Operation], gradients: tuple[Value | None, ...], primals: tuple[Value, ...],
    tangents: tuple[Value, ...],
) -> tuple[tuple[Value, ...], set[int]]:  # fmt: skip
    """What the backward half needs of the forward one, and what it computes again in order to need less."""
    own = {value for each in backward for value in each.results} | set(tangents)
    needed = [value for each in backward for value in each.operands] + [one for one in gradients if one is not None]
    saved = dict.fromkeys(value for value in needed if value not in own and not isinstance(value, Constant))
    again: set[int] = set()
    for value in sorted(saved, key=lambda one: one.nbytes, reverse=True):
        operations, sources = _recipe(joint, value, {*saved, *primals} - {value})
        more = sum(one.nbytes for one in sources if one not in saved and one not in primals)
        if operations and more < value.nbytes:
            del saved[value]
            saved |= dict.fromkeys(sources)
            again |= operations
    return tuple(one for one in saved if id(joint.makers.get(one)) not in again), again


def _recipe(joint: Graph, value: Value, there: set[Value]) -> tuple[set[int], list[Value]]:
    """The few cheap operations that make a value anew, by their ids, and what they begin with."""
    operations: set[int] = set()
    sources: dict[Value, None] = {}
    waiting = [value]
    while waiting:
        one = waiting.pop()
        maker = joint.makers.get(one)
        if one in there or maker is None or not is_cheap(maker) or len(operations) == MOST_AGAIN:
            sources |= {} if isinstance(one, Constant) else {one: None}
        elif id(maker) not in operations:
            operations.add(id(maker))
            waiting += maker.operands
    return operations, list(sources)


def is_cheap(operation: Operation) -> bool:
    """Whether to do it again costs less than to keep what it makes."""
    kernel = operation.kernel
    return kernel.view or (kernel.elementwise and kernel.pure and kernel.name not in HEAVY)


def separate(graph: Graph, written: tuple[Value, ...], fresh: int) -> Graph:
    """The graph with copies where what it gives (the first `fresh` outputs) would be in memory that is not its own.

    That is so for inputs and constants, for views, and for what is given twice. Of the other outputs, which are saved,
    it is so for inputs that are `written` to.
    """
    copies: list[Operation] = []
    outputs: list[Value | None] = []
    for at, value in enumerate(graph.outputs):
        if value is None or (_is_own(value, graph) and value not in outputs if at < fresh else value not in written):
            outputs.append(value)
            continue
        copy = Value(f"{value}_own{len(copies)}", value.shape, value.dtype, dense(value.shape, value.dtype))
        copies.append(Operation(COPY, (value,), (copy,)))
        outputs.append(copy)
    return Graph(graph.inputs, (*graph.operations, *copies), tuple(outputs))


def _is_own(value: Value, graph: Graph) -> bool:
    return value in graph.makers and not graph.makers[value].kernel.view
