"""Traces as pictures: a program's picture as a slide has it, and its looks, for the laws that hold of all of them."""

from __future__ import annotations

from typing import Any

from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import View
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.still import Stills, stills_of
from autograd_lab.view.subject import NothingToDraw


def drawn(trace: Trace, view: str = "engine", asked: Asked | None = None, form: str = "auto") -> Stills | None:
    """The slides of a trace, if there is anything to draw."""
    try:
        return stills_of(trace, view, asked=asked, form=form)
    except NothingToDraw:
        return None


def scene_of(trace: Trace, view: View = "engine", **options: Any) -> RecordedScene | None:
    """The scene of a recording, if there is anything to draw."""
    try:
        scene = make_scene(trace, view, **options)
    except NothingToDraw:
        return None
    assert isinstance(scene, RecordedScene)
    return scene


def looks_of(picture: Picture, state: GraphState) -> dict[str, Look]:
    """How all parts look in a state."""
    return {part.id: picture.look(part, state) for part in picture.drawing.parts}


def parts_of(picture: Picture, kind: str) -> list[Part]:
    """All parts of a kind."""
    return [part for part in picture.drawing.parts if part.kind == kind]


def called(picture: Picture, name: str, kind: str = "card") -> Part:
    """The part that has this title, at any step."""
    found = [part for part in parts_of(picture, kind) if title_of(picture, part) == name]
    assert len(found) == 1, (name, [title_of(picture, part) for part in parts_of(picture, kind)])
    return found[0]


def title_of(picture: Picture, part: Part) -> str:
    """What stands on a card, or the label of a lane."""
    if part.kind == "lane":
        return picture.history.boxes[part.of].label
    item = picture.choice.faces[part.of].item("name")
    return "" if item is None else item.text
