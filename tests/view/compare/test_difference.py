"""What is said to differ between two traces: nothing where nothing does, causes before effects, and nothing untrue."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import run_source
from autograd_lab.display.side_by_side import compare
from autograd_lab.events import Value
from autograd_lab.notebook import trace
from autograd_lab.recording.iterations.wanted import LAST
from autograd_lab.trace import Trace
from autograd_lab.view.compare.both import both_of, film_of_both
from autograd_lab.view.compare.comparable import aspects_of, parts_of, same_value, unequal
from autograd_lab.view.compare.difference import partners_of
from autograd_lab.view.languages.speaking import spoken_in
from autograd_lab.view.subject import NothingToDraw
from tests.traces import programs, run

TITLES = ("here", "there")


def told(one: Trace, other: Trace) -> list[str]:
    return both_of(one, other, TITLES).told


LOOP = """import autograd_lab as torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    (w * 2).{}().sum().backward()
    optimizer.step()
"""


def test_of_a_late_iteration_what_the_programs_do_is_told_before_the_numbers_that_follow() -> None:
    said = told(*(run_source(LOOP.format(word), "a.py", ["a.py"], choice=LAST).trace for word in ("tanh", "sigmoid")))
    number = next(place for place, each in enumerate(said) if each.startswith("w: "))
    assert all("Backward0" in each for each in said[:number]) and number >= 2


def recorded(program: Callable[[], Any]) -> Trace:
    with suppress(RuntimeError), record() as events:
        kept = program()
        len(events)
        del kept
    return events


@settings(max_examples=30)
@given(program=programs)
def test_a_trace_beside_itself_does_not_differ(program: list[Any]) -> None:
    one = run(program)
    try:
        assert told(one, one) == []
    except NothingToDraw:
        return


@settings(max_examples=30)
@given(program=programs, changed=programs, cut=st.integers(0, 25))
def test_what_is_marked_at_a_beat_is_what_differs_in_the_states_then(
    program: list[Any], changed: list[Any], cut: int
) -> None:
    one, other = run(program), run(program[:cut] + changed + program[cut:])
    try:
        both = both_of(one, other, TITLES)
    except NothingToDraw:
        return
    first, second = (scene.history for scene in both.scenes)
    partners = partners_of(first, second, both.pairing)
    theirs = {part.id: part for part in parts_of(second)}
    marks = [mark for each in both.differences for mark in each.marks if mark.side == 0 and not mark.only]
    stopped: set[str | None] = set()  # an error is marked from then on, also where another pass has begun since
    for beat, (step, step_there) in enumerate(both.pairing.beats):
        here, there = both.scenes[0].state(step), both.scenes[1].state(step_there)
        wanted = {
            part.id
            for part in parts_of(first)
            if part.id in partners
            and [*unequal(aspects_of(part, here, first), aspects_of(theirs[partners[part.id]], there, second))]
        }
        stopped |= {first.op_of_node.get(here.error.node or "")} if here.error is not None else set()
        assert {mark.things[0] for mark in marks if mark.holds(beat)} - stopped == wanted - stopped


@settings(max_examples=20)
@given(program=programs, changed=programs)
def test_both_sides_say_the_same_whichever_is_the_first(program: list[Any], changed: list[Any]) -> None:
    one, other = run(program), run(changed)
    try:
        there = both_of(other, one, (TITLES[1], TITLES[0]))
        marks = [(mark.side, mark[1:]) for each in both_of(one, other, TITLES).differences for mark in each.marks]
        turned = [(1 - mark.side, mark[1:]) for each in there.differences for mark in each.marks]
    except NothingToDraw:
        return
    assert sorted(marks, key=repr) == sorted(turned, key=repr)


def test_the_branch_that_only_one_took_comes_after_the_input_that_led_there() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            h = x**2
        else:
            u = -x
            h = u.exp()
        return 3 * h + 1

    sentences = told(trace(f, 2.0), trace(f, -2.0))
    first = f.__code__.co_firstlineno
    assert sentences == [
        "x: 2.0 in “here”, -2.0 in “there”.",
        "x > 0: True in “here”, False in “there”.",
        f"PowBackward0 on line {first + 2}: only in “here”.",
        f"NegBackward0 on line {first + 4}, ExpBackward0 on line {first + 5}: only in “there”.",
        "3 * h: 12.0 in “here”, 22.167 in “there”.",
        "3 * h + 1: 13.0 in “here”, 23.167 in “there”.",
        "x.grad: 12.0 in “here”, -22.167 in “there”.",
    ]


def test_calls_that_only_write_are_told_where_one_side_has_them() -> None:
    def f(more: bool) -> None:
        x = torch.tensor([3.0, 4.0], requires_grad=True)
        optimizer = torch.optim.SGD([x], lr=0.1)
        (x * x).sum().backward()
        if more:
            torch.nn.utils.clip_grad_norm_([x], 1.0)
            optimizer.step()
            optimizer.zero_grad()

    sentences = told(recorded(lambda: f(True)), recorded(lambda: f(False)))
    line = f.__code__.co_firstlineno + 5
    only = f"mul_ on line {line}, SGD.step on line {line + 1}, .grad = None on line {line + 2}: only in “here”."
    assert only in sentences


def test_retain_graph_keeps_what_is_freed_otherwise_and_the_second_pass_fails() -> None:
    def twice(retain: bool) -> None:
        x = torch.tensor(3.0, requires_grad=True)
        y = x * x
        y.backward(retain_graph=retain)
        y.backward()

    sentences = told(recorded(lambda: twice(True)), recorded(lambda: twice(False)))
    line = twice.__code__.co_firstlineno + 3
    assert sentences[0] == f"backward on line {line}: retain_graph=True in “here”, retain_graph=False in “there”."
    assert sentences[1] == "MulBackward0._saved_other, MulBackward0._saved_self: kept in “here”, freed in “there”."
    assert sentences[2].startswith("Only in “there”: MulBackward0 needs what it saved, but that was freed")
    assert sentences[3:] == [f"x.grad: 12.0 in “here”, 6.0 (of an earlier pass, line {line}) in “there”."]


SKIPS = """import autograd_lab as torch
a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([a, b], lr=0.1)
for turn in range(3):
    if turn == 0:
        optimizer.zero_grad()
    loss = a * a + b * b if {} else a * a
    loss.backward()
    optimizer.step()
"""


def test_a_gradient_that_no_pass_of_this_iteration_wrote_is_said_to_be_older() -> None:
    def last(condition: str) -> Trace:
        return run_source(SKIPS.format(condition), "a.py", ["a.py"], choice=LAST).trace

    sentences = told(last("True"), last("turn < 2"))
    assert any(each.startswith("b.grad: ") and "(of an earlier iteration) in “there”" in each for each in sentences)


def test_a_write_in_place_makes_stale_what_is_kept_otherwise() -> None:
    def f(in_place: bool) -> Any:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x * 2
        p = h * h
        h = h.add_(1) if in_place else h + 1
        p.sum().backward()

    sentences = told(recorded(lambda: f(True)), recorded(lambda: f(False)))
    saved = "MulBackward0._saved_other, MulBackward0._saved_self"
    assert f"{saved}: stale (saved at version 0, now 1) in “here”, saved in “there”." in sentences
    assert any(each.startswith("h") and "version 1 in “here”, version 0 in “there”" in each for each in sentences)
    assert any(each.startswith("Only in “here”: MulBackward0 #1 needs h as it was at version 0") for each in sentences)
    assert "x.grad: None in “here”, [8.0, 16.0] in “there”." in sentences


def test_other_lines_and_other_numbers_on_one_line_are_told() -> None:
    def f(x: Any, k: int) -> Any:
        return x * k

    def g(x: Any, k: int) -> Any:
        return k * x

    numbers = told(trace(f, 1.0, 2), trace(f, 1.0, 3))
    assert "MulBackward0: return x * k with 2 in “here”, return x * k with 3 in “there”." in numbers
    assert told(trace(f, 1.0, 2), trace(g, 1.0, 2))[0].startswith(
        "MulBackward0: return x * k with 2 in “here”, return k"
    )


def test_what_was_recorded_on_one_side_only_is_one_op_and_not_two() -> None:
    def f(x: Any, recorded: bool) -> Any:
        with torch.set_grad_enabled(recorded):
            y = x * 2
        return y

    sentences = told(trace(f, 1.0, True), trace(f, 1.0, False))
    assert "MulBackward0 / mul: recorded in “here”, not recorded in “there”." in sentences
    assert any(each.startswith("Only in “there”: Grad mode is off") for each in sentences)
    assert "x.grad: 2.0 in “here”, None in “there”." in sentences


def test_another_shape_is_told_and_then_nothing_else_of_that_tensor() -> None:
    def f(x: Any) -> Any:
        return (x * 2).sum()

    sentences = told(trace(f, torch.ones(3, requires_grad=True)), trace(f, torch.ones(5, requires_grad=True)))
    assert sentences[0] == "x, x * 2: shape [3] in “here”, shape [5] in “there”."
    assert [each for each in sentences if each.startswith("x:")] == []


def test_of_very_many_differences_the_last_ones_share_a_sentence() -> None:
    def f(x: Any) -> Any:
        for _ in range(40):
            x = x * 1.5
        return x

    sentences = told(trace(f, 1.0), trace(f, 2.0))
    assert len(sentences) < 20
    assert any(each.endswith("and 27 more: these differ, too.") for each in sentences)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Value(numbers=0.1), Value(numbers=0.10000001), True),
        (Value(numbers=1.0), Value(numbers=1.001), False),
        (Value(numbers=math.nan), Value(numbers=math.nan), True),
        (Value(numbers=math.nan), Value(numbers=1.0), False),
        (Value(numbers=math.inf), Value(numbers=-math.inf), False),
        (Value(numbers=[1000.0, 0.0]), Value(numbers=[1000.0, 1e-4]), True),
        (Value(numbers=[1.0, 2.0]), Value(numbers=[1.0]), False),
        (Value(minimum=0.0, maximum=1.0, norm=9.0), Value(minimum=0.0, maximum=1.0, norm=9.1), False),
        (Value(numbers=True), Value(numbers=False), False),
    ],
)
def test_values_are_equal_as_far_as_floats_can_be(one: Value, other: Value, same: bool) -> None:
    assert same_value(one, other) is same
    assert same_value(other, one) is same


@pytest.mark.parametrize("example", ["expression", "inplace", "positive"])
def test_real_torch_does_not_differ_from_this_engine(example: str) -> None:
    pytest.importorskip("torch")
    from autograd_lab.display.script import find_script, run_script

    one, other = (run_script(find_script(example), torch=torch).trace for torch in (False, True))
    assert told(one, other) == []


def test_in_every_graph_of_a_film_of_both_a_part_stands_for_each_marked_node() -> None:
    def f(x: Any) -> Any:
        return (x * x).exp() if x > 0 else (x * x).sin()

    both = both_of(trace(f, 2.0), trace(f, -2.0), TITLES)
    film = film_of_both(both)
    assert len(film["linked"]) == len(film["beats"])
    nodes = [{op.id for op in scene.history.ops.values() if op.node} for scene in both.scenes]
    marked = [{name for whose, named, *_ in film["marks"] if whose == side for name in named} for side in (0, 1)]
    for side, each in enumerate(film["films"]):
        assert marked[side] & nodes[side]
        for graph in each["graphs"]:
            assert marked[side] & nodes[side] <= things_in(graph, each["members"])
    assert {"o1", "b0", "b0.grad", "o1.s0"} <= film["partners"].keys()


def things_in(graph: dict[str, Any], members: list[list[str]]) -> set[str]:
    return {thing for part in graph["parts"] for thing in (part[0], *members[part[2]])}


def test_titles_have_to_tell_the_two_apart() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    with pytest.raises(ValueError, match="titles should be two that differ"):
        compare(x * x, x * x, titles=("same", "same"))


def test_what_differs_is_said_in_the_language_that_is_spoken_and_code_stays_as_it_is() -> None:
    def f(k: int, in_place: bool) -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x * k
        p = h * h
        h = h.add_(1) if in_place else h + 1
        p.sum().backward()

    with spoken_in("es"):
        sentences = told(recorded(lambda: f(2, True)), recorded(lambda: f(3, False)))
    line = f.__code__.co_firstlineno + 4
    assert sentences == [
        "MulBackward0: h = x * k con 2 en “here”, h = x * k con 3 en “there”.",
        "h: [2.0, 4.0] en “here”, [3.0, 6.0] en “there”.",
        "MulBackward0._saved_other: 2 en “here”, 3 en “there”.",
        "p: [4.0, 16.0] en “here”, [9.0, 36.0] en “there”.",
        "h / h + 1: [3.0, 5.0] en “here”, [4.0, 7.0] en “there”.",
        "h: sobrescrito en “here”, no sobrescrito en “there”.",
        "h / h + 1: versión 1 en “here”, versión 0 en “there”.",
        "MulBackward0._saved_other, MulBackward0._saved_self: ya no sirve (guardado en la versión 0, ahora 1) en "
        "“here”, guardado en “there”.",
        "p.sum(): 20.0 en “here”, 45.0 en “there”.",
        f"Solo en “here”: MulBackward0 #1 necesita h tal como estaba en la versión 0, pero la línea {line} lo ha "
        "sobrescrito: ahora está en la versión 1.",
        "MulBackward0._saved_other: guardado en “here”, liberado en “there”.",
        "x.grad: None en “here”, [18.0, 36.0] en “there”.",
    ]


def test_of_arrays_with_the_same_norm_it_is_told_that_their_numbers_differ_in_the_language_that_is_spoken() -> None:
    def f(x: Any, k: int) -> Any:
        return (x * k).sum()

    with spoken_in("es"):
        sentences = told(*(trace(f, torch.ones(4, 30, requires_grad=True), k) for k in (1, -1)))
    norm = "un arreglo de norma 10.95"
    assert f"x * k: {norm} en “here”, {norm} de otros números en “there”." in sentences
