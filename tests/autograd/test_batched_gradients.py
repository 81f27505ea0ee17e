"""`autograd.grad` with `is_grads_batched`: many gradients sent back at once, as PyTorch does it."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")  # the oracle

import torch

import autograd_lab
from tests.worlds import said


def jacobian(m: Any, **settings: Any) -> Any:
    x = m.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x.flip(0)
    return m.autograd.grad(y, x, m.eye(3), is_grads_batched=True, **settings)[0]


@pytest.mark.parametrize("settings", [{}, {"create_graph": True}, {"retain_graph": True}], ids=str)
def test_a_batch_of_unit_vectors_gives_the_jacobian(settings: dict[str, bool]) -> None:
    ours, theirs = jacobian(autograd_lab, **settings), jacobian(torch, **settings)
    assert ours.tolist() == theirs.tolist()
    assert ours.requires_grad == theirs.requires_grad


def test_gradients_of_such_a_batch_can_be_had_again() -> None:
    second = []
    for m in (autograd_lab, torch):
        x = m.tensor([1.0, 2.0], requires_grad=True)
        rows = m.autograd.grad((x**3).sum() * x, x, m.eye(2), create_graph=True, is_grads_batched=True)[0]
        second.append(m.autograd.grad(rows.sum(), x)[0].tolist())
    assert second[0] == pytest.approx(second[1])


@pytest.mark.parametrize("shape", [(), (2, 2), (0, 3)], ids=str)
def test_what_is_no_batch_is_refused_with_pytorchs_error(shape: tuple[int, ...]) -> None:
    told = []
    for m in (autograd_lab, torch):
        x = m.ones(3, requires_grad=True)
        with pytest.raises((RuntimeError, ValueError, IndexError)) as refusal:
            m.autograd.grad(x * 2, x, m.ones(shape), is_grads_batched=True)
        told.append(type(refusal.value))
    assert told[0] is told[1]


@pytest.mark.parametrize("settings", [{"allow_unused": True}, {"materialize_grads": True}, {}], ids=str)
def test_an_input_that_was_not_used_is_told_as_in_pytorch(settings: dict[str, bool]) -> None:
    def story(m: Any) -> Any:
        x, other = m.ones(3, requires_grad=True), m.ones(2, requires_grad=True)
        found = m.autograd.grad(x * 2, (x, other), m.eye(3), is_grads_batched=True, **settings)
        return [None if one is None else one.tolist() for one in found]

    assert said(autograd_lab, story) == said(torch, story)
