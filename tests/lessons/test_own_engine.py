"""Lesson 16: what a wrong piece of an engine is told, at once and of itself, whatever it would have done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_lab
from autograd_lab.lessons.by_hand import try_by_hand
from autograd_lab.lessons.exercise import verdict
from autograd_lab.lessons.own_engine import GIVEN, assemble, backward, edges, waits
from autograd_lab.lessons.registry import find
from autograd_lab.lessons.trial import differs

PIECES = dict(zip((f"L16.M{number}" for number in (1, 2, 7, 3, 4, 5, 6)), GIVEN.values(), strict=True))


@pytest.mark.parametrize("id", PIECES)
def test_what_is_given_is_right(id: str) -> None:
    assert verdict(find(id), PIECES[id]).right


def every_path(root: Any) -> Any:
    """Right, if it came to an end: it meets a node once for each path, of which there are 2 to the power of 32."""
    met = [root]
    for node in met:
        met += [target for target in node.edges if target is not None]
    return Counter(target for node in set(met) for target in node.edges)


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


def anything_once(root: Any, expected: Any) -> None:
    """Never twice, and never waiting."""
    ready, done = [(root, root.one)], set()
    while ready:
        node, gradient = ready.pop(0)
        if node not in done:
            done.add(node)
            ready += node.run(gradient)


def loop(
    add: Callable[[Any, Any], Any] = lambda sum, gradient: sum + gradient,
    times: Callable[[int, int], int] = lambda arrived, expected: arrived == expected,
) -> Any:
    """The loop of the lesson, but for how it sums, and how often it lists a node as ready."""

    def walk(root: Any, expected: Any) -> None:
        ready, arrived, total = [root], Counter[Any](), {root: root.one}
        while ready:
            node = ready.pop()
            for target, gradient in node.run(total[node]):
                total[target] = add(total.get(target, 0), gradient)
                arrived[target] += 1
                ready += [target] * times(arrived[target], expected[target])

    return walk


forgets_to_add = loop(add=lambda _, gradient: gradient)
waits_for_one_more = loop(times=lambda arrived, expected: arrived > expected)
lists_twice = loop(times=lambda arrived, expected: 2 * (arrived == expected))


FOUR = "in u * s, with u = x * x and s = u + x, "


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (path_by_path, "u runs with 12, but has been sent 1 of the 2 gradients it expects."),
        (impatient, "x runs with 9, but has been sent 1 of the 3 gradients it expects."),
        (lists_twice, "x runs a second time. A node may run once only, when all it expects has arrived."),
        (anything_once, "u runs with 12, but has been sent 1 of the 2 gradients it expects."),
        (forgets_to_add, "u runs with 9, and what has arrived there is 12 + 9 = 21."),
        (waits_for_one_more, "s does not run, though all that it expects has arrived."),
    ],
)
def test_a_loop_is_told_what_it_does_first_that_is_wrong(answer: Any, said: str) -> None:
    assert verdict(find("L16.M5"), answer).text.lower() == (FOUR + said).lower()


def test_the_loop_as_the_lesson_has_it_is_right() -> None:
    assert verdict(find("L16.M5"), loop()).right


def test_the_frame_of_a_loop_alone_is_no_answer_yet(capsys: pytest.CaptureFixture[str]) -> None:
    def frame(root: Any, expected: Any) -> None:
        ready = [root]
        while ready:
            ready.pop()

    assert not verdict(find("L16.M5"), frame).attempted
    try_by_hand(frame)
    assert capsys.readouterr().out == "No node runs yet.\n"


def keeps_all_ready(root: Any, expected: Any) -> None:
    ready = [root]
    for node in ready:
        node.run(root.one)
        ready.append(node)


def adds_to_nothing(root: Any, expected: Any) -> None:
    total = {root: root.one}
    for target, gradient in root.run(total[root]):
        total[target] += gradient


@pytest.mark.parametrize(
    ("walk", "said"),
    [
        (impatient, "Here it goes wrong: x runs with 9, but has been sent 1 of the 3 gradients it expects."),
        (keeps_all_ready, "Here it goes wrong: w runs a second time. A node may run once only,"),
        (adds_to_nothing, "Here it goes wrong: there is no entry for the node of u yet: nothing has come there."),
        (lambda root, expected: [None for _ in iter(int, 1)], "It never comes to an end."),
        (lambda root, expected: root.targets, "It stops: AttributeError: 'Stop' object has no attribute 'targets'"),
    ],
)
def test_a_try_ends_with_the_first_thing_that_is_wrong(
    walk: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try_by_hand(walk)
    assert capsys.readouterr().out.splitlines()[-1].startswith(said)


def test_adding_in_place_is_right_as_it_is_in_pytorch() -> None:
    def writes(old: Any, gradient: Any) -> Any:
        if old is None:
            return gradient
        old += gradient
        return old

    assert verdict(find("L16.M6"), writes).right


def test_four_nodes_tell_what_a_loop_does_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    try_by_hand(backward)
    assert capsys.readouterr().out.splitlines() == [
        "w runs with 1 and sends 12 to u, 9 to s",
        "s runs with 9 and sends 9 to u, 9 to x",
        "u runs with 21 and sends 63 to x, 63 to x",
        "x runs with 135: its .grad",
        "All four have run, each once.",
    ]


def test_their_gradient_is_the_one_that_the_engine_has() -> None:
    x = autograd_lab.tensor(3.0, requires_grad=True)
    u = x * x
    (u * (u + x)).backward()
    assert x.grad is not None and x.grad.item() == 135


def test_a_dict_of_counts_serves_any_loop() -> None:
    """Pieces are judged apart: a loop that asks for the root must not fail with counts that have no entry for it."""

    def asks_for_all(root: Any, expected: Any) -> None:
        assert expected[root] == 0
        backward(root, expected)

    engine = assemble(waits=lambda root: dict(waits(root)), backward=asks_for_all)
    x = engine.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad.item() == 6


@pytest.mark.parametrize(
    ("id", "answer", "said"),
    [
        ("L16.M1", lambda g, x, y: (g * x, g * y), "in each other's place"),
        ("L16.M1", lambda g, x, y: (y, x), "the same whatever g is"),
        ("L16.M1", lambda g, x, y: g * y, "should return two numbers"),
        (
            "L16.M1",
            lambda g, x, y: (g * x * y, g * x * y),
            "it returns 60 for x. Move x by 0.01: z moves by about 0.03",
        ),
        ("L16.M2", lambda g, z: 1 - z * z, "the same whatever g is"),
        ("L16.M2", lambda g, z: g * (1 - np.tanh(z) ** 2), "no second tanh"),
        ("L16.M2", lambda g, z: (g * (1 - z * z),), "it returns a tuple of 1"),
        ("L16.M2", lambda g, z: g * (1 - z), "it returns 5 for x"),
        ("L16.M7", lambda g, x: np.cos(x), "the same whatever g is"),
        ("L16.M7", lambda g, z: g * (1 - z * z), "it returns -80 for x. Move x by 0.01: z moves by about -0.0099"),
        ("L16.M3", lambda operands: operands, "There are operands in the list"),
        ("L16.M3", lambda operands: [each.grad_fn for each in operands], "nothing would come into its `.grad`"),
        ("L16.M3", lambda operands: operands[0].gradient_goes_to, "it returns nothing"),
        ("L16.M3", lambda operands: edges(operands[::-1]), "the gradient of a is 5; in autograd_lab it is 6."),
        ("L16.M4", lambda root: Counter(root.edges), "3 of 4 nodes are missing"),
        ("L16.M4", lambda root: Counter(waits(root).keys()), "it counts 1 for the node of u, and more edges"),
        ("L16.M4", lambda root: waits(root) + Counter([root]), "the root has an entry"),
        ("L16.M4", lambda root: waits(root).total(), "it returns an int"),
    ],
)
def test_who_is_wrong_reads_what_is_wrong_with_the_piece_itself(id: str, answer: Any, said: str) -> None:
    assert said in verdict(find(id), answer).text


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
    assert differs("tanh_slope", lambda g, z: g * z).endswith(f"is -0.04816; in {name} it is -0.2527.")
