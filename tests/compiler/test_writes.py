"""Writes to a part of a tensor in a compiled function, and what is said where one cannot be captured."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograd_lab as torch


def by_number(x: Any) -> Any:
    h = x * 2
    h[0] = 0.0
    return h.exp()


def by_slice(x: Any) -> Any:
    h = x * 2
    h[1:] = 1.0
    return h * x


def by_tensor(x: Any) -> Any:
    h = torch.zeros(2, 3)
    h[0, 1] = x.sum()
    h[1] = x * x
    return h * h


def by_places(x: Any) -> Any:
    h = x * 2
    h[torch.tensor([0, 2])] = x[:2]
    h[h > 1] = 3.0
    return h


def in_place_on_views(x: Any) -> Any:
    h = x * 2
    h[1:].mul_(x[1:])
    h.view(3, 1)[0].add_(x[2])
    return h.sin()


def one_after_another(x: Any) -> Any:
    h = x.clone()
    for at in range(1, 3):
        h[at] += h[at - 1] * 2
    return h


def seen_by_older_views(x: Any) -> Any:
    h = x * 2
    last = h[2:]
    h[2] = x[0]
    return last * h


def turned(x: Any) -> Any:
    h = (x.view(3, 1) * x).t()
    h[0] = x.exp()
    return h


def backward_inside(x: Any) -> Any:
    h = x * 2
    h[0] = 1.0
    (h * h).sum().backward()
    return x.grad * 3


WRITES = [
    by_number, by_slice, by_tensor, by_places, in_place_on_views, one_after_another, seen_by_older_views, turned,
    backward_inside,
]  # fmt: skip


@pytest.mark.parametrize("needs", [False, True])
@pytest.mark.parametrize("function", WRITES)
def test_a_write_to_a_part_is_captured_with_its_gradients(function: Callable[[Any], Any], needs: bool) -> None:
    if function is backward_inside and not needs:
        return

    def calls(f: Callable[[Any], Any]) -> list[Any]:
        found: list[Any] = []
        for numbers in ([0.5, -1.0, 2.0], [3.0, 0.1, -0.0]):
            x = torch.tensor(numbers, requires_grad=needs)
            y = f(x)
            if y.requires_grad:
                (y * y).sum().backward()
            found += [one is None or one.detach().numpy().tobytes() for one in (y, x.grad)]
        return found

    compiled = torch.compile(function, fullgraph=True)
    assert calls(compiled) == calls(function) and compiled.entries


def to_a_diagonal(x: Any) -> Any:
    h = x * 2
    h.diagonal()[0] = 1
    return h


def gives_an_array(x: Any) -> Any:
    return (x + 1).numpy()


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (to_a_diagonal, r"it writes to a diagonal \(line \d+: `h.diagonal\(\)\[0\] = 1`\)$"),
        (gives_an_array, "it returns a ndarray$"),
    ],
)
def test_a_refusal_names_the_line_where_it_arose_if_there_is_one(function: Callable[[Any], Any], why: str) -> None:
    with pytest.warns(UserWarning, match=why):
        torch.compile(function)(torch.ones(2, 2))


def test_a_leaf_that_requires_a_gradient_is_not_written_to_compiled_or_not() -> None:
    def f(x: Any) -> Any:
        x[0] = 1.0

    with warnings.catch_warnings(), pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        warnings.simplefilter("error")
        torch.compile(f)(torch.ones(2, requires_grad=True))
