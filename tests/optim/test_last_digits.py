"""Optimizers round as PyTorch's kernels do, to the last digit; with `differentiable=True` their steps are recorded."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograd_lab

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

SHAPES = ((3, 4), (5,), (), (2, 3, 4), (17,))
WITHOUT_ROOTS: dict[str, dict[str, list[Any]]] = {
    "SGD": {
        "lr": [0.1],
        "momentum": [0.9],
        "dampening": [0, 0.1],
        "weight_decay": [0, 0.01],
        "maximize": [False, True],
    },
    "Adamax": {"lr": [0.002], "weight_decay": [0, 0.01], "maximize": [False, True]},
    "ASGD": {"lr": [0.01], "t0": [1e6, 3], "weight_decay": [0, 0.01], "maximize": [False, True]},
    "Rprop": {"lr": [0.01], "maximize": [False, True]},
}
WITH_ROOTS: dict[str, dict[str, list[Any]]] = {
    "Adam": {"lr": [0.02], "betas": [(0.8, 0.95)], "weight_decay": [0, 0.01], "amsgrad": [False, True]},
    "AdamW": {"lr": [0.02], "weight_decay": [0.01], "maximize": [False, True]},
    "Adagrad": {"lr": [0.01], "lr_decay": [0, 0.1], "weight_decay": [0, 0.01]},
    "NAdam": {"lr": [0.002], "weight_decay": [0, 0.01], "decoupled_weight_decay": [False, True]},
    "RAdam": {"lr": [0.002], "betas": [(0.9, 0.9)], "weight_decay": [0, 0.01]},
    "RMSprop": {"lr": [0.01], "weight_decay": [0, 0.01], "centered": [False, True]},
}


def cases(table: dict[str, dict[str, list[Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Each optimizer with each combination of its settings."""
    return [
        (name, dict(zip(settings, chosen, strict=True)))
        for name, settings in table.items()
        for chosen in itertools.product(*settings.values())
    ]


def stepped(m: Any, name: str, settings: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The parameters after ten steps with random gradients, and the optimizer's states."""
    draw = np.random.default_rng(0).standard_normal
    parameters = [m.tensor(np.asarray(draw(shape), np.float32)).requires_grad_() for shape in SHAPES]
    optimizer = getattr(m.optim, name)(parameters, **settings)
    for _ in range(10):
        for parameter in parameters:
            parameter.grad = m.tensor(np.asarray(draw(tuple(parameter.shape)), np.float32))
        optimizer.step()
    states = [state for each in optimizer.state_dict()["state"].values() for state in each.values()]
    return [each.detach().numpy() for each in parameters], [each.numpy() for each in states]


@pytest.mark.parametrize(("name", "settings"), cases(WITHOUT_ROOTS))
def test_parameters_and_states_are_pytorchs_bit_for_bit(name: str, settings: dict[str, Any]) -> None:
    ours, theirs = stepped(autograd_lab, name, settings), stepped(torch, name, settings)
    for one, other in zip(itertools.chain(*ours), itertools.chain(*theirs), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(("name", "settings"), cases(WITH_ROOTS))
def test_states_are_pytorchs_bit_for_bit_where_its_library_rounds_roots_otherwise(
    name: str, settings: dict[str, Any]
) -> None:
    ours, theirs = stepped(autograd_lab, name, settings), stepped(torch, name, settings)
    assert [one.tobytes() for one in ours[1]] == [one.tobytes() for one in theirs[1]]
    for one, other in zip(ours[0], theirs[0], strict=True):
        np.testing.assert_array_max_ulp(one, other, 2)
