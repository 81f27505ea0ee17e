"""The backward pass: PyTorch's algorithm, in one loop.

First count how many gradients each node is to receive. Then, of the nodes that have received all of theirs, run the one
recorded last; an AccumulateGrad as soon as it is ready. No recursion, so the depth of a graph has no limit.

Leaves tie, and which of several comes first is up to the heap: `heapq` sifts as C++ does, so it is the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import hooks, seams
from autograd_lab.engine.core.edges import AccumulateGrad
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import NO_EDGE, Edge, Variable, wrap, wrap_any
from autograd_lab.engine.modes.grad_mode import enabled, is_grad_enabled
from autograd_lab.engine.numbers import unbroadcast as sums
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.whose import place


def run(
    roots: Sequence[Edge],
    gradients: Sequence[Any],
    retain_graph: bool = False,
    create_graph: bool = False,
    inputs: Sequence[Edge] | None = None,
    captured: dict[Edge, Any] | None = None,
) -> None:
    """Send `gradients` from the roots to the leaves, or only as far as the edges `inputs`.

    What arrives at an edge that is a key of `captured` becomes its value there, and is accumulated nowhere.
    """
    missing = _dependencies(roots)
    runs, reached = (None, None) if inputs is None else _on_the_way(roots, missing, inputs, captured)
    now = hooks.Pass(missing, runs, captured, place(), roots[0][0] if len(roots) == 1 else None)
    before, outer = enabled.set(create_graph), hooks.current.set(now)
    try:
        _run(roots, gradients, retain_graph, create_graph, inputs, captured, now, reached)
    finally:
        hooks.current.reset(outer)
        enabled.reset(before)


def _run(
    roots: Sequence[Edge], gradients: Sequence[Any], retain_graph: bool, create_graph: bool, inputs: Any, captured: Any,
    now: hooks.Pass, reached: Any,
) -> None:  # fmt: skip
    missing, runs, freed = now.missing, now.runs, now.place
    watched = listening.active is not None
    expected = missing.copy() if watched else missing
    special: Any = () if inputs is None else {target for target, _ in inputs}
    evaluated = _evaluated
    if seams.guarded is not None:
        special, evaluated = missing, seams.guarded(_evaluated)
    arrived: dict[Any, Any] = {}
    ready: list[tuple[int, Node]] = []
    node: Node | None = None
    edges = roots
    while True:
        if watched:
            _send(node, edges, gradients, arrived, missing, expected, ready, reached)
        else:
            for (target, nr), g in zip(edges, gradients):  # noqa: B905 - what `_send` does, in short
                if target is None or (reached is not None and target not in reached):
                    continue
                if g is not None:
                    key = made = target
                    if nr:
                        key, made = (target, nr), target.others[nr - 1]
                    if g.shape != made.shape or g.dtype is not made.dtype:
                        g = _fitted(g, made, node, gradients)
                    arrived[key] = arrived[key] + g if key in arrived else g
                left = missing[target] = missing[target] - 1
                if left == 0:
                    heappush(ready, (-target.seq, target))
        while True:
            if not ready:
                return
            node = heappop(ready)[1]
            if type(node) is not AccumulateGrad:
                break
            _reach(node, arrived.pop(node, None), runs, captured)
        edges = node.next_functions
        if (
            watched or node._more is not None or node.many or node in special
            or (g := arrived.pop(node, None)) is None
        ):  # fmt: skip
            gradients = evaluated(node, arrived, retain_graph, create_graph, runs, reached, captured)
            continue
        if node._saved == ():  # the common case, in short
            gradients = node.backward(g)
        else:
            gradients = node.backward(g, *(node.tensors() if create_graph else node.arrays()))
            if not retain_graph:
                node._saved, node.freed = None, freed
        if type(gradients) is not tuple:
            gradients = (gradients,)


def _send(
    node: Node | None, edges: Sequence[Edge], gradients: Sequence[Any], arrived: dict[Any, Any],
    missing: dict[Node, int], expected: dict[Node, int], ready: list[tuple[int, Node]], reached: Any,
) -> None:  # fmt: skip
    """Send gradients along a node's edges, and tell the recorder; what comes from the user needs no telling."""
    active = listening.active
    for position, ((target, nr), g) in enumerate(zip(edges, gradients, strict=False)):
        if target is None or (reached is not None and target not in reached):
            continue
        count = 1 + expected[target] - missing[target]
        if g is not None:
            key, made = (target, target) if nr == 0 else ((target, nr), target.others[nr - 1])
            g = _fitted(g, made, node, gradients)
            first = key not in arrived
            arrived[key] = g if first else arrived[key] + g
        if node is not None:
            active.gradient_sent(node, position, g, count, expected[target])
            if g is not None and not first:
                active.gradients_added(target, nr, arrived[key])
        missing[target] -= 1
        if missing[target] == 0:
            heappush(ready, (-target.seq, target))


def _dependencies(roots: Sequence[Edge]) -> dict[Node, int]:
    """How many gradients each node that can be reached will receive."""
    counts: dict[Node, int] = {}
    found = []
    edges: Sequence[Edge] = roots
    while True:
        for node, _ in edges:
            if node is not None:
                if node in counts:
                    counts[node] += 1
                else:
                    counts[node] = 1
                    found.append(node)
        if not found:
            return counts
        edges = found.pop().next_functions


_age = attrgetter("seq")


def _on_the_way(
    roots: Sequence[Edge], nodes: dict[Node, int], inputs: Sequence[Edge], captured: Any
) -> tuple[Any, Any]:
    """Which nodes run and which are reached when only the gradients of `inputs` are wanted."""
    targets = {node for node, _ in inputs if node is not None}
    runs = set() if captured is not None else set(targets)
    reached = set(targets)
    if len(roots) == 1 and (root := roots[0][0]) is not None and (type(root) is AccumulateGrad or root._more):
        reached.add(root)  # what waits at the only root is called even if the root leads nowhere
    for node in sorted(nodes, key=_age):  # a node is younger than those it sends to
        for target, _ in node.next_functions:
            if target in reached:
                runs.add(node)
                reached.add(node)
                break
    return runs, reached


def _evaluated(
    node: Node, arrived: dict[Any, Any], retain_graph: bool, create_graph: bool, runs: Any, reached: Any, captured: Any
) -> Sequence[Any]:
    """Run one node: hooks, formula, hooks; what it is to send along each edge, nothing if it is not to run.

    What its own hooks see is what PyTorch computes: None for edges that lead to nothing that is `reached`.
    """
    gathered = [arrived.pop(node, None)]
    if node.many:
        gathered += [arrived.pop((node, nr), None) for nr in range(1, 1 + len(node.others))]
    goes_on = runs is None or node in runs
    if captured is not None and goes_on:
        _capture(node, gathered, captured)
    if node._more is not None:
        gathered = [_unwrapped(g) for g in hooks.before(node, [wrap_any(g) for g in gathered])]
    if not goes_on:
        if captured is not None:
            _capture(node, gathered, captured)
        return ()
    if node._more is not None and node._more.pre_hooks:
        gathered = [_unwrapped(g) for g in hooks.pre_hooks(node, [wrap_any(g) for g in gathered])]
    active = listening.active
    if active is not None:
        active.node_visited(node, gathered)
    sent = _vector_jacobian_product(node, gathered, create_graph, reached)
    if reached is not None:
        sent = [g if edge[0] in reached else None for g, edge in zip(sent, node.next_functions, strict=False)]
    if active is not None:
        sent = _checked(node, sent, active)
        active.node_evaluated(node, sent)
    if node._more is not None and node._more.post_hooks:
        sent = [_received(g, edge, node, sent) for g, edge in zip(sent, node.next_functions, strict=False)]
        sent = [_unwrapped(g) for g in hooks.after(node, [wrap_any(g) for g in sent], [wrap_any(g) for g in gathered])]
    if node._saved:
        if active is not None:
            active.saved_retained(node) if retain_graph else active.saved_freed(node)
        if not retain_graph:
            node._saved, node.freed = None, hooks.current.get().place
    return sent


def _vector_jacobian_product(node: Node, gathered: list[Any], create_graph: bool, reached: Any) -> Sequence[Any]:
    """The node's formula, on arrays, or on tensors if that is to be recorded too; for what is `reached`, if not all."""
    g = gathered[0] if not node.many else gathered
    try:
        saved = node.tensors() if create_graph else node.arrays()  # also where no gradient came: it may be stale
        if node.needs_gradient and all(one is None for one in gathered):
            return (None,) * len(node.next_functions)
        sent = node.backward(g, *saved) if reached is None else _in_part(node, g, saved, reached)
    except RuntimeError as error:
        if listening.active is not None:
            listening.active.error_raised(error, node, node.unusable_slot(), None)
        raise
    return sent if type(sent) is tuple else (sent,)


def _in_part(node: Node, g: Any, saved: Sequence[Any], reached: Any) -> Any:
    """The node's formula as if the inputs that nobody asks for needed no gradient."""
    edges = node.next_functions
    node.next_functions = tuple([edge if edge[0] in reached else NO_EDGE for edge in edges])
    try:
        return node.backward(g, *node.needed(saved))
    finally:
        node.next_functions = edges


def _checked(node: Node, sent: Sequence[Any], active: Any) -> Sequence[Any]:
    """The gradients as they will be received; if one cannot be, a recorder is told."""
    try:
        return [_received(g, edge, node, sent) for g, edge in zip(sent, node.next_functions, strict=False)]
    except RuntimeError as error:
        active.error_raised(error, node, None, None)
        raise


def _received(g: Any, edge: Edge, node: Node, gradients: Sequence[Any]) -> Any:
    """A gradient as what is at the other end of the edge receives it."""
    target, nr = edge
    if g is None or target is None:
        return g
    return _fitted(g, target if nr == 0 else target.others[nr - 1], node, gradients)


def _fitted(g: Any, made: Any, node: Node | None, gradients: Sequence[Any]) -> Any:
    """The gradient in the shape and dtype of what it is the gradient of: broadcasting is undone, dtypes are cast."""
    array = g._array if isinstance(g, Variable) else g
    if array.shape != made.shape:
        try:
            g = g._summed_to(made.shape) if isinstance(g, Variable) else sums.sum_to(g, made.shape)
        except ValueError:
            name = "GraphRoot" if node is None else node.name()
            index = next(position for position, one in enumerate(gradients) if one is g)
            raise RuntimeError(
                f"Function {name} returned an invalid gradient at index {index} - got {list(array.shape)} but expected "
                f"shape compatible with {list(made.shape)}"
            ) from None
    if array.dtype is made.dtype:
        return g
    return g._to(made.dtype) if isinstance(g, Variable) else g.astype(made.dtype)


def _unwrapped(g: Any) -> Any:
    """A gradient in the form in which formulas take it: a tensor only if it is to be recorded, else its array."""
    if not isinstance(g, Variable) or is_grad_enabled():
        return g
    return g._array if g._array.ndim else g._array[()]


def _capture(node: Node, gathered: list[Any], captured: dict[Edge, Any]) -> None:
    for nr, g in enumerate(gathered):
        if (node, nr) in captured:
            captured[node, nr] = g


def _laid_out(g: Any, leaf: Array) -> Array:
    """A copy of a gradient, in the memory layout of its leaf."""
    if leaf.flags.c_contiguous:
        return np.array(g, order="C")
    copy: Array = np.empty_like(leaf)
    copy[...] = g
    return copy


def _reach(node: AccumulateGrad, g: Any, runs: Any, captured: Any) -> None:
    """A gradient, all of it, has come to a leaf."""
    leaf = node._leaf
    extra = leaf._extra
    if extra.hooks:
        g = _unwrapped(hooks.run_tensor_hooks(extra.hooks, wrap_any(g), leaf, node))
    if captured is not None:
        _capture(node, [g], captured)
    if runs is not None and node not in runs:
        return
    if node._more is not None:
        g = _unwrapped(hooks.pre_hooks(node, [wrap_any(g)])[0])
    if g is not None and leaf._needs:
        if listening.active is not None:
            listening.active.node_visited(node, (g,))
        grad = leaf._grad
        if isinstance(g, Variable):
            leaf._grad = g._copied_gradient() if grad is None else grad + g
        elif grad is None:
            leaf._grad = wrap(_laid_out(g, leaf._array))
        else:  # in place, since nothing of it is recorded
            array = grad._array
            if array.ndim:
                np.add(array, g, out=array)
            else:  # numpy takes eight times as long for this with `np.add`
                array[()] = array[()] + g
            grad._cell[0] += 1
        if listening.active is not None:
            listening.active.grad_accumulated(leaf, g, grad is None)
    if extra.post_hooks:
        hooks.post_accumulate(leaf, node)
    if node._more is not None:
        hooks.after(node, [], [wrap_any(g)])
