"""`--at backward` shows the step of the backward pass that tells most, and always the same one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import autograd_lab as lab
from autograd_lab.events import BackwardFinished, BackwardStarted, ErrorRaised, GradientSent, NodeVisited
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.facts.moments import moments_of
from autograd_lab.view.scene import make_scene
from tests.saying import leaf, traced
from tests.traces import Instruction, programs, run


def moments(trace: Trace) -> dict[str, int]:
    return moments_of(history_of(trace), trace.events)


def said(trace: Trace, moment: str) -> str:
    return make_scene(trace).headline(moments(trace)[moment]).text


@pytest.fixture(params=["lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return lab if request.param == "lab" else pytest.importorskip("torch")


def test_of_gradients_that_meet_one_half_has_arrived(torch: Any) -> None:
    def program(torch: Any) -> Any:
        x = leaf(torch)
        y = x * 2 + x.exp() + x.sin() + x.cos()
        y.backward()
        return y

    trace = traced(program, torch)
    event = trace.events[moments(trace)["backward"] - 1]
    assert isinstance(event, GradientSent) and (event.arrived, event.expected) == (2, 4)
    assert said(trace, "backward") == "x is used four times: the second gradient is on its way"


def test_gradients_that_meet_at_what_has_a_name_come_before_those_that_meet_anywhere(torch: Any) -> None:
    def program(torch: Any) -> Any:
        b = leaf(torch)
        twice = (b * b).exp()
        y = twice * twice + (b * 2).sin() * b
        y.backward()
        return y

    assert said(traced(program, torch), "backward").startswith("b is used four times")


def test_where_no_gradients_meet_an_op_is_about_to_use_what_it_saved_where_that_changes_most(torch: Any) -> None:
    def program(torch: Any) -> Any:
        x = leaf(torch)
        w = torch.tensor(1000.0)
        small = x.sin()
        large = small * w
        y = large.sin()
        y.backward()
        return y

    trace = traced(program, torch)
    assert isinstance(trace.events[moments(trace)["backward"] - 1], NodeVisited)
    assert said(trace, "backward").startswith("Backward stands at y = large.tanh()") or "large" in said(
        trace, "backward"
    )


def test_a_run_without_backward_has_no_such_moment() -> None:
    trace = traced(lambda torch: leaf(torch) * 2)
    assert moments(trace) == {"end": len(trace), "forward": len(trace)}


@given(programs)
def test_the_moment_of_backward_lies_in_its_first_pass_and_is_always_the_same(program: list[Instruction]) -> None:
    trace = run(program)
    found = moments(trace)
    assert found == moments(trace) and found["end"] == len(trace)
    starts = [step for step, event in enumerate(trace, 1) if isinstance(event, BackwardStarted)]
    if starts:
        ends = [step for step, event in enumerate(trace, 1) if isinstance(event, BackwardFinished | ErrorRaised)]
        assert starts[0] <= found["backward"] <= next((step for step in ends if step > starts[0]), len(trace))
    else:
        assert "backward" not in found
