"""A recording tells which module is running, names parameters by their places, and when an optimizer steps."""

from __future__ import annotations

import time
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import nn, optim, record
from autograd_lab.events import (
    ErrorRaised,
    Event,
    GradAssigned,
    ModuleEntered,
    ModuleLeft,
    OpApplied,
    OptimizerEntered,
    OptimizerLeft,
    TensorCreated,
    TensorModified,
)
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.words.caption import Captions


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.out = nn.Linear(3, 1)

    def forward(self, x: Any) -> Any:
        return self.out(self.layers(x))


def calls(trace: Trace) -> list[tuple[str, str, str, str | None]]:
    return [
        (event.kind, event.module, event.type, event.root)
        for event in trace
        if isinstance(event, ModuleEntered | ModuleLeft)
    ]


def names(trace: Trace) -> list[str | None]:
    return [event.tensor.name for event in trace if isinstance(event, TensorCreated) and event.tensor.requires_grad]


def test_each_module_is_entered_and_left_by_its_path_below_the_one_that_was_called() -> None:
    model = Net()
    with record() as trace:
        model(torch.ones(1, 2))
    paths = [("", "Net"), ("layers", "Sequential"), ("layers.0", "Linear"), ("layers.1", "ReLU"), ("out", "Linear")]
    net, layers, linear, relu, out = [(path, kind, "model") for path, kind in paths]
    entered, left = "module_entered", "module_left"
    assert calls(trace) == [
        (entered, *net), (entered, *layers), (entered, *linear), (left, *linear), (entered, *relu), (left, *relu),
        (left, *layers), (entered, *out), (left, *out), (left, *net),
    ]  # fmt: skip


def test_ops_are_told_between_the_entering_and_the_leaving_of_their_module() -> None:
    model = Net()
    with record() as trace:
        model(torch.ones(1, 2))
    inside: list[str] = []
    found: dict[str, list[str]] = {}
    for event in trace:
        if isinstance(event, ModuleEntered):
            inside.append(event.module)
        elif isinstance(event, ModuleLeft):
            assert inside.pop() == event.module
        elif isinstance(event, OpApplied):
            found.setdefault(inside[-1], []).append(event.name)
    assert found == {
        "layers.0": ["TBackward0", "AddmmBackward0"],
        "layers.1": ["ReluBackward0"],
        "out": ["TBackward0", "AddmmBackward0"],
    }


def test_parameters_are_called_after_their_places_in_the_model() -> None:
    places = ["model.layers.0.weight", "model.layers.0.bias", "model.out.weight", "model.out.bias"]
    model = Net()
    with record() as met:
        model(torch.ones(1, 2))
    with record() as made:
        model = Net()
        model(torch.ones(1, 2))
    assert sorted(map(str, names(met))) == sorted(map(str, names(made))) == sorted(places)


def test_names_of_the_users_own_stay() -> None:
    model = Net()
    with record(w=model.out.weight) as trace:
        model(torch.ones(1, 2))
    assert "w" in names(trace)
    assert "model.out.weight" not in names(trace)


def test_a_module_that_no_variable_means_has_no_root() -> None:
    with record() as trace:
        nn.Sequential(nn.ReLU())(torch.ones(1))
    assert calls(trace)[1] == ("module_entered", "0", "ReLU", None)


def test_a_module_that_is_no_part_of_the_outermost_one_goes_by_its_class() -> None:
    class Maker(nn.Module):
        def forward(self, x: Any) -> Any:
            return nn.Tanh()(x)

    maker = Maker()
    with record() as trace:
        maker(torch.ones(1))
    assert calls(trace)[1] == ("module_entered", "Tanh", "Tanh", "maker")


def test_a_module_is_left_when_its_forward_raises() -> None:
    model = Net()
    with pytest.raises(RuntimeError), record() as trace:
        model(torch.ones(1, 5))
    kinds = [event.kind for event in trace if isinstance(event, ModuleEntered | ModuleLeft | ErrorRaised)]
    assert kinds == ["module_entered"] * 3 + ["module_left"] * 3 + ["error_raised"]


def test_an_optimizer_tells_of_its_step_and_of_what_it_writes() -> None:
    model = Net()
    optimizer = optim.AdamW(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    with record() as trace:
        optimizer.step()
    told: list[Event] = [event for event in trace if not isinstance(event, TensorCreated | GradAssigned)]
    assert [type(event) for event in told] == [OptimizerEntered, *[TensorModified] * 4, OptimizerLeft]
    assert [event.version for event in told if isinstance(event, TensorModified)] == [3] * 4
    assert told[0].where is not None and told[0].where.text == "optimizer.step()"


def test_captions_say_where_the_program_is(tmp_path: Any) -> None:
    model = Net()
    with record() as trace:
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        nn.ReLU()(torch.ones(1))
    captions = Captions(history_of(trace))
    told = [captions.at(state) for state in states(trace)]
    expected = ["Inside model (Net).", "Inside model.layers.0 (Linear).", "Out of model.layers.0 (Linear)."]
    expected += ["Inside a module (ReLU).", "SGD has made its step."]
    assert [line for line in told if line in expected] == [*expected[:3], "SGD has made its step.", expected[3]]
    trace.save(tmp_path / "trace.jsonl")
    assert list(Trace.load(tmp_path / "trace.jsonl")) == list(trace)


def test_backward_hooks_and_recurrent_layers_can_be_recorded() -> None:
    layer = nn.LSTM(2, 3)
    layer.register_full_backward_hook(lambda module, received, sent: None)
    with record() as trace:
        layer(torch.ones(4, 1, 2, requires_grad=True))[0].sum().backward()
    assert "backward_finished" in [event.kind for event in trace]


def test_an_unwatched_call_costs_little_more_than_forward() -> None:
    module, x = nn.Identity(), torch.ones(1)

    def seconds(call: Any) -> float:
        times = []
        for _ in range(7):
            start = time.perf_counter()
            for _ in range(3000):
                call(x)
            times.append(time.perf_counter() - start)
        return min(times)

    assert (seconds(module) - seconds(module.forward)) / 3000 < 2e-6


def test_running_statistics_are_told_by_their_names_when_they_follow_a_batch() -> None:
    norm = nn.BatchNorm1d(2)
    with record() as trace:
        norm(torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
    *_, last = states(trace)
    told = {tensor.facts.name: tensor.value.numbers for tensor in last.tensors.values()}
    assert norm.running_mean.tolist() == pytest.approx([0.2, 0.4])
    assert told["norm.running_mean"] == pytest.approx(norm.running_mean.tolist())
    assert told["norm.running_var"] == pytest.approx(norm.running_var.tolist())
