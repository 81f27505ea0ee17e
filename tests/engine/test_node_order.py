"""Of ops that are made of others, the nodes come in the order in which PyTorch makes them: backward runs them by it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograd_lab

torch = pytest.importorskip("torch")

COMPOSED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "kl_div": lambda m, x, y: m.nn.functional.kl_div(x, y),
    "kl_div of logarithms": lambda m, x, y: m.nn.functional.kl_div(x, y, log_target=True),
    "smoothed cross_entropy": lambda m, x, y: m.nn.functional.cross_entropy(x, m.tensor([0, 1]), label_smoothing=0.1),
    "cosine_similarity": lambda m, x, y: m.nn.functional.cosine_similarity(x, y),
    "inner": lambda m, x, y: m.inner(x, y),
    "tensordot": lambda m, x, y: m.tensordot(x, y, ([0], [0])),
}


def order(m: Any, op: Callable[[Any, Any, Any], Any]) -> list[tuple[str, list[str]]]:
    """The names of the nodes behind a result, oldest first, each with those that it sends gradients to."""
    x, y = (m.tensor([[0.4, 1.1, 0.3], [0.9, factor, 0.2]]).requires_grad_() for factor in (1.0, 2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, todo = {}, [op(m, x, y).grad_fn]
    while todo:
        node = todo.pop()
        found[node] = [below for below, _ in node.next_functions if below is not None]
        todo += [below for below in found[node] if below not in found]
    made = sorted((node for node in found if found[node]), key=lambda node: node._sequence_nr())
    place = {node: at for at, node in enumerate(made)}
    return [(node.name(), [str(place.get(below, below.name())) for below in found[node]]) for node in made]


@pytest.mark.parametrize("name", COMPOSED)
def test_nodes_are_made_in_pytorchs_order(name: str) -> None:
    assert order(autograd_lab, COMPOSED[name]) == order(torch, COMPOSED[name])
