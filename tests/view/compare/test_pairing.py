"""Pairing two traces: what it holds to for any two programs, and what it finds in programs whose pairs one knows."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.notebook import trace
from autograd_lab.trace import Trace
from autograd_lab.view.compare.pairing import Pairing, aligned, pairing_of
from autograd_lab.view.graph.facts.history import history_of
from tests.traces import programs, run


def paired(one: Trace, other: Trace) -> Pairing:
    return pairing_of(one, other, history_of(one), history_of(other))


def names(one: Trace, other: Trace) -> list[tuple[str, str]]:
    """The names of paired ops, with what they made."""
    here, there = history_of(one), history_of(other)
    told = []
    for a, b in paired(one, other).ops.items():
        op, partner = here.ops[a], there.ops[b]
        told.append(
            (f"{op.name} {here.boxes[op.outputs[0]].label}", f"{partner.name} {there.boxes[partner.outputs[0]].label}")
        )
    return told


def rises(places: list[tuple[int, int]]) -> bool:
    return all(a < c and b < d for (a, b), (c, d) in pairwise(places))


@given(program=programs)
def test_a_trace_beside_itself_is_paired_with_itself_step_by_step(program: list[Any]) -> None:
    told = run(program)
    history, found = history_of(told), paired(told, told)
    assert found.ops == {op: op for op in history.ops}
    assert all(box == partner for box, partner in found.boxes.items())
    assert {box.id for box in history.boxes.values() if box.label} <= found.boxes.keys()
    assert found.links == [(step, step) for step in range(1, len(told) + 1)]
    assert found.beats == [(step, step) for step in range(len(told) + 1)]


@settings(max_examples=60)
@given(program=programs, changed=programs, cut=st.integers(0, 25))
def test_pairs_have_one_name_links_rise_and_beats_go_through_all_steps(
    program: list[Any], changed: list[Any], cut: int
) -> None:
    one, other = run(program), run(program[:cut] + changed + program[cut:])
    here, there, found = history_of(one), history_of(other), paired(one, other)
    for a, b in found.ops.items():
        recorded = [op.node is not None for op in (here.ops[a], there.ops[b])]
        assert here.ops[a].name == there.ops[b].name or recorded.count(True) == 1
    assert len(set(found.ops.values())) == len(found.ops)
    assert len(set(found.boxes.values())) == len(found.boxes)
    assert rises(found.links)
    assert set(found.links) <= set(found.beats)
    assert found.beats[0] == (0, 0) and found.beats[-1] == (len(one), len(other))
    moves = [(c - a, d - b) for (a, b), (c, d) in pairwise(found.beats)]
    assert set(moves) <= {(0, 1), (1, 0), (1, 1)}


@settings(max_examples=60)
@given(program=programs, changed=programs)
def test_it_makes_no_difference_which_trace_is_the_first(program: list[Any], changed: list[Any]) -> None:
    one, other = run(program), run(changed)
    assert paired(other, one) == paired(one, other).turned


@given(one=st.lists(st.sampled_from("abc"), max_size=12), other=st.lists(st.sampled_from("abc"), max_size=12))
def test_what_is_aligned_has_equal_keys_and_rises(one: list[str], other: list[str]) -> None:
    places = aligned([((key, k), key) for k, key in enumerate(one)], [((key, k), key) for k, key in enumerate(other)])
    assert all(one[a] == other[b] for a, b in places)
    assert rises(places)


def test_of_a_branch_what_stands_around_it_is_paired() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            h = x**2
        else:
            u = -x
            h = u.exp()
        return 3 * h + 1

    one, other = trace(f, 2.0), trace(f, -2.0)
    assert [a for a, _ in names(one, other)] == ["gt x > 0", "MulBackward0 3 * h", "AddBackward0 3 * h + 1"]


def test_turns_of_loops_are_paired_from_the_first_one_on() -> None:
    def f(x: Any) -> Any:
        while x < 20:
            x = x * 2
        return x + 1

    one, other = trace(f, 8.0), trace(f, 2.0)
    found = paired(one, other)
    here, there = history_of(one), history_of(other)
    doubled = [op.id for op in here.ops.values() if op.name == "MulBackward0"]
    doubled_there = [op.id for op in there.ops.values() if op.name == "MulBackward0"]
    assert [found.ops[op] for op in doubled] == doubled_there[: len(doubled)] and len(doubled) < len(doubled_there)
    assert names(one, other)[-1][0].startswith("AddBackward0")


def test_inputs_of_another_length_do_not_part_what_is_done_with_them() -> None:
    def f(x: Any) -> Any:
        return (x * 2).relu().sum()

    short, long = torch.ones(3, requires_grad=True), torch.ones(5, requires_grad=True)
    one, other = trace(f, short), trace(f, long)
    assert len(paired(one, other).links) == len(one) == len(other)


def test_a_pass_that_an_error_ends_is_linked_as_far_as_it_came() -> None:
    def twice(retain: bool) -> Trace:
        x = torch.tensor(3.0, requires_grad=True)
        with record(x=x) as told, suppress(RuntimeError):
            y = x * x
            y.backward(retain_graph=retain)
            y.backward()
        return told

    one, other = twice(True), twice(False)
    found = paired(one, other)
    linked = {a for a, _ in found.links}
    kept = next(step for step, event in enumerate(one, 1) if event.kind == "saved_retained")
    assert kept in linked
    assert other[dict(found.links)[kept] - 1].kind == "saved_freed"
    assert found.links[-1][0] < len(one)


def test_a_node_is_paired_with_the_op_that_left_none_on_the_same_line() -> None:
    def f(x: Any, recorded: bool) -> Any:
        with torch.set_grad_enabled(recorded):
            y = x * 2
        return y

    one, other = trace(f, 1.0, True), trace(f, 1.0, False)
    assert names(one, other) == [("MulBackward0 y", "mul y")]


def test_leaves_of_other_names_are_paired_where_paired_ops_take_them() -> None:
    one, other = trace(lambda x: x * 2, 1.0), trace(lambda u: u * 2, 1.0)
    here, there = history_of(one), history_of(other)
    labels = {here.boxes[a].label: there.boxes[b].label for a, b in paired(one, other).boxes.items()}
    assert labels["x"] == "u"
