"""What a timeline is told: which nodes were visited, which module ran, and which iteration it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings

import autograd_lab as torch
from autograd_lab import events as e
from autograd_lab import nn, optim, record
from autograd_lab.trace import Trace
from autograd_lab.view.pages.player_timeline import Band, timeline_of
from autograd_lab.view.recorded_scene import history_in
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.traces import programs, run


def timeline(trace: Trace) -> dict[str, Any]:
    return timeline_of(trace, history_in(make_scene(trace)))


def told(trace: Trace) -> dict[str, list[Band]]:
    return timeline(trace)


def named(band: Band) -> list[str]:
    return [name for _, name in band if name]


def at(band: Band, step: int) -> str:
    return next(name for start, name in reversed(band) if start <= step)


def loop(turns: int, per_step: int = 1, **options: Any) -> Trace:
    """A training loop of so many turns, with an optimizer that steps every so often."""
    with record(**options) as trace:
        model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        for turn in range(turns):
            optimizer.zero_grad()
            model(torch.ones(4, 2)).sum().backward()
            if (turn + 1) % per_step == 0:
                optimizer.step()
    return trace


@settings(max_examples=40, deadline=None)
@given(programs)
def test_each_visit_has_the_number_that_it_has_in_its_pass(program: list[object]) -> None:
    trace = run(program)
    try:
        visits = told(trace)["visits"]
    except NothingToDraw:
        return
    assert len(visits) == sum(isinstance(event, e.NodeVisited) for event in trace)
    by_pass: dict[int, list[int]] = {}
    for number, node, _ in visits:
        by_pass.setdefault(number, []).append(node)
    assert all(nodes == list(range(1, len(nodes) + 1)) for nodes in by_pass.values())
    assert len(by_pass) <= sum(isinstance(event, e.BackwardStarted) for event in trace)


def test_a_visit_is_called_as_pytorch_calls_the_node_and_one_of_a_leaf_says_which() -> None:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        b = torch.tensor(3.0, requires_grad=True)
        (a * b).backward()
    names = [[1, 1, "MulBackward0"], [1, 2, "AccumulateGrad of a"], [1, 3, "AccumulateGrad of b"]]
    assert told(trace)["visits"] == names


def test_a_pass_within_a_pass_is_counted_for_itself() -> None:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:
            with torch.enable_grad():
                y = torch.tensor(1.0, requires_grad=True)
                (y * 3).backward()
            return grad * 2

    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        Inner.apply(x * 1).backward()
    assert [(number, node) for number, node, _ in told(trace)["visits"]] == [(1, 1), (2, 1), (2, 2), (1, 2), (1, 3)]


def test_a_node_belongs_to_the_module_in_which_it_was_recorded() -> None:
    trace = loop(1)
    (band,) = told(trace)["modules"]
    assert named(band) == ["model.0", "model.1", "model.2", "model.2", "model.1", "model.0"]
    for step, event in enumerate(trace, 1):
        if isinstance(event, e.ModuleEntered) and event.module:
            assert at(band, step) == f"model.{event.module}"


def test_modules_inside_of_modules_have_one_more_row_and_no_other() -> None:
    with record() as trace:
        block = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.ReLU())
        model = nn.Sequential(block, nn.Linear(2, 1))
        model(torch.ones(2)).backward()
    rows = told(trace)["modules"]
    assert [named(row)[:2] for row in rows] == [["model.0", "model.1"], ["model.0.0", "model.0.1"]]


def test_without_modules_and_loops_there_are_no_rows() -> None:
    with record() as trace:
        torch.tensor(2.0, requires_grad=True).exp().backward()
    assert told(trace)["modules"] == told(trace)["loops"] == []


def turns(events: Sequence[e.Event], band: Band) -> list[list[type]]:
    """Backward passes and steps of an optimizer, by the turn that they belong to."""
    found: dict[str, list[type]] = {}
    for step, event in enumerate(events, 1):
        if isinstance(event, e.BackwardStarted | e.OptimizerLeft):
            found.setdefault(at(band, step), []).append(type(event))
    return list(found.values())


def test_a_turn_of_a_loop_ends_once_the_weights_have_moved() -> None:
    trace = loop(3)
    (band,) = told(trace)["loops"]
    assert named(band) == ["iteration 1", "iteration 2", "iteration 3"]
    assert turns(trace.events, band) == [[e.BackwardStarted, e.OptimizerLeft]] * 3
    assert at(band, 1) == "", "making the model is no part of it"


def test_a_loop_has_for_each_layer_and_turn_the_size_of_the_gradient_and_its_colour() -> None:
    flow = timeline(loop(3))["flow"]
    assert flow["rows"] == ["model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"]
    assert [len(sizes) for sizes in flow["sizes"]] == [3] * 4 and flow["sizes"][3] == ["4", "4", "4"]
    assert max("".join(flow["steps"])) == "8", "the largest has the strongest colour"
    assert "flow" not in timeline(loop(1))


def test_gradients_that_are_gathered_for_one_step_are_of_one_turn() -> None:
    trace = loop(4, per_step=2)
    (band,) = told(trace)["loops"]
    assert turns(trace.events, band) == [[e.BackwardStarted, e.BackwardStarted, e.OptimizerLeft]] * 2


def test_a_turn_by_hand_is_a_turn_and_one_alone_is_no_loop() -> None:
    def descend(turns: int) -> Trace:
        with record() as trace:
            w = torch.tensor(2.0, requires_grad=True)
            for _ in range(turns):
                (w * w).backward()
                with torch.no_grad():
                    w -= 0.1 * w.grad
                    w.grad = None
        return trace

    assert named(told(descend(2))["loops"][0]) == ["iteration 1", "iteration 2"]
    assert told(descend(1))["loops"] == []


def test_of_a_recording_of_some_iterations_each_has_its_own_number() -> None:
    trace = loop(5, iterations="every 2")
    (band,) = told(trace)["loops"]
    assert named(band) == ["iteration 2", "iteration 4"]
    words = make_scene(trace).subject.words
    assert all(words.iteration(step).startswith(f"{at(band, step)} of") for step in range(len(trace) + 1))
    assert told(loop(5, iterations="last"))["loops"] == []
