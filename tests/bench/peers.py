"""Some of the workloads as other Python libraries spell them; a library that is not installed has none."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.bench.workloads import Step, numbers


def hips_scalars() -> Step:
    from autograd import grad

    gradient = grad(lambda a, b: (a + b) * (b + 1), argnum=(0, 1))
    return lambda: gradient(2.0, 3.0)


def hips_chain() -> Step:
    from autograd import grad

    def value(x: Any) -> Any:
        y = x
        for _ in range(500):
            y = y * 1.0001
            y = y + x
        return y

    gradient = grad(value)
    return lambda: gradient(1.0)


def hips_small_mlp() -> Step:
    import autograd.numpy as anp
    from autograd import grad

    weights = [numbers(*shape, seed=at) for at, shape in enumerate([(2, 3), (3,), (3, 1), (1,)])]
    x, target = numbers(10, 2), numbers(10, 1)

    def loss(w: Any) -> Any:
        hidden = anp.maximum(anp.dot(x, w[0]) + w[1], 0)
        return anp.mean((anp.dot(hidden, w[2]) + w[3] - target) ** 2)

    gradient = grad(loss)

    def step() -> None:
        for weight, g in zip(weights, gradient(weights), strict=True):
            weight -= 1e-3 * g

    return step


def hips_rnn() -> Step:
    import autograd.numpy as anp
    from autograd import grad

    weights = [numbers(*shape, seed=at) for at, shape in enumerate([(64, 64), (64, 64), (64,)])]
    inputs = [numbers(16, 64, seed=at) for at in range(200)]

    def loss(w: Any) -> Any:
        h = np.zeros((16, 64), np.float32)
        for x in inputs:
            h = anp.tanh(anp.dot(x, w[0]) + anp.dot(h, w[1]) + w[2])
        return anp.sum(h)

    gradient = grad(loss)
    return lambda: gradient(weights)


def micrograd_scalars() -> Step:
    from micrograd.engine import Value

    a, b = Value(2.0), Value(3.0)
    return lambda: ((a + b) * (b + 1)).backward()


def micrograd_small_mlp() -> Step:
    from micrograd.nn import MLP

    model, x, target = MLP(2, [3, 1]), numbers(10, 2).tolist(), numbers(10, 1).ravel().tolist()

    def step() -> None:
        errors = [(model(row) - wanted) ** 2 for row, wanted in zip(x, target, strict=True)]
        model.zero_grad()
        (sum(errors) * 0.1).backward()
        for weight in model.parameters():
            weight.data -= 1e-3 * weight.grad

    return step


def tinygrad_scalars() -> Step:
    from tinygrad import Tensor

    a, b = Tensor(2.0), Tensor(3.0)

    def step() -> None:
        a.grad = b.grad = None
        ((a + b) * (b + 1)).backward()
        assert a.grad is not None and b.grad is not None
        Tensor.realize(a.grad, b.grad)

    return step


PEERS: dict[str, dict[str, Callable[[], Step]]] = {
    "autograd": {"W1": hips_scalars, "W2": hips_chain, "W3": hips_small_mlp, "W5": hips_rnn},
    "micrograd": {"W1": micrograd_scalars, "W3": micrograd_small_mlp},
    "tinygrad": {"W1": tinygrad_scalars},
}


def steps_of(workload: str) -> dict[str, Step]:
    """A step of the workload for each peer that is installed and can express it; one that breaks says so."""
    found = {}
    for peer, table in PEERS.items():
        if workload in table and importlib.util.find_spec(peer) is not None:
            try:
                step = table[workload]()
                step()
                found[peer] = step
            except Exception as error:
                print(f"  {peer} cannot run {workload}: {type(error).__name__}: {str(error)[:80]}")
    return found
