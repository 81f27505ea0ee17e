"""An engine that is put together of pieces, which a learner writes one by one; what is missing is given.

It is `examples/miniature.py` with other pieces in it, so it tells a recorder what it does, and the player shows it.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.examples import miniature

Piece = Callable[..., Any]
MOST = 20_000
"""So often a piece may ask nodes for their edges before it is stopped: paths can be more than a life has seconds."""


class OnAndOn(Exception):
    """A piece would not come to an end, or does twice what is to be done once."""


def product_slopes(g: Any, x: Any, y: Any) -> Any:
    """z = x · y: what to send to x, and to y."""
    return g * y, g * x


def tanh_slope(g: Any, z: Any) -> Any:
    """z = tanh(x), and z is what the node saved: what to send to x."""
    return g * (1 - z * z)


def sin_slope(g: Any, x: Any) -> Any:
    """z = sin(x), and x is what the node saved: what to send to x."""
    return g * np.cos(x)


def edges(operands: Any) -> Any:
    """Where gradients go from a node: one entry for each operand."""
    return [operand.gradient_goes_to for operand in operands]


def waits(root: Any) -> Any:
    """How many gradients will come to each node."""
    found, todo = Counter[Any](), [root]
    for node in todo:
        for target in node.edges:
            if target is not None:
                found[target] += 1
                todo += [target] if found[target] == 1 else []
    return found


def backward(root: Any, expected: Any) -> None:
    """Run each node once, as soon as all has arrived at it."""
    ready, arrived, total = [root], Counter[Any](), {root: root.one}
    while ready:
        node = ready.pop()
        for target, gradient in node.run(total[node]):
            total[target] = total.get(target, 0) + gradient
            arrived[target] += 1
            if arrived[target] == expected[target]:
                ready.append(target)


def accumulate(old: Any, gradient: Any) -> Any:
    """What stands in `.grad` when a gradient has come; `old` is None before the first."""
    return gradient if old is None else old + gradient


GIVEN: dict[str, Piece] = {
    each.__name__: each for each in (product_slopes, tanh_slope, sin_slope, edges, waits, backward, accumulate)
}


def assemble(**pieces: Piece) -> Any:
    """An engine, as a module with `tensor`, made of these pieces; the others are the ones above.

    Raises TypeError for a piece that there is not.
    """
    if strange := pieces.keys() - GIVEN.keys():
        raise TypeError(f"an engine has the pieces {', '.join(GIVEN)}; not {', '.join(sorted(strange))}")
    parts = GIVEN | pieces
    engine = _fresh()
    tensor = engine.Tensor
    tensor.__mul__ = engine.op(
        "mul", np.multiply, {"other": 1, "self": 0}, lambda g, y, x: parts["product_slopes"](g, x, y)
    )
    tensor.tanh = engine.op("tanh", np.tanh, {"result": -1}, lambda g, z: (parts["tanh_slope"](g, z),))
    tensor.sin = engine.op("sin", np.sin, {"self": 0}, lambda g, x: (parts["sin_slope"](g, x),))
    _join(engine, parts["edges"])
    _walk(engine, parts["waits"], parts["backward"])
    _keep(engine, parts["accumulate"])
    return engine


def _fresh() -> Any:
    """The small engine once more, for a class that is changed must not change for others."""
    spec = importlib.util.spec_from_file_location("own_engine_of_the_learner", miniature.__file__)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Tensor.item = lambda self: self._array.item()
    module.Tensor.numpy = lambda self: self._array
    return module


def _join(engine: Any, edges: Piece) -> None:
    made = engine.Node.__init__

    def __init__(self: Any, op: Any, saves: Any, backward: Any, operands: Any, numbers: Any) -> None:
        made(self, op, saves, backward, operands, numbers)
        self.next_functions = [(target, 0) for target in edges(list(operands))]

    engine.Node.__init__ = __init__
    engine.Node.edges = property(lambda self: _edges(engine, self))
    engine.asked = 0


def _edges(engine: Any, node: Any) -> list[Any]:
    engine.asked += 1
    if engine.asked > MOST:
        raise OnAndOn(
            "it goes on and on: it follows every path. Put a node on the list only the first time you meet it."
        )
    return [target for target, _ in node.next_functions]


def _walk(engine: Any, waits: Piece, backward: Piece) -> None:
    run = engine.Node.run
    for kind in (engine.Node, engine.AccumulateGrad):
        kind.one = property(lambda self: np.ones(self.shape, np.float32))

    def started(self: Any) -> None:
        root = self.gradient_goes_to
        heard: tuple[Any, Any, Any] = engine.edges_to_each(root), Counter[Any](), {}
        engine.asked, engine.has_run = 0, set()
        engine.tell("backward_started", [self], [(root, 0)], [root.one], False, False)
        engine.Node.run = lambda node, g: _told(
            engine, node, run(_once(engine, node), np.asarray(g, np.float32)), *heard
        )
        try:
            backward(root, Counter(waits(root)))  # a dict would do as well: asked for the root, it has no entry
        finally:
            engine.Node.run = run
        engine.tell("backward_finished")

    engine.Tensor.backward = started


def _once(engine: Any, node: Any) -> Any:
    """The node, if it has not run yet in this backward."""
    if node in engine.has_run:
        raise OnAndOn("it runs a node again: a node may run once only, when all it expects has arrived.")
    engine.has_run.add(node)
    return node


def _told(engine: Any, node: Any, sent: Any, expected: Any, arrived: Any, total: Any) -> list[tuple[Any, Any]]:
    """What a node sends, as pairs; whoever listens hears of each."""
    pairs = []
    for position, (target, g) in enumerate(zip(node.edges, sent, strict=True)):
        if target is None:
            continue
        total[target] = total[target] + g if target in total else g
        arrived[target] += 1
        engine.tell("gradient_sent", node, position, g, arrived[target], expected[target])
        if arrived[target] > 1:
            engine.tell("gradients_added", target, 0, total[target])
        pairs.append((target, g))
    return pairs


def _keep(engine: Any, accumulate: Piece) -> None:
    def run(self: Any, g: Any) -> list[Any]:
        leaf, g = _once(engine, self).variable, np.asarray(g, np.float32)
        first = leaf._grad is None
        leaf._grad = engine.Tensor(accumulate(None if first else leaf._grad._array, g))
        engine.tell("node_visited", self, [g])
        engine.tell("grad_accumulated", leaf, g, first)
        return []

    engine.AccumulateGrad.run = run
