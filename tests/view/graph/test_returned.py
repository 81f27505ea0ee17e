"""What `torch.autograd.grad` gives back is shown as returned to the program, and never as something in a `.grad`."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab as lab
from autograd_lab.view.kit.part import Look
from autograd_lab.view.still import Stills, stills_of
from tests.saying import leaf, traced


@pytest.fixture(params=["lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return lab if request.param == "lab" else pytest.importorskip("torch")


def asked_for_one(torch: Any) -> Any:
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    y = a * b + a * a
    torch.autograd.grad(y, a)
    return y


def asked_and_then_stored(torch: Any) -> Any:
    a = leaf(torch, 2.0)
    y = a * a
    torch.autograd.grad(y, a, retain_graph=True)
    y.backward()
    return y


def stopped(torch: Any) -> Any:
    a = leaf(torch, 2.0)
    y = (a.exp() * a.sin()).sqrt()
    y.backward()
    with pytest.raises(RuntimeError):
        torch.autograd.grad(y, a)
    return y


def looks_of(stills: Stills, name: str, step: int) -> list[Look]:
    state = stills._state(step)
    looks = [stills.picture.look(part, state) for part in stills.picture.parts if part.kind == "card"]
    return [look for look in looks if look.text("name") == name]


def drawer(stills: Stills, name: str, step: int) -> tuple[str, str]:
    """What stands for the gradient of a leaf: a word and a number."""
    (look,) = looks_of(stills, name, step)
    return look.text("dotgrad"), look.text("grad")


def test_a_gradient_that_was_asked_for_is_returned_and_the_others_are_none(torch: Any) -> None:
    stills = stills_of(traced(asked_for_one, torch), "engine")
    end = stills.moments["end"]
    assert drawer(stills, "a", end) == ("returned", "7.0")
    assert drawer(stills, "b", end) == (".grad", "none")
    assert stills.headline(end) == "a's gradient, 7, is returned to the program"


def test_no_gradient_is_said_to_come_to_what_nobody_asked_for(torch: Any) -> None:
    stills = stills_of(traced(asked_for_one, torch), "engine")
    (wire,) = (part for part in stills.picture.parts if part.kind == "link" and part.of.startswith("b1-"))
    looks = {stills.picture.look(wire, stills._state(step)).classes[0] for step in range(stills.steps + 1)}
    assert "waiting" not in looks and "sent" not in looks


def test_what_a_later_pass_stores_takes_the_place_of_what_was_returned(torch: Any) -> None:
    stills = stills_of(traced(asked_and_then_stored, torch), "engine")
    told = [drawer(stills, "a", step) for step in range(stills.steps + 1)]
    assert ("returned", "4.0") in told and told[-1] == (".grad", "4.0")


def test_a_pass_that_stops_with_an_error_returns_nothing(torch: Any) -> None:
    stills = stills_of(traced(stopped, torch), "engine")
    assert "returned" not in {drawer(stills, "a", step)[0] for step in range(stills.steps + 1)}


def asked_for_the_input_of_a_layer(torch: Any) -> Any:
    layer = torch.nn.Linear(2, 1)
    x = torch.ones(3, 2, requires_grad=True)
    loss = (layer(x) ** 2).sum()
    torch.autograd.grad(loss, x, retain_graph=True)
    loss.backward()
    return loss


def test_what_a_pass_was_not_asked_for_is_not_said_to_come_though_a_later_pass_brings_it(torch: Any) -> None:
    stills = stills_of(traced(asked_for_the_input_of_a_layer, torch), "engine")
    told = [stills.headline(step) for step in range(stills.steps + 1)]
    stands = [text for text in told if text.startswith("layer has its gradient")]
    assert any(text.endswith("that of x comes from it") for text in stands)
    assert any("its weights" in text for text in stands)
