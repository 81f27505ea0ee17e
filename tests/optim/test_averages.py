"""Averages of weights are those of real PyTorch, step by step, and so is the learning rate on the way to them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import autograd_lab
from tests.worlds import is_alike, said

torch = pytest.importorskip("torch")


def course(m: Any, settings: str) -> Any:
    averages = importlib.import_module(f"{m.__name__}.optim.swa_utils")
    model = m.nn.Sequential(m.nn.Linear(2, 2), m.nn.BatchNorm1d(2)).double()
    for parameter in model.parameters():
        parameter.data.fill_(1.0)
    mean = averages.AveragedModel(model, **eval(settings, {"a": averages}))
    optimizer = m.optim.SGD(model.parameters(), lr=0.5)
    schedule = averages.SWALR(optimizer, swa_lr=0.05, anneal_epochs=3)
    told = []
    for turn in range(5):
        optimizer.zero_grad()
        (model(m.arange(8.0, dtype=m.float64).view(4, 2) * (turn + 1)) ** 2).sum().backward()
        optimizer.step()
        mean.update_parameters(model)
        schedule.step()
        told.append([optimizer.param_groups[0]["lr"], *(one.tolist() for one in mean.state_dict().values())])
    averages.update_bn([m.arange(8.0, dtype=m.float64).view(4, 2)], mean)
    return told, [one.tolist() for one in mean.state_dict().values()]


@pytest.mark.parametrize(
    "settings",
    [
        "{}", "{'multi_avg_fn': a.get_ema_multi_avg_fn(0.9)}", "{'avg_fn': a.get_ema_avg_fn(0.5)}",
        "{'use_buffers': True}", "{'multi_avg_fn': a.get_swa_multi_avg_fn()}", "{'avg_fn': 1, 'multi_avg_fn': 1}",
        "{'avg_fn': a.get_ema_avg_fn(2)}",
    ],
)  # fmt: skip
def test_averages_of_weights_are_pytorchs(settings: str) -> None:
    ours, theirs = (said(m, lambda m: course(m, settings)) for m in (autograd_lab, torch))
    assert is_alike(ours[0], theirs[0])
