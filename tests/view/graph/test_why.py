"""Why a tensor has no `.grad`: each way in which that comes about is named, with the line that did it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.facts.timeline import state_after
from autograd_lab.view.graph.words.why import CUT, STOPPED, reasons, why
from tests.traces import programs, run


def leaf() -> Any:
    return torch.tensor(2.0, requires_grad=True)


def detached(x: Any) -> None:
    y = (x * 2).detach()
    z = y * leaf()
    z.backward()


def unrecorded(x: Any) -> None:
    with torch.no_grad():
        y = x * 2
    (y * leaf()).backward()


def unrelated(x: Any) -> None:
    (leaf() * 3).backward()


def cleared(x: Any) -> None:
    (x * x).backward()
    x.grad = None


def stopped(x: Any) -> None:
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError):
        y.backward()


REASONS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x * 2, "no backward pass was seen here"),
    (detached, "on the path to where backward began, detach on line {0} cut its history"),
    (unrecorded, "on the path to where backward began, mul on line {0} was not recorded: grad mode was off"),
    (unrelated, "what backward began at was not made of it"),
    (cleared, "it was set to None on line {0}"),
    (stopped, "backward stopped at ExpBackward0 before it got here"),
]


CULPRIT = {detached: 1, unrecorded: 2, cleared: 2}
"""The line that does it, counted from the `def` of its function."""


@pytest.mark.parametrize(("program", "reason"), REASONS)
def test_a_leaf_says_why_it_has_no_gradient(program: Callable[[Any], Any], reason: str) -> None:
    with record() as trace:
        x = leaf()
        program(x)
    line = program.__code__.co_firstlineno + CULPRIT.get(program, 0)
    assert reasons(history_of(trace), trace)["b0"][0] == reason.format(line)


def test_what_is_no_leaf_says_how_it_could_keep_its_gradient() -> None:
    with record() as trace:
        x = leaf()
        y = x * 2
        (y * 3).backward()
    assert reasons(history_of(trace), trace)["b1"][0].startswith("only leaves keep theirs; retain_grad()")


def test_what_asks_for_none_says_so() -> None:
    with record() as trace:
        x = torch.tensor(1.0)
        (x * leaf()).backward()
    assert "requires_grad is False" in reasons(history_of(trace), trace)["b0"][0]


@settings(max_examples=60)
@given(programs)
def test_just_those_that_have_none_at_the_end_say_why(program: list[Any]) -> None:
    trace = run(program)
    history, end = history_of(trace), state_after(GraphState(), trace.events)
    found = reasons(history, trace)
    for box in history.boxes.values():
        if not box.label.endswith(".grad"):
            assert (box.id in found) == (end.tensors[box.facts.id].grad is None)


KEPT_ON_THE_WAY = [
    ("add", 0, 0),
    ("add", 0, 0),
    ("write_mul", 2, 0),
    ("write_mul", 2, 20),
    ("retain_grad", 2, 0),
    ("backward_retained", 0, 2),
]
"""What is written once more after it was used has its gradient, and backward stops at who had used it."""


@settings(max_examples=60)
@given(programs)
@example(KEPT_ON_THE_WAY)
def test_a_way_leads_from_line_to_line_to_where_nothing_gets_past_or_backward_stopped(program: list[Any]) -> None:
    trace = run(program)
    history = history_of(trace)
    asked = why(history, trace)
    for start in asked.legs:
        box: str | None = start
        while box is not None:
            (name, number, after), mark = asked.legs[box]
            op = history.ops[name]
            assert op.uses[number].box == box
            assert after is None or after in op.outputs
            box = after
        if mark == CUT:
            assert op.node is None or op.uses[number].operand.edge is None
        else:
            assert (mark, asked.stopped and asked.stopped[0]) == (STOPPED, op.id)


def test_one_asks_first_about_the_node_that_stopped_then_about_leaves() -> None:
    with record() as trace:
        x = leaf()
        stopped(x)
    history = history_of(trace)
    asked = why(history, trace)
    assert [history.ops[name].name for name in asked.asks if name in history.ops] == ["ExpBackward0"]
    assert asked.asks[1:] == ["b0"]


def test_of_what_went_well_nobody_asks() -> None:
    with record() as trace:
        x = leaf()
        (x * x).backward()
    assert why(history_of(trace), trace).asks == []


def test_a_tensor_that_took_the_name_of_a_leaf_is_not_to_retain_its_gradient() -> None:
    with record() as trace:
        w = leaf()
        (w * w).backward()
        w = w - 0.1 * w.grad
        (w * w).backward()
    found = [reason for reason, _ in reasons(history_of(trace), trace).values() if "leaf w" in reason]
    assert len(found) == 1 and "retain_grad()" not in found[0] and "under no_grad" in found[0]
