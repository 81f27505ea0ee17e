"""Random functions, written by the author of the differential tests, and what is to be seen of a call of one."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import torch

import autograd_lab
from autograd_lab.compiler.compiled import Compiled, compile
from tests.differential.grammar import Author
from tests.differential.world import DEFINITIONS, definitions_for

ARGUMENTS = {"a": (2, 3), "b": (3,), "c": (2, 3)}
NEEDING = ("a", "b")
RARE = ("random", "linear(", "optim", "log")
"""What random functions do without: it makes them run as they are written, which other tests see to."""


class Composer(Author):
    """An author who keeps only lines that run, and begins with the arguments of a function."""

    def __init__(self, random: Random, core: bool) -> None:
        super().__init__(random, core)
        for name, shape in ARGUMENTS.items():
            self.world.run(f"{name} = torch.full({shape}, 0.5, requires_grad={name in NEEDING})")
        self.count = len(ARGUMENTS)

    def body(self, length: int) -> list[str]:
        lines: list[str] = []
        while len(lines) < length:
            before = dict(self.world.names)
            line = self.any_line()
            if self.world.run(line).error is None and not any(name in line for name in RARE):
                lines.append(line)
            else:
                self.world.names = before
        return lines


@dataclass(frozen=True)
class Source:
    """A function of three tensors, as text, which returns some of its variables."""

    lines: tuple[str, ...]
    results: tuple[str, ...]

    def __str__(self) -> str:
        body = "".join(f"    {line}\n" for line in self.lines)
        returned = ", ".join(f"{name!r}: {name}" for name in self.results)
        return f"def program({', '.join(ARGUMENTS)}):\n{body}    return {{{returned}}}\n"

    def function(self, names: dict[str, Any]) -> Callable[..., Any]:
        for name in definitions_for(str(self)):
            exec(DEFINITIONS[name], names)
        exec(builtins.compile(str(self), "<program>", "exec"), names)
        program: Callable[..., Any] = names["program"]
        return program


def source_of(random: Random, core: bool = True) -> Source:
    composer = Composer(random, core)
    lines = composer.body(random.choice([1, 2, 4, 6, 9]))
    made = [name for name, one in composer.world.variables().items() if isinstance(one, torch.Tensor)]
    made = [name for name in made if name not in ARGUMENTS]
    return Source(tuple(lines), tuple(made[-random.choice([1, 1, 2, 3]) :]))


def arguments(seed: int) -> list[Any]:
    numbers = np.random.default_rng(seed)
    return [
        autograd_lab.tensor(numbers.standard_normal(shape).astype(np.float32)).requires_grad_(name in NEEDING)
        for name, shape in ARGUMENTS.items()
    ]


def bits(tensor: Any) -> Any:
    """Everything about the elements; what kind of NaN one is does not count."""
    array = tensor._array
    same = array.tolist().__repr__() if np.isnan(array).any() else np.ascontiguousarray(array).tobytes()
    return str(array.dtype), array.shape, same


def weights_for(tensor: Any) -> Any:
    """A gradient to begin with."""
    return autograd_lab.tensor(np.cos(np.arange(tensor.numel())).reshape(tensor.shape)).to(tensor.dtype)


def seen(call: Callable[..., Any], seed: int, log: list[Any]) -> dict[str, Any]:
    """What a call gives, what gradients come back through it, and what has become of its arguments."""
    args = arguments(seed)
    log.clear()
    facts: dict[str, Any] = {}
    try:
        results = call(*args)
    except Exception as error:
        return {"raises": type(error).__name__, "says": str(error).splitlines()[:1]}
    for name, tensor in results.items():
        facts[name] = bits(tensor), tensor.requires_grad
    facts["arguments"] = [(one._version, bits(one), one.grad is None or bits(one.grad)) for one in args]
    roots = [one for one in results.values() if one.requires_grad]
    try:
        autograd_lab.autograd.backward(roots, [weights_for(one) for one in roots])
    except Exception as error:
        facts["backward"] = str(error).splitlines()[:1]
    facts["gradients"] = [None if one.grad is None else bits(one.grad) for one in args]
    facts["log"] = repr(log)
    return facts


def both(source: Source, seeds: tuple[int, ...] = (1, 1, 2)) -> tuple[list[Any], list[Any], Compiled]:
    """What is seen of some calls as written, and of the same ones compiled."""
    log: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = source.function({"torch": autograd_lab, "log": log})
        replayed = compile(written)
        return [seen(written, seed, log) for seed in seeds], [seen(replayed, seed, log) for seed in seeds], replayed
