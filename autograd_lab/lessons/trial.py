"""An engine with a learner's piece in it, tried on small programs and held against the engine of the world."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from autograd_lab.lessons.own_engine import OnAndOn, assemble
from autograd_lab.lessons.world import world

Program = Callable[..., Any]


class Plain(float):
    """An input that asks for no gradient."""


PROGRAMS: dict[str, tuple[Program, tuple[Any, ...]]] = {
    "(a + b) * (b + b)": (lambda a, b: (a + b) * (b + b), (2.0, 3.0)),
    "u * (u + x), with u = x * x": (lambda x: x * x * (x * x + x), (3.0,)),
    "tanh(a) * tanh(a * b)": (lambda a, b: a.tanh() * (a * b).tanh(), (0.5, -0.3)),
    "sin(x * x)": (lambda x: (x * x).sin(), (1.5,)),
    "(a * b).sum(), of three numbers each": (lambda a, b: (a * b).sum(), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])),
    "k * a, where k asks for no gradient": (lambda k, a: k * a, (Plain(3.0), 2.0)),
    "32 doublings of x": (lambda x: _doubled(x, 32), (1.0,)),
}
"""What an engine is tried on, from easy to hard: each with its inputs."""


def _doubled(x: Any, times: int) -> Any:
    for _ in range(times):
        x = x + x
    return x


def gradients_of(engine: Any, name: str) -> list[Any]:
    """What an engine leaves in the leaves of a program."""
    program, inputs = PROGRAMS[name]
    leaves = [engine.tensor(value, requires_grad=not isinstance(value, Plain)) for value in inputs]
    program(*leaves).backward()
    return [None if each.grad is None else np.asarray(each.grad.numpy(), np.float64) for each in leaves]


def differs(piece: str, answer: Any) -> str:
    """What an engine with this piece does that the world's engine does not; nothing if they agree."""
    for name in PROGRAMS:
        try:
            found = gradients_of(assemble(**{piece: answer}), name)
        except OnAndOn as error:
            return f"In {name} {error}"
        if wrong := _unlike(name, found, gradients_of(world(), name)):
            return f"In {name}, {wrong}"
    return ""


def _unlike(name: str, found: list[Any], wanted: list[Any]) -> str:
    theirs = "PyTorch" if world().__name__ == "torch" else world().__name__
    for given, mine, right in zip(signature(PROGRAMS[name][0]).parameters, found, wanted, strict=True):
        if right is None:
            if mine is not None:
                return f"{given} gets a gradient that it has not asked for."
        elif mine is None:
            return f"{given} gets no gradient."
        elif mine.shape != right.shape or not np.allclose(mine, right, rtol=1e-4, atol=1e-5):
            return f"the gradient of {given} is {_written(mine)}; in {theirs} it is {_written(right)}."
    return ""


def _written(gradient: Any) -> str:
    return np.array2string(gradient, formatter={"float": lambda number: f"{number:.4g}"}, separator=", ")
