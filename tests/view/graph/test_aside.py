"""Ops that have no part in a gradient have no cards and are counted; what they make is told where it is taken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.events import OpApplied
from autograd_lab.trace import Trace
from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.pages.film_graphs import graphs_of
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from tests.traces import Instruction, programs, run
from tests.view.pictured import scene_of
from tests.view.ruler import texts_of


def cards_in(scene: RecordedScene) -> Cards:
    return scene.stills.picture.choice.cards


def drawn(scene: RecordedScene) -> set[str]:
    """The ops that are in cards."""
    return {op.id for card in cards_in(scene).cards.values() for op in card.ops}


def training(prepared: int, measured: int, deep: int = 9) -> RecordedScene:
    """A chain of `deep` ops, whose input takes so many to make ready, and whose result so many are made of."""
    w = torch.tensor([1.5, -0.5], requires_grad=True)
    with record() as trace:
        inputs = torch.tensor([2.0, 3.0])
        for _ in range(prepared):
            inputs = inputs * 0.5
        out = inputs * w
        for _ in range(deep):
            out = torch.tanh(out)
        loss = out.sum()
        loss.backward()
        score = out.detach() if measured else out
        for _ in range(measured):
            score = score + 1.0
    return scene_of_program(trace)


def scene_of_program(trace: Trace) -> RecordedScene:
    scene = make_scene(trace)
    assert isinstance(scene, RecordedScene)
    return scene


@pytest.mark.parametrize(("prepared", "measured"), [(20, 0), (0, 20), (3, 4)])
def test_what_makes_data_ready_and_what_looks_at_results_is_counted_and_the_graph_is_drawn(
    prepared: int, measured: int
) -> None:
    scene = training(prepared, measured)
    with_gradient = {op.id for op in scene.history.ops.values() if op.node is not None}
    count = prepared + measured + (measured > 0)  # with the call of `detach()`
    assert drawn(scene) == with_gradient and len(cards_in(scene).aside) == count
    assert f"{count} ops without gradient are not drawn" in scene.notices
    assert f"{count} ops without gradient" in " ".join(text.text for text in texts_of(scene.svg(scene.steps)))


def test_what_the_graph_takes_is_drawn_with_its_value() -> None:
    scene = training(prepared=20, measured=0)
    [data] = [card for card in cards_in(scene).cards.values() if card.kind == "data"]
    [part] = [part for part in scene.parts if part.id == data.id]
    shown = scene.look(part, scene.state(scene.steps)).text("words")
    assert shown == "1.9e−6  2.9e−6"


def test_of_a_program_without_such_ops_none_are_counted() -> None:
    scene = training(prepared=0, measured=0)
    assert not cards_in(scene).aside
    assert "without gradient" not in " ".join((scene.svg(scene.steps), *scene.notices))


def test_what_made_backward_fail_is_drawn_as_an_overwritten_value() -> None:
    w = torch.tensor([1.5, -0.5], requires_grad=True)
    with record() as trace, pytest.raises(RuntimeError):
        scale = torch.tensor([2.0, 3.0])
        for _ in range(30):
            scale = scale * 0.5
        loss = (scale * w).sum()
        scale.mul_(2)
        loss.backward()
    scene = scene_of_program(trace)
    state = scene.state(scene.moments["error"])
    pockets = [scene.look(part, state) for part in scene.parts if part.kind == "slot"]
    assert any("stale" in look.classes for look in pockets)
    assert "overwritten here" in [text.text for text in texts_of(scene.svg(scene.moments["error"]))]


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.booleans()), min_size=30, max_size=50))
def test_in_any_program_no_line_leads_back_and_all_ops_are_accounted_for(chosen: Any) -> None:
    with record() as trace:
        known = [torch.tensor([1.0, 2.0]), torch.tensor([0.5, -0.5], requires_grad=True)]
        for one, other, cut in chosen:
            made = known[one % len(known)] * known[other % len(known)]
            known.append(made.detach() if cut else made)
    if (scene := scene_of(trace)) is not None:
        assert_accounted_for(scene)


@settings(deadline=None, max_examples=40)
@given(programs)
def test_in_any_program_with_backward_passes_all_ops_are_accounted_for(program: list[Instruction]) -> None:
    if (scene := scene_of(run(program))) is not None:
        assert_accounted_for(scene)


def assert_accounted_for(scene: RecordedScene) -> None:
    """Each op is in one card, aside, or one that changes leaves or runs in a backward pass; lines lead forward."""
    window, cards = scene.choices(scene.view).window, cards_in(scene)
    elsewhere = {op.id for op in (*window.aside, *window.updates, *window.passing)}
    ops = {op.id: op for op in scene.history.ops.values() if isinstance(op.event, OpApplied) and not op.unpacks}
    if window.iterations == 1:
        assert drawn(scene) | elsewhere >= ops.keys()
    assert not drawn(scene) & elsewhere
    place = {name: number for number, name in enumerate(cards.cards)}
    assert all(place[wire.source] < place[wire.target] for wire in cards.wires)
    assert bool(cards.aside) == any("without gradient" in notice for notice in scene.notices)


def test_a_page_says_how_many_ops_are_folded_and_how_many_are_not_drawn() -> None:
    notices = [graph["notices"] for graph in graphs_of(training(prepared=3, measured=4, deep=40)).told]
    assert all("8 ops without gradient are not drawn" in told for told in notices)
    assert any(told[0].endswith("ops are folded") for told in notices)


def test_where_every_op_is_folded_it_says_all() -> None:
    with record() as trace:
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
        model(torch.ones(1, 2))
    [notice] = make_scene(trace, depth=0).notices
    assert notice.startswith("All 3 ops are drawn folded")
