"""Which line of the program a captured operation is for, in which pass it is, and whose formula it is part of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograd_lab as torch


def leaf() -> Any:
    return torch.tensor(np.linspace(0.5, 2, 3, dtype=np.float32)).requires_grad_()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * x * x * 3


def origins(function: Callable[[Any], Any]) -> dict[str, set[tuple[str, bool]]]:
    """For each line, whose formulas its operations are part of, and whether they are in a backward pass."""
    compiled = torch.compile(function, fullgraph=True)
    compiled(leaf())
    found: dict[str, set[tuple[str, bool]]] = {}
    for each in compiled.entries[0].stages[0].graph.operations:
        found.setdefault(each.origin.text, set()).add((each.origin.node, each.origin.backward))
    return found


def by_itself(x: Any) -> Any:
    return Cube.apply(x).sum()


def inside(x: Any) -> Any:
    y = Cube.apply(x)
    y.sum().backward()
    return x.grad * 1.5


def test_what_a_custom_backward_computes_is_backward_whoever_begins_the_pass() -> None:
    for function in (by_itself, inside):
        found = origins(function)
        assert found["return g * x * x * 3"] == {("", True)}
        assert found["return x * x * x"] == {("MulBackward0", False)}
    assert found["return x.grad * 1.5"] == {("MulBackward0", False)}


def with_a_hook(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda g: g * 10)
    z = y.exp()
    z.sum().backward()
    return z.detach() + 1


def test_what_a_hook_computes_is_backward_and_part_of_no_formula() -> None:
    found = origins(with_a_hook)
    assert found["y.register_hook(lambda g: g * 10)"] == {("", True)}
    assert found["z = y.exp()"] == {("ExpBackward0", False), ("ExpBackward0", True)}


def used_twice(x: Any) -> Any:
    y = x.exp()
    z = y / 3
    return (z * y).sum()


def test_a_sum_of_gradients_is_part_of_no_formula() -> None:
    compiled = torch.compile(used_twice, fullgraph=True)
    compiled(leaf())
    operations = compiled.entries[0].stages[0].graph.operations
    [added] = [each for each in operations if each.kernel.name == "add"]
    assert added.origin.node == "" and added.origin.backward and added.origin.text == "z = y / 3"
    assert "# line" in compiled.listing and ", backward: z = y / 3" in compiled.listing


def gradients_of_gradients(x: Any) -> Any:
    y = (x * x).exp()
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g.sum()


def test_a_pass_that_is_recorded_is_backward_all_the_same() -> None:
    found = origins(gradients_of_gradients)
    assert ("ExpBackward0", True) in found["y = (x * x).exp()"]
    assert not any(node.startswith("Add") and not backward for pairs in found.values() for node, backward in pairs)
