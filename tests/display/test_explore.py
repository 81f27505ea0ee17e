"""A function under controls: what they give it, what is run, and what is shown of it; without a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import explore
from autograd_lab.display.experiment import run
from autograd_lab.display.explorer import Explorer
from autograd_lab.view.subject import NothingToDraw


def product(a: Any, b: Any = 2.0, n: int = 1, loud: bool = False) -> Any:
    if n > 2:
        raise ValueError("no more than <two> turns")
    return a * b * n


def control(explorer: Explorer, name: str) -> Any:
    return next(widget for widget in explorer.kwargs_widgets if widget._kwarg == name)


def texts(explorer: Explorer) -> list[str]:
    assert explorer.player is not None
    scene = explorer.player.scene
    state = scene.state(explorer.player.step)
    return [text for part in scene.parts for _, text in scene.look(part, state).texts]


def test_controls_are_spelled_as_for_interact() -> None:
    explorer = explore(product, a=(-5, 5), n=[1, 2, 3])
    kinds = [type(widget).__name__ for widget in explorer.kwargs_widgets]
    assert kinds == ["FloatSlider", "FloatSlider", "Dropdown", "Checkbox"]
    counter = explore(product, a=1.0, n=(1, 2, 1))
    assert type(control(counter, "n")).__name__ == "IntSlider"


def test_floats_and_what_moves_between_two_bounds_are_leaves_all_else_is_passed_on() -> None:
    explorer = explore(product, a=(-5, 5), n=[1, 2, 3])
    assert explorer.player is not None
    leaves = [event.tensor.name for event in explorer.player.trace if event.kind == "tensor_created"]  # type: ignore[attr-defined]
    assert leaves == ["a", "b"]


def test_the_picture_follows_in_the_same_player_at_the_same_step() -> None:
    explorer = explore(product, a=(-5, 5))
    player = explorer.player
    assert player is not None
    player.step = 3
    control(explorer, "a").value = 1.5
    assert explorer.player is player
    assert player.step == 3
    assert "1.5" in texts(explorer)
    assert "product(a=1.5, b=2.0, n=1, loud=False) = 3.0" in explorer._words.value


def test_once_numbers_were_seen_everything_keeps_its_place() -> None:
    def f(a: Any) -> Any:
        return (a * 2).exp() if a > 0 else a * 2 + 1

    explorer = explore(f, a=(-2, 2))

    def places(a: float) -> dict[str, tuple[float, float]]:
        control(explorer, "a").value = a
        assert explorer.player is not None
        return {part.id: (part.x, part.y) for part in explorer.player.scene.parts if part.kind == "card"}

    for a in (1.96, -1.96, 0.04):
        places(a)
    assert places(0.4) == places(1.6) == places(0.04)
    assert places(-1.0) == places(-0.36) == places(1.6)


def test_an_error_is_told_in_words_as_text_and_ends_the_film() -> None:
    explorer = explore(product, a=(-5, 5), n=[1, 2, 3])
    control(explorer, "n").value = 3
    assert "n=3, loud=False): ValueError: no more than &lt;two&gt; turns" in explorer._words.value
    assert explorer.player is not None
    assert explorer.player.trace[-1].kind == "error_raised"
    assert explorer.player.step == len(explorer.player.trace)
    control(explorer, "n").value = 2
    assert "n=2, loud=False) = 0.0" in explorer._words.value


def test_where_nothing_can_be_drawn_the_picture_stays_and_says_of_what_it_is() -> None:
    explorer = explore(lambda a: a * 2, a=[1.5, 1])
    control(explorer, "a").value = 1
    assert "NothingToDraw: nothing was recorded" in explorer._words.value
    assert "The picture is still that of function(a=1.5)" in explorer._words.value
    with pytest.raises(NothingToDraw, match="requires_grad=True"):
        explore(lambda a: a, a=3)


@pytest.mark.parametrize(
    ("controls", "error", "words"),
    [
        ({}, ValueError, "what should 'a' of product be? Say for example a=(-5, 5)"),
        ({"a": 1.0, "c": 2}, TypeError, "product has no argument 'c'; it has a, b, n, loud"),
    ],
)
def test_controls_that_do_not_suit_the_function_are_refused(controls: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        explore(product, **controls)


def test_the_lines_that_call_the_function_are_shown_as_they_ran() -> None:
    ran = run(product, {"a": 0.5, "b": 2.0, "n": 2, "loud": False})
    text = ran.trace.files["explore"]
    assert text.splitlines() == [
        "a = torch.tensor(0.5, requires_grad=True)",
        "b = torch.tensor(2.0, requires_grad=True)",
        "result = product(a=a, b=b, n=2, loud=False)",
        "result.backward()",
    ]
    scope: dict[str, Any] = {"torch": torch, "product": product}
    exec(text, scope)
    assert scope["a"].grad.item() == 4.0 == scope["result"].item() * 2


def test_a_function_that_runs_backward_itself_is_left_alone_as_is_one_of_many_numbers() -> None:
    def trains(a: Any) -> Any:
        loss = a * a
        loss.backward()
        return loss

    for function, passes in ((trains, 1), (lambda a: a * torch.ones(3), 0)):
        ran = run(function, {"a": 2.0})
        assert ran.error is None
        assert sum(event.kind == "backward_started" for event in ran.trace) == passes
        assert "result.backward()" not in ran.trace.files["explore"]


def test_pytorchs_functions_get_pytorchs_tensors() -> None:
    theirs = pytest.importorskip("torch")

    def real(a: Any) -> Any:
        return theirs.exp(a)

    space: dict[str, Any] = {"torch": theirs}
    exec("def named(a):\n    return torch.exp(a)", space)
    linear = theirs.nn.Linear(1, 1)
    for function, values in ((space["named"], {"a": 1.0}), (linear, {"input": theirs.ones(1)})):
        ran = run(function, values)
        assert ran.error is None
        assert type(ran.result) is theirs.Tensor
    explorer = explore(space["named"], a=(0, 2))
    control(explorer, "a").value = 2
    assert any(text.startswith("7.389") for text in texts(explorer))
