"""Random numbers in a compiled function: others in each call, and those that the function draws as it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import nn

DRAWING: dict[str, Callable[[Any], Any]] = {
    "rand": lambda x: x + torch.rand(3),
    "randn": lambda x: x + torch.randn(2, 3),
    "of a size in a tuple": lambda x: x + torch.randn((2, 1)),
    "one number": lambda x: x * torch.rand(()),
    "no numbers": lambda x: torch.cat([x, torch.randn(0)]),
    "in float64": lambda x: x + torch.randn(3, dtype=torch.float64),
    "in float16": lambda x: x + torch.rand(3, dtype=torch.float16),
    "that require a gradient": lambda x: x * torch.randn(3, requires_grad=True),
    "like a tensor": lambda x: torch.randn_like(x) * x + torch.rand_like(x, dtype=torch.float64),
    "randint": lambda x: x * torch.randint(0, 9, (3,)) + torch.randint_like(x, 9),
    "randperm": lambda x: x[torch.randperm(3)],
    "around means": lambda x: torch.normal(x, 0.5) + torch.normal(0.0, x.abs()),
    "bernoulli": lambda x: x + torch.bernoulli(x.sigmoid()),
    "positions": lambda x: x[torch.multinomial(x.exp(), 2)],
    "written over a tensor": lambda x: (x * 2).uniform_() + torch.empty(3).normal_(),
    "dropout": lambda x: nn.functional.dropout(x, 0.5),
}


@pytest.mark.parametrize("needs", [False, True])
@pytest.mark.parametrize("function", DRAWING.values(), ids=list(DRAWING))
def test_each_call_draws_what_it_draws_as_written(function: Callable[[Any], Any], needs: bool) -> None:
    def calls(f: Callable[[Any], Any]) -> list[Any]:
        torch.manual_seed(0)
        found = []
        for _ in range(3):
            x = torch.tensor([0.5, -1.0, 2.0], requires_grad=needs)
            y = f(x)
            if y.requires_grad:
                y.sum().backward()
            found.append((y.dtype, y.detach().numpy().tobytes(), x.grad is None or x.grad.tolist()))
        return [*found, torch.rand(2).tolist()]  # the generator is left as it would be

    compiled = torch.compile(function, fullgraph=True)
    assert calls(compiled) == calls(function) and len(compiled.entries) == 1


def test_wrong_dtypes_are_refused_in_pytorchs_words() -> None:
    with pytest.raises(NotImplementedError, match="\"check_uniform_bounds\" not implemented for 'Int'"):
        torch.rand(3, dtype=torch.int32)
    with pytest.raises(NotImplementedError, match="\"normal_kernel_cpu\" not implemented for 'Bool'"):
        torch.randn(3, dtype=torch.bool)
