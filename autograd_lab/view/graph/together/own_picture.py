"""What one recording has of a picture in common: its own cards and lines, under its own names, and gaps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import Face
from autograd_lab.view.graph.faces.forms import Forms
from autograd_lab.view.graph.together.spots import Seats
from autograd_lab.view.layout.placed import Placed
from autograd_lab.view.layout.strokes import through


def own_picture(
    found: Choice,
    forms: Forms,
    faces: Mapping[str, Face],
    seats: Seats,
    labels: Mapping[str, float],
    ways: Mapping[str, Sequence[str]],
) -> Choice:
    """The picture of a recording with these forms and faces; `labels` are widths of numbers in common."""
    own = seats.own
    large = {name: _as_large(faces[name], found.faces[spot]) for name, spot in seats.cards.items()}
    return replace(
        found,
        cards=forms.cards,
        faces={**large, **{spot: face for spot, face in found.faces.items() if spot not in own}},
        placed=_called(_with_ways(found.placed, ways, own), own),
        labels={name: labels[spot] for name, spot in seats.wires.items() if name in forms.labels},
        is_written=forms.is_written,
    )


def gaps_in(choice: Choice) -> int:
    """How many spots have no card of its own."""
    return len(choice.faces) - len(choice.cards.cards)


def _as_large(face: Face, spot: Face) -> Face:
    """A face as large as its spot."""
    return replace(face.at_least(spot.width, spot.height), hang=spot.hang, pocket_room=spot.pocket_room)


def _with_ways(placed: Placed, ways: Mapping[str, Sequence[str]], own: Collection[str]) -> Placed:
    """The places with a recording's own lines that go through gaps."""
    routes, ends = dict(placed.routes), dict(placed.ends)
    for line, way in ways.items():
        if line in own:
            routes[line] = through([placed.routes[link] for link in way])
            ends[line] = placed.ends[way[0]][0], placed.ends[way[-1]][1]
    return replace(placed, routes=routes, ends=ends)


def _called(placed: Placed, own: Mapping[str, str]) -> Placed:
    """The same places under a recording's own names; gaps keep those in common, bars are none."""

    def name(spot: str) -> str:
        return own.get(spot, spot)

    return replace(
        placed,
        places={name(spot): place for spot, place in placed.places.items()},
        routes={name(spot): route for spot, route in placed.routes.items()},
        bars={own[bar]: area for bar, area in placed.bars.items()},
        drops={(own[card], own[bar]): drop for (card, bar), drop in placed.drops.items() if card in own},
        boxes={name(spot): replace(box, id=name(spot)) for spot, box in placed.boxes.items()},
        ends={name(spot): (name(source), name(target)) for spot, (source, target) in placed.ends.items()},
    )
