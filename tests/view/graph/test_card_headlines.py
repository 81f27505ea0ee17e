"""What slides say of steps inside of a card that hides several ops."""

from __future__ import annotations

from functools import cache

import pytest

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.events import GradientsAdded, GradientSent
from autograd_lab.trace import Trace
from autograd_lab.view.graph.cards.junctions import junctions_of
from autograd_lab.view.graph.facts.state import EVALUATED
from autograd_lab.view.graph.words.headlines import Headlines
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene


@cache
def scene_of(name: str) -> RecordedScene:
    scene = make_scene(run_script(find_script(name)).trace)
    assert isinstance(scene, RecordedScene)
    return scene


def trained(**options: float) -> Trace:
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    step = torch.optim.SGD(model.parameters(), lr=0.1, **options)
    with record() as trace:
        loss = model(torch.ones(4, 2)).square().mean()
        loss.backward()
        step.step()
    return trace


@pytest.mark.parametrize("name", ["transformer", "molecule", "reasoning"])
def test_only_what_teaches_nothing_is_told_as_what_its_card_does(name: str) -> None:
    scene = scene_of(name)
    plain = Headlines(scene.history, scene.trace.events)
    told = 0
    for step in range(0, scene.steps + 1, max(1, scene.steps // 150)):
        state = scene.state(step)
        before, now = plain.at(state), scene.stills._headlines.at(state)
        told += before != now
        meets = isinstance(state.event, GradientSent | GradientsAdded)  # at what a card may call by another name
        assert before.text == now.text or before.is_routine or meets
    assert told


@pytest.mark.parametrize("name", ["transformer", "molecule"])
def test_a_card_says_how_many_of_its_ops_have_run(name: str) -> None:
    scene = scene_of(name)
    cards = scene.stills.picture.choice.cards.cards.values()
    counted = {f"{len(card.ops)} ops" for card in cards if len(card.ops) > 1}
    checked = 0
    for step in range(0, scene.steps + 1, max(1, scene.steps // 150)):
        state = scene.state(step)
        text = scene.stills.headline(step)
        if " runs backward: " in text:
            ran = [sum(state.node(op.node or "").status == EVALUATED for op in card.ops) for card in cards if card.ops]
            assert text.partition(" of ")[2] in counted
            assert int(text.rpartition(": ")[2].split()[0]) in ran
            checked += 1
    assert checked


def test_the_end_of_a_training_step_tells_of_the_weights_and_not_of_the_pass_before() -> None:
    scene = make_scene(trained())
    assert scene.headline(scene.steps).text == "SGD has moved model's four parameters, each against its gradient"


def test_where_weight_decay_moves_numbers_along_their_gradient_it_is_not_said_that_they_move_against_it() -> None:
    scene = make_scene(trained(weight_decay=5.0))
    assert "against" not in scene.headline(scene.steps).text


def test_what_another_tensor_wrote_is_not_said_to_be_cleared() -> None:
    with record() as trace:
        w = torch.tensor([1.0, -2.0], requires_grad=True)
        (w * w).sum().backward()
        assert w.grad is not None
        w.grad.detach().mul_(3)
    scene = make_scene(trace)
    assert scene.headline(scene.steps).text == "w.grad was written through another tensor: it is not known"


def test_a_grad_from_before_a_recording_is_not_said_to_be_written_in_it() -> None:
    model, x = nn.Linear(2, 1), torch.ones(1, 2)
    model(x).sum().backward()
    with record() as trace:
        y = model(x)
    scene = make_scene(trace)
    assert y.requires_grad and scene.headline(scene.steps).text.endswith("wait for backward, with one saved tensor")


def test_gradients_that_meet_inside_of_a_card_are_told_as_what_the_card_does() -> None:
    scene = scene_of("transformer")
    inside, seen = 0, scene.stills._headlines._junctions
    for step, event in enumerate(scene.trace.events, 1):
        if isinstance(event, GradientsAdded) and event.node in scene.stills._headlines._folded:
            inside += event.node not in seen
            told = scene.stills._headlines.at(scene.state(step)).text
            assert event.node in seen or " runs backward: " in told
    assert inside


def test_where_gradients_meet_is_called_as_it_stands_on_its_card() -> None:
    scene = scene_of("transformer")
    cards = scene.stills.picture.choice.cards
    shown = {look.text("name") for part in scene.parts if part.kind == "card"
             for look in (scene.look(part, scene.state(scene.steps)),)}  # fmt: skip
    junctions, folded = junctions_of(cards), scene.stills._headlines._folded
    for step, event in enumerate(scene.trace.events, 1):
        if isinstance(event, GradientsAdded) and event.node in junctions and event.node in folded:
            text = scene.stills.headline(step)
            assert any(name.rstrip("…").strip(".") in text for name in shown), text
