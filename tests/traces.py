"""Random programs, run and recorded: what views are tested on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.trace import Trace

Instruction = tuple[str, int, int]

OPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "sub": lambda x, y: 1 - x,
    "exp": lambda x, y: x.exp(),
    "relu": lambda x, y: torch.relu(x),
    "scale": lambda x, y: x * 3,
    "module": lambda x, y: torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())(x),
    "detach": lambda x, y: x.detach(),
    "data": lambda x, y: x.data,
    "no_grad": lambda x, y: _without_grad(x, y),
    "write": lambda x, y: x.add_(1),
    "write_mul": lambda x, y: x.mul_(y),
    "zero_grad": lambda x, y: _forget(x),
    "retain_grad": lambda x, y: x.retain_grad(),
    "backward": lambda x, y: x.sum().backward(),
    "backward_retained": lambda x, y: (x * y).sum().backward(retain_graph=True),
}

programs = st.lists(st.tuples(st.sampled_from(sorted(OPS)), st.integers(0, 30), st.integers(0, 30)), max_size=25)


def _without_grad(x: Any, y: Any) -> Any:
    with torch.no_grad():
        x.sub_(1)
        return x * y


def _forget(x: Any) -> None:
    x.grad = None


def run(program: list[Instruction], numbers: tuple[float, float] = (1.0, 2.0)) -> Trace:
    """The trace of a program over a pool of tensors; what PyTorch refuses is refused here, and goes on."""
    with record() as trace:
        pool = [torch.tensor(list(numbers), requires_grad=True), torch.tensor([0.5, -1.0], requires_grad=True)]
        pool.append(torch.tensor([3.0, 4.0]))
        for name, first, second in program:
            try:
                made = OPS[name](pool[first % len(pool)], pool[second % len(pool)])
            except RuntimeError:
                continue
            if made is not None:
                pool.append(made)
        len(trace)
    return trace
