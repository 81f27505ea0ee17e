"""The backward pass: PyTorch's algorithm, in one loop; `_run_watched` has it at its plainest, `_run` at its fastest.

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
from autograd_lab.engine.kernels import cascaded as sums
from autograd_lab.engine.modes import handles
from autograd_lab.engine.modes.grad_mode import enabled, is_grad_enabled
from autograd_lab.engine.modes.inference import check_write
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.whose import Place, passes, place


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
    watched = listening.active is not None or seams.guarded is not None
    counts = watched or handles.asked or (create_graph and captured is None)
    missing = _dependencies(roots) if counts or inputs is not None else {}
    runs, reached = (None, None) if inputs is None else _on_the_way(roots, missing, inputs, captured)
    now = hooks.Pass(missing, runs, captured, place(2), tuple([root for root, _ in roots]), reached)
    before, outer = enabled.set(create_graph), hooks.current.set(now)
    try:
        if watched:
            _run_watched(roots, gradients, retain_graph, create_graph, now)
        else:
            special: Any = () if inputs is None else {node for node, _ in inputs}
            _run(roots, gradients, retain_graph, create_graph, special, now, missing if counts else None)
    finally:
        hooks.current.reset(outer)
        enabled.reset(before)


def _run(edges: Any, gradients: Any, retain: bool, create_graph: bool, special: Any, now: Any, missing: Any) -> None:
    """The loop, if nobody watches. The youngest node that is due need not go to the heap.

    Of all nodes that gradients have come to, the youngest has all of its own: what sends to it is younger. So nothing
    is `missing`, unless somebody could tell when leaves get theirs; else that is in the end.
    """
    reached, freed = now.reached, now.place
    arrived: dict[Any, Any] = {}
    ready: list[tuple[int, Any]] = []
    node = following = None
    try:
        while True:
            for (target, nr), g in zip(edges, gradients):  # noqa: B905 - as `_send` does it
                if target is None or (reached is not None and target not in reached):
                    continue
                if nr or g is None:
                    first = _comes_first(target, nr, g, arrived, node, gradients)
                else:
                    if g.shape != target.shape or g.dtype is not target.dtype:
                        g = _fitted(g, target, node, gradients)
                    if first := target not in arrived:
                        arrived[target] = g
                    else:
                        arrived[target] = g if (before := arrived[target]) is None else before + g
                if missing is not None:
                    missing[target] -= 1
                    if missing[target]:
                        continue
                elif not first or type(target) is AccumulateGrad:
                    continue
                elif following is None and not ready:
                    following = target
                    continue
                elif following is not None and following.seq < target.seq:
                    following, target = target, following
                heappush(ready, (-target.seq, target))
            if following is not None:
                node, following = following, None
            else:
                while ready and type(ready[0][1]) is AccumulateGrad:
                    leaf = heappop(ready)[1]
                    _reach(leaf, arrived.pop(leaf), now)
                if not ready:
                    break
                node = heappop(ready)[1]
            edges = node.next_functions
            if node._more is not None or node.many or node in special or (g := arrived.pop(node)) is None:
                gradients = _evaluated(node, arrived, retain, create_graph, now)
                continue
            if node._saved == ():  # the common case, in short
                gradients = node.backward(g)
            else:
                saved = node.tensors() if create_graph else node.arrays()
                gradients = node.backward(g, saved[0], saved[1]) if len(saved) == 2 else node.backward(g, *saved)
                if not retain:
                    node._saved, node.freed = None, freed
            if missing is not None or type(gradients) is not tuple:
                gradients = handles.shared(gradients)
    except BaseException:
        arrived = _finished(arrived, node)
        raise
    finally:
        for leaf, g in arrived.items() if missing is None else ():
            _reach(leaf, g, now)


def _comes_first(target: Node, nr: int, g: Any, arrived: dict[Any, Any], node: Any, gradients: Sequence[Any]) -> bool:
    """Add a gradient, or None, to what has come to one of several outputs; True if nothing has come to the node yet."""
    first = target not in arrived
    arrived.setdefault(target, None)
    if g is not None:
        key, made = ((target, nr), target.others[nr - 1]) if nr else (target, target)
        g, before = _fitted(g, made, node, gradients), arrived.get(key)
        arrived[key] = g if before is None else before + g
    return first


def _finished(arrived: dict[Any, Any], failed: Any) -> dict[Any, Any]:
    """The leaves that all of their gradients have come to when a node fails."""
    others = [key if type(key) is tuple else (key, 0) for key in arrived if type(key) is not AccumulateGrad]
    unfinished = _dependencies([(failed, 0), *others])
    return {leaf: g for leaf, g in arrived.items() if type(leaf) is AccumulateGrad and leaf not in unfinished}


def _run_watched(edges: Any, gradients: Any, retain: bool, create_graph: bool, now: hooks.Pass) -> None:
    """The same, step by step: somebody is told of each gradient that is sent, or guards each node."""
    expected = now.missing.copy()
    evaluated = _evaluated if seams.guarded is None else seams.guarded(_evaluated)
    arrived: dict[Any, Any] = {}
    ready: list[tuple[int, Node]] = []
    node = None
    while True:
        _send(node, edges, gradients, arrived, ready, expected, now)
        while True:
            if not ready:
                return
            node = heappop(ready)[1]
            if type(node) is not AccumulateGrad:
                break
            _reach(node, arrived.pop(node, None), now)
        edges = node.next_functions
        gradients = evaluated(node, arrived, retain, create_graph, now)


def _send(node: Any, edges: Any, gradients: Any, arrived: Any, ready: Any, expected: Any, now: hooks.Pass) -> None:
    """Send gradients along a node's edges, and tell the recorder; what comes from the user needs no telling."""
    active, wanted, missing = listening.active, now.wanted, now.missing
    for position, ((target, nr), g) in enumerate(zip(edges, gradients, strict=False)):
        if target not in wanted:
            continue
        left = missing[target] = missing[target] - 1
        if g is not None:
            key, made = (target, target) if nr == 0 else ((target, nr), target.others[nr - 1])
            if g.shape != made.shape or g.dtype is not made.dtype:
                g = _fitted(g, made, node, gradients)
            before = arrived.get(key)
            arrived[key] = g if before is None else before + g
        if node is not None and active is not None:
            active.gradient_sent(node, position, g, expected[target] - left, expected[target])
            if g is not None and before is not None:
                active.gradients_added(target, nr, arrived[key])
        if not left:
            heappush(ready, (-target.seq, target))


def _dependencies(roots: Sequence[Edge]) -> dict[Node, int]:
    """How many gradients each node that can be reached will receive."""
    counts: dict[Node, int] = {}
    found = []
    edges: Sequence[Edge] = roots
    while True:
        for node, _ in edges:
            if node in counts:
                counts[node] += 1
            elif node is not None:
                counts[node] = 1
                if following := node.next_functions:
                    found.append(following)
        if not found:
            return counts
        edges = found.pop()


_age = attrgetter("age")


def _on_the_way(roots: Any, nodes: dict[Node, int], inputs: Sequence[Edge], captured: Any) -> tuple[Any, Any]:
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


def _evaluated(node: Node, arrived: Any, retain_graph: bool, create_graph: bool, now: hooks.Pass) -> Sequence[Any]:
    """Run one node: hooks, formula, hooks; what it is to send along each edge, nothing if it is not to run."""
    gathered = [arrived.pop(node, None)]
    if node.many:
        gathered += [arrived.pop((node, nr), None) for nr in range(1, 1 + len(node.others))]
    runs, reached, captured = now.runs, now.reached, now.captured
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
    if (reached is not None or node._more is not None) and node.inputs:  # hooks see None for what is not reached
        pairs = zip(sent, node.next_functions, strict=False)
        sent = [g if to is not None and (reached is None or to in reached) else None for g, (to, _) in pairs]
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
            node._saved, node.freed = None, now.place
    return sent


def _vector_jacobian_product(node: Node, gathered: list[Any], create_graph: bool, reached: Any) -> Sequence[Any]:
    """The node's formula, on arrays, or on tensors if that is to be recorded too; for what is `reached`, if not all."""
    g = gathered[0] if not node.many else gathered
    try:
        saved = node.tensors() if create_graph else node.arrays()  # also where no gradient came: it may be stale
        asked = reached is None or any(edge[0] in reached for edge in node.next_functions)
        if node.needs_gradient and (not asked or g is None or (node.many and all(one is None for one in g))):
            return (None,) * len(node.next_functions)
        sent = node.backward(g, *saved) if reached is None else _in_part(node, g, saved, reached)
    except RuntimeError as error:
        if listening.active is not None:
            listening.active.error_raised(error, node, node.unusable_slot(), None)
        raise
    return handles.shared(sent) if handles.ever_used or type(sent) is not tuple else sent


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
    made = target if nr == 0 else target.others[nr - 1]
    is_so = g is None or made is None or (g.shape == made.shape and g.dtype is made.dtype)
    return g if is_so else _fitted(g, made, node, gradients)


def _fitted(g: Any, made: Any, node: Node | None, gradients: Sequence[Any]) -> Any:
    """The gradient in the shape and dtype of what it is the gradient of: broadcasting is undone, dtypes are cast."""
    array = g._array if isinstance(g, Variable) else g
    if array.shape != made.shape:
        try:
            g = g._summed_to(made.shape) if isinstance(g, Variable) else sums.sum_to(g, made.shape)
        except ValueError:
            from autograd_lab.engine.errors.reasons import invalid_gradient

            raise invalid_gradient(node, gradients, g, array.shape, made.shape) from None
    if array.dtype is made.dtype or made.dtype is None:
        return g
    return g._to(made.dtype) if isinstance(g, Variable) else g.astype(made.dtype)


def _unwrapped(g: Any) -> Any:
    """A gradient in the form in which formulas take it: a tensor only if it is to be recorded, else its array."""
    if not isinstance(g, Variable) or is_grad_enabled():
        return g
    return g._array


def _capture(node: Node, gathered: list[Any], captured: dict[Edge, Any]) -> None:
    captured.update({(node, nr): g for nr, g in enumerate(gathered) if (node, nr) in captured})


def _laid_out(g: Any, leaf: Array) -> Array:
    """A copy of a gradient, in the memory layout of its leaf."""
    if not g.ndim:  # also where the leaf has been given data of another shape
        return np.array(g, g.dtype, subok=True)
    if leaf.flags.c_contiguous and type(g) is type(leaf) and g.shape == leaf.shape:
        return g.copy()
    copy: Array = np.empty_like(leaf, g.dtype)
    copy[...] = g
    return copy


def _reach(node: AccumulateGrad, g: Any, now: hooks.Pass) -> None:
    """A gradient, all of it, has come to a leaf."""
    leaf = node._leaf
    extra = leaf._extra
    if extra.hooks:
        g = _unwrapped(hooks.run_tensor_hooks(extra.hooks, wrap_any(g), leaf, node))
    if now.captured is not None:
        _capture(node, [g], now.captured)
    if now.runs is not None and node not in now.runs:
        return
    if node._more is not None:
        g = _unwrapped(hooks.pre_hooks(node, [wrap_any(g)])[0])
    if g is not None and leaf._edge is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    if g is not None and leaf._needs:
        if listening.active is not None:
            listening.active.node_visited(node, (g,))
        grad = leaf._grad
        if isinstance(g, Variable):
            leaf._grad = g._copied_gradient(leaf) if grad is None else grad + g
        elif grad is None:
            leaf._grad = wrap(_laid_out(g, leaf._array))
        else:  # in place, since nothing of it is recorded
            array = grad._array
            if array.ndim:
                np.add(array, g, out=array, casting="unsafe")
            else:  # numpy takes eight times as long for this with `np.add`
                array[()] = array[()] + g
            if type(grad._cell) is list:
                grad._cell[0] += 1
            else:
                check_write(grad)
        if listening.active is not None:
            listening.active.grad_accumulated(leaf, g, grad is None)
    if extra.post_hooks:
        hooks.post_accumulate(leaf, node)
    if node._more is not None:
        hooks.after(node, [], [wrap_any(g)])


def _place_of_pass() -> Place | None:
    return now.place if (now := hooks.current.get()) else None


passes[_run.__code__.co_filename] = _place_of_pass
