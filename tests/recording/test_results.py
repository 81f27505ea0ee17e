"""A name and an expression stand only at what they mean: what is made on the way goes by the op that made it."""

from __future__ import annotations

import functools
import operator
from typing import Any

import pytest

import autograd_lab as lab
from autograd_lab.events import OpApplied, TensorFacts
from tests.saying import Program, leaf, traced


def made(program: Program, torch: Any) -> list[TensorFacts]:
    """What ops have given."""
    events = [event for event in traced(program, torch) if isinstance(event, OpApplied)]
    return [facts for event in events for facts in event.outputs]


def called(program: Program, name: str, torch: Any) -> list[Any]:
    """What goes by a name."""
    return [facts.value.numbers for facts in made(program, torch) if name in (facts.name, facts.later)]


def two(torch: Any) -> Any:
    return leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])


def einsum(torch: Any) -> Any:
    a, b = two(torch)
    y = torch.einsum("i,j->ij", a, b)
    return y.sum()


def einsum_alone(torch: Any) -> Any:
    a, b = two(torch)
    y = torch.einsum("i,j->ij", a, b)
    return y


def pooled(torch: Any) -> Any:
    a, _ = two(torch)
    y = torch.nn.functional.max_pool1d(a[None], 2)
    return y.sum()


def pooled_alone(torch: Any) -> Any:
    a, _ = two(torch)
    y = torch.nn.functional.max_pool1d(a[None], 2)
    return y


def stacked(torch: Any) -> Any:
    a, b = two(torch)
    y = torch.vstack([a, b])
    return y


def turned_into_rows(torch: Any) -> Any:
    a, b = two(torch)
    for _ in range(2):
        y = torch.vstack([a, b])
    return y


def product(torch: Any) -> Any:
    a, b = two(torch)
    y = torch.cartesian_prod(a, b)
    return y.sum()


def added(torch: Any) -> Any:
    a, b = two(torch)
    y = sum([a, b, a])
    return y.sum()


def reduced(torch: Any) -> Any:
    a, b = two(torch)
    y = functools.reduce(operator.mul, [a, b, a])
    return y.sum()


ONE = [einsum, einsum_alone, pooled, pooled_alone, stacked, product, added, reduced]
WORLDS = ["lab", "torch"]


def world(name: str) -> Any:
    return lab if name == "lab" else pytest.importorskip(name)


@pytest.mark.parametrize("torch", WORLDS)
@pytest.mark.parametrize("program", ONE)
def test_of_all_that_one_call_makes_only_its_result_goes_by_the_name_and_the_call(program: Program, torch: str) -> None:
    facts = made(program, world(torch))
    (y,) = [one for one in facts if one.name == "y"]
    assert y.expression is not None
    assert [one.id for one in facts if one.expression == y.expression] == [y.id]


@pytest.mark.parametrize("torch", WORLDS)
def test_each_turn_of_a_loop_gives_its_own_result_the_name(torch: str) -> None:
    assert called(turned_into_rows, "y", world(torch)) == [[[1.0, 2.0], [3.0, 4.0]]] * 2


def greatest(torch: Any) -> Any:
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    y = max(a, b)
    return y * 2


def greatest_alone(torch: Any) -> Any:
    return max(leaf(torch, 1.0), leaf(torch, 2.0))


def found(torch: Any) -> Any:
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    y = b in [a, b]
    return y, a * b


def cast(torch: Any) -> Any:
    y = torch.nn.Linear(2, 1)
    y = y.double()
    return y


def mapped(torch: Any) -> Any:
    y = list(map(torch.exp, two(torch)))
    a = y[0] * 1
    return y, a


def parts(torch: Any) -> Any:
    a, _ = two(torch)
    y = a.unbind()
    b = a * 1
    return y, b


def rest(torch: Any) -> Any:
    _, *y = leaf(torch, [1.0, 2.0, 3.0]).unbind()
    b = y[0] * 1
    return y, b


def chosen(torch: Any) -> Any:
    y = torch.distributions.Normal(leaf(torch, 0.0), leaf(torch, [1.0, 2.0]))
    b = y.loc * 1
    return y, b


@pytest.mark.parametrize("torch", WORLDS)
@pytest.mark.parametrize("program", [greatest, found, cast, mapped, parts, rest])
def test_what_never_comes_to_be_what_a_name_means_does_not_bear_it(program: Program, torch: str) -> None:
    assert called(program, "y", world(torch)) == []


@pytest.mark.parametrize("torch", WORLDS)
@pytest.mark.parametrize("program", [greatest, greatest_alone, found, cast])
def test_what_an_expression_does_not_give_does_not_go_by_it(program: Program, torch: str) -> None:
    expressions = [facts.expression or "" for facts in made(program, world(torch))]
    assert not [one for one in expressions if one.startswith(("max(", "b in")) and "(…)" not in one]
    assert "y.double()" not in expressions


def called_again_and_again(torch: Any) -> Any:
    def squashed(x: Any) -> Any:
        return torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())(x)

    a, _ = two(torch)
    return squashed(squashed(squashed(a)))


@pytest.mark.parametrize("torch", WORLDS)
def test_each_call_of_a_function_gives_its_result_also_where_frames_take_the_place_of_others(torch: str) -> None:
    for _ in range(40):  # whether one does is up to Python's memory
        expressions = [facts.expression for facts in made(called_again_and_again, world(torch))]
        assert expressions == ["relu(…)", "torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())(x)"] * 3


def test_a_distribution_is_no_tensor() -> None:
    assert called(chosen, "y", pytest.importorskip("torch")) == []


def swapped(torch: Any) -> Any:
    a = leaf(torch, 1.0) * 1
    b = a * 2
    a, b = b, a
    c = a * 3
    return b, c


@pytest.mark.parametrize("torch", WORLDS)
def test_what_is_renamed_keeps_the_name_that_it_had_first(torch: str) -> None:
    assert called(swapped, "b", world(torch)) == [2.0]
    assert called(swapped, "c", world(torch)) == [6.0]


def in_a_function(torch: Any) -> Any:
    def double(y: Any) -> Any:
        y = y * 2
        return y

    return double(double(double(leaf(torch, 1.0))))


@pytest.mark.parametrize("torch", WORLDS)
def test_each_call_of_a_function_gives_its_own_result_the_name(torch: str) -> None:
    assert called(in_a_function, "y", world(torch)) == [2.0, 4.0, 8.0]
