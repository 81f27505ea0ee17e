"""The film of a program that was run with many values of its numbers: the program's own run, what is otherwise in the
others, and handles by which one goes from run to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autograd_lab.view.compare.counterpart import marks_of
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.pages.common_film import Film, common_film
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.pages.player_parts import Once
from autograd_lab.view.recorded_scene import history_in
from autograd_lab.view.scene import Scene

WIDTH = 30
GRIP = (
    ["rect", {"width": f"{WIDTH}", "height": "14", "rx": "7"}],
    ["path", {"d": "M9 4L5 7L9 10M5 7H25M21 4L25 7L21 10"}],
)
"""What one drags a card by: shapes, in a box of that width."""
ABOVE = 8
"""By so much a grip rises above the upper edge of its card, px."""


@undisturbed
def varied(
    scenes: Iterable[tuple[tuple[int, ...], Scene]], axes: Mapping[str, Sequence[str]], title: str | None = None
) -> Film:
    """The film of runs, each with which value of each axis it has, by its number; the first is the program's own.

    `vary` has the axes with their values, and for each run its place; every film in it has, as `leaves`, the tensor of
    each axis if there is one by that name and, as `events`, what happens at each step: the same number for the same
    thing in every run.
    """
    places, films, events = [], [], Once()
    for place, scene in scenes:
        boxes = history_in(scene).boxes.values()
        named = {box.label: box.id for box in boxes if box.is_leaf}
        leaves = [named.get(name, "") for name in axes]
        film = with_grips(film_of(scene, title), leaves)
        places.append(place)
        films.append(film | {"leaves": leaves, "events": [events.number(mark) for mark in marks_of(scene.trace)]})
    return common_film(films) | {"vary": {"axes": [[name, *texts] for name, texts in axes.items()], "runs": places}}


def with_grips(film: Film, leaves: Sequence[str]) -> Film:
    """The film, in which there is something to drag the cards of these leaves by."""
    shapes, elements, looks = (Once(list(film[name])) for name in ("shapes", "elements", "looks"))
    tracks, moves = list(film["tracks"]), list(film["moves"])
    inside = [elements.number([shapes.number(shape)]) for shape in GRIP]

    def held(track: list[int], width: int) -> list[int]:
        place = {"class": "grip", "transform": f"translate({width / 2 - WIDTH / 2:g} {-ABOVE})"}
        grip = elements.number([shapes.number(["g", place]), *inside])
        return [looks.number(_with(film["looks"][it], grip)) if at % 2 else it for at, it in enumerate(track)]

    def part(told: list[Any]) -> list[Any]:
        *rest, width, height, track = told
        if told[1] != "card" or film["members"][told[2]][0] not in leaves:
            return told
        tracks.append(held(tracks[track], width))
        moves.append(moves[track])
        return [*rest, width, height, len(tracks) - 1]

    graphs = [graph | {"parts": [part(told) for told in graph["parts"]]} for graph in film["graphs"]]
    lists = {"shapes": shapes.items, "elements": elements.items, "looks": looks.items}
    return film | {"graphs": graphs, "tracks": tracks, "moves": moves} | lists


def _with(look: list[Any], element: int) -> list[Any]:
    """A look with one element more, if there is anything of it."""
    classes, elements, *said = look
    return [classes, [*elements, element] if elements else [], *said]
