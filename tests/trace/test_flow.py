"""Gradient flow says of each parameter and iteration what one would measure by hand, in both worlds."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from autograd_lab import record
from autograd_lab.trace import Trace
from autograd_lab.trace.flow_table import MEASURES, Flow, flow_of

Measured = dict[tuple[str, int, str], float]
TURNS = 7
WORLDS = ["autograd_lab", "torch"]


def train(torch: Any, measured: Measured) -> None:
    """A loop with a dead half of a layer, measured by hand."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    with torch.no_grad():
        model[0].bias[:2] = -100.0
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for turn in range(1, TURNS + 1):
        loss = model(torch.ones(5, 3) * turn).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        before = [parameter.detach().clone() for parameter in model.parameters()]
        optimizer.step()
        for (name, parameter), old in zip(model.named_parameters(), before, strict=True):
            key = f"model.{name}"
            measured[key, turn, "norm"] = float(parameter.grad.norm())
            measured[key, turn, "zeros"] = float((parameter.grad == 0).sum()) / parameter.grad.numel()
            measured[key, turn, "update"] = float((parameter.detach() - old).norm() / old.norm())


def numbers_of(flow: Flow) -> Measured:
    return {(row.name, at, kind): n for row in flow.rows for kind in MEASURES for at, n in getattr(row, kind)}


def recorded(world: str, program: Callable[[Any, Measured], None], iterations: str) -> tuple[Trace, Measured]:
    torch, measured = pytest.importorskip(world), {}
    with record(iterations=iterations) as trace:
        program(torch, measured)
    return trace, measured


@pytest.mark.parametrize("iterations", ["all", "last"])
@pytest.mark.parametrize("world", WORLDS)
def test_norms_zeros_and_updates_are_those_that_one_measures_by_hand(world: str, iterations: str) -> None:
    trace, by_hand = recorded(world, train, iterations)
    found = numbers_of(flow_of(trace))
    unknown = {("model.0.bias", 1, "update")} if iterations == "all" else set()  # it was written through a view
    assert by_hand.keys() - found.keys() == unknown
    assert found == pytest.approx({key: by_hand[key] for key in found}, rel=1e-4, abs=1e-9)


def by_hand_alone(torch: Any, measured: Measured) -> None:
    """No optimizer: the program itself updates."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for turn in range(1, 4):
        loss = (w * w).sum()
        loss.backward()
        measured["w", turn, "norm"] = float(w.grad.norm())
        with torch.no_grad():
            w -= 0.25 * w.grad
        w.grad = None
        measured["w", turn, "update"] = 0.5


@pytest.mark.parametrize("world", WORLDS)
def test_without_an_optimizer_an_iteration_is_a_backward_pass(world: str) -> None:
    trace, by_hand = recorded(world, by_hand_alone, "all")
    flow = flow_of(trace)
    found = {key: n for key, n in numbers_of(flow).items() if key[2] != "zeros"}
    assert found == pytest.approx(by_hand)
    assert [(at, round(n, 4)) for at, n in flow.losses[0].points] == [(1, 5.0), (2, 1.25), (3, 0.3125)]


def vanished(torch: Any, measured: Measured) -> None:
    w = torch.tensor([0.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        w.sqrt().sum().backward()
        optimizer.step()


def test_what_is_not_finite_is_told_as_such_in_tables(tmp_path: Any) -> None:
    trace, _ = recorded("autograd_lab", vanished, "last")
    flow = flow_of(trace)
    assert flow.rows[0].norm[0][1] == math.inf
    rows = list(csv.DictReader(io.StringIO(flow.to_csv())))
    assert (rows[0]["parameter"], rows[0]["iteration"], rows[0]["norm"], rows[0]["update"]) == ("w", "1", "inf", "inf")
    told = json.loads(flow.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert told["parameters"][0]["norm"][0] == [1, "inf"]
    assert told["iterations"] == 3


def test_two_optimizers_count_their_own_steps() -> None:
    torch = import_module("autograd_lab")
    one, two = (torch.tensor([value], requires_grad=True) for value in (1.0, 2.0))
    with record(one=one, two=two) as trace:
        optimizers = [torch.optim.SGD([each], lr=0.1) for each in (one, two)]
        for _ in range(2):
            for each, optimizer in zip((one, two), optimizers, strict=True):
                optimizer.zero_grad()
                (each * each).sum().backward()
                optimizer.step()
    assert {row.name: [at for at, _ in row.update] for row in flow_of(trace).rows} == {"one": [1, 2], "two": [1, 2]}


def test_what_was_not_trained_has_no_rows() -> None:
    with record() as trace:
        import_module("autograd_lab").ones(2)
    assert flow_of(trace).rows == ()
