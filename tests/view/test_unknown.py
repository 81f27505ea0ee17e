"""What cannot be shown is shown as unknown, and the rest of the picture is as it would be."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.events import GradientSent, OpApplied, TensorCreated, TensorSaved, Value
from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import View
from autograd_lab.view.compare.both import both_of, film_of_both
from autograd_lab.view.kit import unknown
from autograd_lab.view.kit.part import UNKNOWN, Look
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.page import to_page
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import Scene, make_scene

RAGGED = Value(numbers=[[1.0, 2.0], [3.0]])
"""No array has such numbers, but some other engine may say so."""


def whole() -> Trace:
    with record() as trace:
        a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        b = a * 2
        (b * b).sum().backward()
    return trace


def of_odd_values() -> Trace:
    """The same trace, but for the value of b and the gradients that are sent, which are none."""
    events = []
    for event in whole():
        if isinstance(event, OpApplied) and event.outputs[0].name == "b":
            event = replace(event, outputs=(replace(event.outputs[0], value=RAGGED),))
        if isinstance(event, GradientSent) and event.value is not None:
            event = replace(event, value=Value(numbers=[["?"], None]))
        events.append(event)
    return Trace(events, whole().files)


def of_a_stranger() -> Trace:
    """The same trace, but for what its last product saved: a tensor of which nothing was told."""
    saves = [event for event in whole() if isinstance(event, TensorSaved) and event.tensor is not None]
    return Trace([replace(event, tensor="t99") if event in saves else event for event in whole()], whole().files)


SPOILED = [of_odd_values, of_a_stranger]


@pytest.fixture(autouse=True)
def mistakes_are_shown_as_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown, "STRICT", False)


def looks_at(scene: Scene, moment: str) -> dict[str, Look]:
    """How the parts of the graph look at a moment."""
    state = scene.state(scene.moments[moment])
    return {part.id: scene.look(part, state) for part in scene.parts}


def words_that_changed(one: Look, other: Look) -> set[str]:
    """What a look says in place of what the other says; they say it at the same places."""
    assert one.classes == other.classes
    assert [place for place, _ in one.texts] == [place for place, _ in other.texts]
    return {text for place, text in one.texts if text != other.text(place)}


def test_a_value_that_cannot_be_shown_is_unknown_and_all_else_is_as_it_was() -> None:
    with pytest.warns(RuntimeWarning, match="shown as unknown"):
        scene = make_scene(of_odd_values())
        looks = looks_at(scene, "backward")
    others = looks_at(make_scene(whole()), "backward")
    assert looks.keys() == others.keys()
    changed = {name: words_that_changed(look, others[name]) for name, look in looks.items() if look != others[name]}
    kinds = {part.kind: part.id for part in scene.parts if part.id in changed}
    assert set(kinds) == {"card", "link", "number"}
    assert changed[kinds["card"]] == {"?"} and scene.history.boxes["b1"].label == "b" and kinds["card"] == "o0"
    assert all("?" in words for words in changed.values())


def test_a_part_of_which_nothing_can_be_found_out_is_drawn_as_unknown() -> None:
    scene = make_scene(whole())
    state = scene.state(scene.steps)
    for part in scene.parts:
        strange = replace(part, of="nobody", id=f"{part.id} of nobody")
        with pytest.warns(RuntimeWarning, match="shown as unknown"):
            assert scene.look(strange, state) == UNKNOWN
        if part.kind not in ("link", "drop"):
            assert ">?<" in scene.draw(strange, UNKNOWN)
        ElementTree.fromstring(scene.draw(strange, UNKNOWN) or "<g/>")


def test_what_cannot_be_drawn_is_drawn_as_unknown() -> None:
    scene = make_scene(whole())
    [card] = [part for part in scene.parts if part.id == "o0"]
    look = scene.look(card, scene.state(scene.steps))
    with pytest.warns(RuntimeWarning, match="shown as unknown"):
        assert ">?<" in scene.draw(replace(card, of="nobody"), look)


@pytest.mark.parametrize("spoiled", SPOILED)
@pytest.mark.parametrize("view", ["engine", "maths"])
def test_every_step_of_it_can_be_drawn_and_played(spoiled: Callable[[], Trace], view: View) -> None:
    with pytest.warns(RuntimeWarning):
        scene = make_scene(spoiled(), view)
        drawn = [scene.svg(step) for step in range(scene.steps + 1)]
        film = film_of(scene)
        assert to_page(scene).startswith("<!doctype html>")
    for svg in drawn:
        ElementTree.fromstring(svg)
    assert any(">?<" in svg or ">unknown<" in svg for svg in drawn) or spoiled is of_a_stranger
    assert film["captions"][0] == "Nothing has happened yet."
    assert len(film["captions"]) == scene.steps + 1
    assert {"note": "unknown"} in film["sheets"]


@pytest.mark.parametrize("spoiled", SPOILED)
def test_it_can_be_compared(spoiled: Callable[[], Trace]) -> None:
    with pytest.warns(RuntimeWarning):
        both = both_of(spoiled(), whole(), ("one", "other"))
        assert film_of_both(both)["films"]


def test_a_mistake_is_told_of_in_a_line_that_says_where_it_is() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scene = make_scene(whole())
        scene.look(replace(scene.parts[0], of="nobody"), scene.state(0))
    [text] = {str(each.message) for each in caught}
    assert text.startswith("something is shown as unknown, for autograd_lab has made a mistake: KeyError in ")
    assert ".py, line " in text and "\n" not in text


def test_a_mistake_is_an_error_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown, "STRICT", True)
    with pytest.raises((TypeError, ValueError)):  # whichever part of it is looked at first
        looks_at(make_scene(of_odd_values()), "backward")
    scene = make_scene(whole())
    with pytest.raises(KeyError, match="nobody"):
        scene.look(replace(scene.parts[0], of="nobody"), scene.state(0))


def test_an_answer_is_what_it_would_be_and_what_is_asked_badly_is_unknown() -> None:
    @or_else("?")
    def half(number: Any) -> Any:
        return number / 2

    assert half(3) == 1.5
    with pytest.warns(RuntimeWarning, match="TypeError in test_unknown.py, line"):
        assert half("three") == "?"


def test_an_interruption_is_no_mistake() -> None:
    @or_else("?")
    def interrupted() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()


def test_what_was_made_of_nothing_known_is_told_as_such() -> None:
    trace = Trace([replace(event, tensor=replace(event.tensor, value=Value()))
                   if isinstance(event, TensorCreated) else event for event in whole()])  # fmt: skip
    scene = make_scene(trace)
    assert looks_at(scene, "end")["b0"].text("tile") == "?"
