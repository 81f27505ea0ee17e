"""What is timed: programs spelled once, for this engine and for PyTorch. `m` is either; a workload gives one step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Step = Callable[[], object]


@dataclass(frozen=True)
class Workload:
    """`goal` is the share of PyTorch's time that is aimed at."""

    name: str
    says: str
    make: Callable[[Any], Step]
    goal: float
    repeats: int


def numbers(*shape: int, seed: int = 0, scale: float = 0.1) -> np.ndarray[Any, Any]:
    """The same random float32 numbers for everybody."""
    drawn = np.random.default_rng([seed, *shape]).standard_normal(shape)
    return (drawn * scale).astype(np.float32)


def parameters(m: Any, *shapes: tuple[int, ...]) -> list[Any]:
    return [m.tensor(numbers(*shape, seed=at)).requires_grad_() for at, shape in enumerate(shapes)]


def descend(m: Any, weights: list[Any], rate: float = 1e-3) -> None:
    """One step of gradient descent, by hand."""
    with m.no_grad():
        for weight in weights:
            weight -= rate * weight.grad
            weight.grad = None


def scalars(m: Any) -> Step:
    a = m.tensor(2.0, requires_grad=True)
    b = m.tensor(3.0, requires_grad=True)

    def step() -> None:
        a.grad = b.grad = None
        ((a + b) * (b + 1)).backward()

    return step


def chain(m: Any, length: int = 1000) -> Step:
    x = m.tensor(1.0, requires_grad=True)

    def step() -> None:
        x.grad = None
        y = x
        for _ in range(length // 2):
            y = y * 1.0001
            y = y + x
        y.backward()

    return step


def small_mlp(m: Any) -> Step:
    weights = w1, b1, w2, b2 = parameters(m, (2, 3), (3,), (3, 1), (1,))
    x, target = m.tensor(numbers(10, 2)), m.tensor(numbers(10, 1))

    def step() -> None:
        loss = (((x @ w1 + b1).relu() @ w2 + b2 - target) ** 2).mean()
        loss.backward()
        descend(m, weights)

    return step


def digits_mlp(m: Any) -> Step:
    cross_entropy = m.nn.functional.cross_entropy
    sizes = (784, 512, 256, 10)
    weights = parameters(m, *[shape for n, k in itertools.pairwise(sizes) for shape in ((n, k), (k,))])
    x, target = m.tensor(numbers(128, 784)), m.tensor(np.arange(128) % 10)

    def step() -> None:
        h = (x @ weights[0] + weights[1]).relu()
        h = (h @ weights[2] + weights[3]).relu()
        cross_entropy(h @ weights[4] + weights[5], target).backward()
        descend(m, weights)

    return step


def rnn(m: Any, steps: int = 200) -> Step:
    weights = w_in, w_hidden, bias = parameters(m, (64, 64), (64, 64), (64,))
    inputs = [m.tensor(numbers(16, 64, seed=at)) for at in range(steps)]
    start = m.tensor(np.zeros((16, 64), np.float32))

    def step() -> None:
        h = start
        for x in inputs:
            h = m.tanh(x @ w_in + h @ w_hidden + bias)
        h.sum().backward()
        descend(m, weights)

    return step


def conv_net(m: Any) -> Step:
    f = m.nn.functional
    weights = parameters(m, (8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,), (10, 784), (10,))
    x, target = m.tensor(numbers(32, 1, 28, 28)), m.tensor(np.arange(32) % 10)

    def step() -> None:
        h = f.max_pool2d(f.relu(f.conv2d(x, weights[0], weights[1], padding=1)), 2)
        h = f.max_pool2d(f.relu(f.conv2d(h, weights[2], weights[3], padding=1)), 2)
        f.cross_entropy(f.linear(h.flatten(1), weights[4], weights[5]), target).backward()
        descend(m, weights)

    return step


def transformer_block(m: Any, width: int = 64, length: int = 64, batch: int = 8, heads: int = 4) -> Step:
    f = m.nn.functional
    shapes = [(3 * width, width), (width, width), (4 * width, width), (width, 4 * width)]
    weights = parameters(m, *shapes, (width,), (width,), (width,), (width,))
    x = m.tensor(numbers(batch, length, width))

    def attention(h: Any) -> Any:
        q, k, v = f.linear(h, weights[0]).view(batch, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = f.softmax(q @ k.transpose(-2, -1) / math.sqrt(width // heads), dim=-1) @ v
        return f.linear(mixed.transpose(1, 2).reshape(batch, length, width), weights[1])

    def step() -> None:
        h = x + attention(f.layer_norm(x, (width,), weights[4], weights[5]))
        inner = f.linear(f.layer_norm(h, (width,), weights[6], weights[7]), weights[2]).relu()
        (h + f.linear(inner, weights[3])).pow(2).mean().backward()
        descend(m, weights)

    return step


def wide(m: Any, uses: int = 10_000) -> Step:
    x = m.tensor(1.0, requires_grad=True)

    def step() -> None:
        x.grad = None
        y = x * 0.5
        for _ in range(uses):
            y = y + x
        y.backward()

    return step


def hessian_vector_product(m: Any) -> Step:
    weights = w1, b1, w2, b2, w3, b3 = parameters(m, (64, 64), (64,), (64, 64), (64,), (64, 1), (1,))
    x, direction = m.tensor(numbers(32, 64)), [m.ones_like(weight) for weight in weights]

    def step() -> None:
        h = m.tanh(m.tanh(x @ w1 + b1) @ w2 + b2)
        loss = (h @ w3 + b3).pow(2).mean()
        gradients = m.autograd.grad(loss, weights, create_graph=True)
        product = sum((g * v).sum() for g, v in zip(gradients, direction, strict=True))
        m.autograd.grad(product, weights)

    return step


WORKLOADS = [
    Workload("W1", "(a + b) * (b + 1), forward and backward", scalars, 0.62, 200),
    Workload("W2", "chain of 1,000 scalar ops", chain, 0.70, 3),
    Workload("W3", "a step of an MLP 2-3-1, batch 10", small_mlp, 1.0, 60),
    Workload("W4", "a step of an MLP 784-512-256-10, batch 128", digits_mlp, 1.15, 2),
    Workload("W5", "a step of an RNN of 200 steps, 64 wide", rnn, 1.0, 1),
    Workload("W6", "a step of a conv net, 28 x 28, batch 32", conv_net, 1.10, 2),
    Workload("W7", "a step of a transformer block, 8 x 64 x 64", transformer_block, 1.08, 2),
    Workload("W8", "a leaf used 10,000 times", wide, 1.10, 1),
    Workload("W10", "Hessian-vector product of an MLP 64-64-64-1", hessian_vector_product, 1.25, 20),
]
