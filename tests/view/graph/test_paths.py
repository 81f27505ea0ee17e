"""By which paths a gradient came: products of factors make what PyTorch computes, and sentences say what is so."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch as pytorch
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.events import NodeVisited
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.words.paths import Paths
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene
from tests.traces import programs, run

OPS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: 3 - x,
    lambda x, y: x / 2,
    lambda x, y: -x,
    lambda x, y: x.tanh(),
    lambda x, y: x.exp() * 0.1,
]
Step = tuple[int, int, int]
scalars = st.lists(
    st.tuples(st.integers(0, len(OPS) - 1), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8
)


def calculate(engine: Any, program: list[Step]) -> list[Any]:
    """Run a program over scalars and go back from its result; gives its two leaves."""
    leaves = [engine.tensor(number, requires_grad=True) for number in (0.7, -1.3)]
    pool = list(leaves)
    for op, first, second in program:
        pool.append(OPS[op](pool[-1 - first % len(pool)], pool[-1 - second % len(pool)]))
    pool[-1].backward()
    return leaves


def paths_of(trace: Trace) -> Paths:
    paths = Paths(history_of(trace))
    for event, (before, after) in zip(trace, pairwise(states(trace)), strict=True):
        paths.see(event, before, after)
    return paths


def said_of(name: str, build: Callable[[], Any]) -> list[str]:
    """What is said, step after step, of the tensor with this name."""
    with record() as trace:
        build()
    paths, boxes = paths_of(trace), history_of(trace).boxes
    return [text for box, told in paths.told.items() if boxes[box].label == name for _, text in told]


@settings(max_examples=60, deadline=None)
@given(scalars)
def test_the_products_of_the_factors_on_all_paths_add_up_to_the_gradient_that_pytorch_computes(program: Any) -> None:
    with record() as trace:
        calculate(torch, program)
    paths, history = paths_of(trace), history_of(trace)
    for leaf, wanted in zip(history.boxes.values(), calculate(pytorch, program), strict=False):
        came = paths.came.get((leaf.leaf_node or "", 0))
        assert (came is None) == (wanted.grad is None)
        if came is not None and came.factors is not None:
            assert came.paths == len(came.factors)
            total = math.fsum(map(math.prod, came.factors))
            assert total == pytest.approx(float(wanted.grad), rel=1e-4, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(scalars)
def test_only_what_nobody_would_read_or_what_came_to_nothing_has_no_factors(program: Any) -> None:
    with record() as trace:
        calculate(torch, program)
    paths = paths_of(trace)
    nothing = any(isinstance(event, NodeVisited) and event.gradients[0].numbers == 0 for event in trace)  # type: ignore[union-attr]
    for came in paths.came.values():
        assert came.factors is not None or came.paths > 4 or len(program) > 3 or nothing


@settings(max_examples=30, deadline=None)
@given(programs)
def test_of_any_program_each_line_and_box_is_known_and_steps_go_up(program: list[Any]) -> None:
    trace = run(program)
    paths, history = paths_of(trace), history_of(trace)
    assert set(paths.told) <= set(history.boxes)
    assert {line.partition(".")[0] for line in paths.factors} <= set(history.ops)
    for track in (*paths.told.values(), *paths.factors.values()):
        assert [step for step, _ in track] == sorted(step for step, _ in track)


def leaf(number: float = 2.0) -> Any:
    return torch.tensor(number, requires_grad=True)


def expression() -> None:
    a, b = leaf(2.0), leaf(3.0)
    c = a + b
    d = b + 1
    (c * d).backward()


def twice() -> None:
    b = leaf(3.0)
    for _ in range(2):
        (b * b).backward()


def cleared() -> None:
    b = leaf(3.0)
    (b * 2).backward()
    b.grad = None


def zeroed() -> None:
    b = leaf(3.0)
    (b * 2).backward()
    b.grad.zero_()


def negative() -> None:
    b = leaf(3.0)
    (2 * b - b * 5).backward()


def seeded() -> None:
    b = leaf(3.0)
    (b * 2).backward(torch.tensor(0.5))


def hooked() -> None:
    b = leaf(3.0)
    b.register_hook(lambda grad: grad * 10)
    (b * 2).backward()


def vectors() -> None:
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    (b * torch.tensor([3.0, 4.0]) + b * torch.tensor([1.0, 1.0])).sum().backward()


def matrices() -> None:
    b = torch.ones(3, 3, requires_grad=True)
    (b @ b).sum().backward()


def line_of(build: Callable[[], None]) -> int:
    return build.__code__.co_firstlineno


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (expression, ["b.grad = 1·4 + 1·5 = 9: two paths arrive and add"]),
        (
            twice,
            [
                "b.grad = 3 + 3 = 6: two paths arrive and add",
                "b.grad = 6 + (3 + 3) = 12: it was 6, and two paths arrive and add",
            ],
        ),
        (
            cleared,
            [
                "b.grad = 2: one path",
                f"b.grad is None: the program set it on line {cleared.__code__.co_firstlineno + 3}",
            ],
        ),
        (zeroed, ["b.grad = 2: one path", f"b.grad is 0: zero_ on line {zeroed.__code__.co_firstlineno + 3} wrote it"]),
        (negative, ["b.grad = 2·1 + 5·(−1) = −3: two paths arrive and add"]),
        (seeded, ["b.grad = 2·0.5 = 1: one path"]),
        (hooked, ["b.grad = 20: one path, and a hook was called"]),
        (vectors, ["b.grad = [3, 4] + [1, 1] = [4, 5]: two gradients arrive and add"]),
        (matrices, ["b.grad has norm 18: gradients of norm 9 and 9 arrive and add"]),
    ],
)
def test_a_sentence_says_where_a_gradient_comes_from(build: Callable[[], None], told: list[str]) -> None:
    assert said_of("b", build) == told


def test_a_tensor_on_the_way_and_the_one_where_backward_began_say_it_too() -> None:
    assert said_of("c", expression) == ["gradient of c = 4: one path"]
    assert said_of("c * d", expression) == ["gradient of c * d = 1: backward begins here"]


def test_the_factor_of_a_line_is_that_of_the_pass_that_is_seen() -> None:
    def build() -> None:
        w = leaf(2.0)
        for number in (3.0, 7.0):
            (w * number).backward()

    with record() as trace:
        build()
    assert [[text for _, text in track] for track in paths_of(trace).factors.values()] == [["3"], ["7"]]


def test_a_film_brings_factors_for_lines_that_are_drawn_alone_and_what_each_op_takes() -> None:
    with record() as trace:
        expression()
    film = film_of(make_scene(trace))
    assert {line: track[1] for line, track in film["factors"].items()} == {
        "o0.u0": "1", "o0.u1": "1", "o1.u0": "1", "o2.u0": "4", "o2.u1": "5"
    }  # fmt: skip
    assert film["uses"] == [[1, 2, 2, 1], [1, 1, 2, 0], [1, 1, 2, 1]]


def test_many_paths_are_counted_and_not_written_out() -> None:
    def build() -> None:
        b = leaf(1.0)
        y = b + b
        for _ in range(11):
            y = y + y
        y.backward()

    assert said_of("b", build) == ["b.grad = 2048 + 2048 = 4096: two gradients arrive and add, by many paths"]
