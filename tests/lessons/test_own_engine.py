"""Lesson 16: what a wrong piece of an engine is told, at once and of itself, whatever it would have done."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from autograd_lab.lessons.exercise import verdict
from autograd_lab.lessons.lesson16 import differs
from autograd_lab.lessons.own_engine import GIVEN
from autograd_lab.lessons.registry import find

PIECES = dict(zip((f"L16.M{number}" for number in range(1, 7)), GIVEN.values(), strict=True))


@pytest.mark.parametrize("id", PIECES)
def test_what_is_given_is_right(id: str) -> None:
    assert verdict(find(id), PIECES[id]).right


def every_path(root: Any) -> Any:
    """Right, if it came to an end: it meets a node once for each path, of which there are 2 to the power of 32."""
    met = [root]
    for node in met:
        met += [target for target in node.targets if target is not None]
    return Counter(target for node in set(met) for target in node.targets)


def path_by_path(root: Any, expected: Any) -> None:
    def walk(node: Any, gradient: Any) -> None:
        for target, sent in node.run(gradient):
            walk(target, sent)

    walk(root, root.one)


def impatient(root: Any, expected: Any) -> None:
    ready = [(root, root.one)]
    while ready:
        node, gradient = ready.pop()
        ready += node.run(gradient)


def test_a_count_that_follows_every_path_is_stopped() -> None:
    assert verdict(find("L16.M4"), every_path).text == (
        "In 32 doublings of x it goes on and on: it follows every path. Put a node on the list only the first time you "
        "meet it."
    )


@pytest.mark.parametrize("answer", [path_by_path, impatient])
def test_a_loop_that_runs_a_node_again_is_stopped_where_it_does(answer: Any) -> None:
    said = "it runs a node again: a node may run once only, when all it expects has arrived."
    assert said in verdict(find("L16.M5"), answer).text


def without_none(operands: Any) -> Any:
    return [operand.gradient_goes_to for operand in operands if operand.gradient_goes_to]


def none_at_the_end(operands: Any) -> Any:
    found = without_none(operands)
    return found + [None] * (len(operands) - len(found))


def test_a_list_without_none_is_told_what_it_lacks() -> None:
    assert verdict(find("L16.M3"), without_none).text == (
        "The list needs one entry for each operand, also None: otherwise gradients go to the wrong place."
    )


def test_a_list_with_none_in_the_wrong_place_sends_gradients_to_the_wrong_place() -> None:
    assert "In k * a, where k asks for no gradient" in verdict(find("L16.M3"), none_at_the_end).text


@pytest.mark.parametrize(("world", "name"), [("autograd_lab", "autograd_lab"), ("torch", "PyTorch")])
def test_whose_gradient_is_another_is_said_truly(world: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(world)
    monkeypatch.setenv("AUTOGRAD_LAB_WORLD", world)
    assert differs("tanh_slope", lambda g, z: g * z).endswith(f"is not what {name} has.")
