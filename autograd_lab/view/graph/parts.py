"""The parts of a picture: which card, wire, number, pocket and lane stands where."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import HANG_GAP as GAP
from autograd_lab.view.graph.faces.face import HANG_SIDE as SIDE
from autograd_lab.view.graph.faces.face import TICK, Face
from autograd_lab.view.graph.faces.face import TICK_APART as APART
from autograd_lab.view.graph.faces.forms import label_size
from autograd_lab.view.graph.faces.pockets import DEEP, SHALLOW
from autograd_lab.view.graph.facts.state import is_kept
from autograd_lab.view.graph.framed import TITLE, wider
from autograd_lab.view.graph.looks.pocket_look import Pocket
from autograd_lab.view.graph.numbers import numbers_of
from autograd_lab.view.graph.second_layer import sheets_of
from autograd_lab.view.graph.strands import strands_of
from autograd_lab.view.graph.training_cycle import HIGH, Turn, span_of, turns_of
from autograd_lab.view.graph.two_versions import with_versions
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.shapes.stroke import wide
from autograd_lab.view.layout.nearby import Area
from autograd_lab.view.layout.signposts import polyline, span

BROAD = 5.0
"""How far a line reaches to its sides, where words are to keep clear of it, px."""
ASIDE = 4.0
"""How much farther to the left small pockets stand that dots follow, so that an arrow is clear of these, px."""
TUCKED = 4.0
"""How far a small pocket begins above the lower edge of a circle, px."""


@dataclass
class Drawing:
    """All parts in the order in which they are drawn, and the routes of those that are lines.

    `beside` are the numbers that stand over their lines, or under them, not on them; `followed` the pockets after which
    more would come, had they room.
    """

    parts: list[Part] = field(default_factory=list)
    routes: dict[str, Path] = field(default_factory=dict)
    pockets: dict[str, Pocket] = field(default_factory=dict)
    drops: dict[str, tuple[str, str]] = field(default_factory=dict)
    uses: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    beside: dict[str, int] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    label_size: float = 15.0
    turns: list[Turn] = field(default_factory=list)


def drawing_of(choice: Choice, below: Iterable[Part] = ()) -> Drawing:
    """The parts of a chosen picture: what lies `below` all, lanes, lines, cards with their pockets, numbers on top."""
    below = list(below)
    drawing = Drawing([*below, *sheets_of(choice, below)], label_size=label_size(choice.style))
    _lanes(drawing, choice)
    for wire in choice.cards.wires:
        drawing.routes[wire.id] = choice.placed.routes[wire.id]
        drawing.parts.append(Part(wire.id, "link", wire.id, 0, 0, 0, 0))
    for name, card in choice.cards.cards.items():
        x, y = choice.placed.places[name]
        face = choice.faces[name]
        drawing.parts += _pockets(drawing, card, face, x, y, choice.cards.history.watch.slots)
        drawing.parts.append(Part(name, "card", name, x, y, face.width, face.height))
    drawing.parts += list(with_versions(choice, _slots(drawing, choice)))
    drawing.parts += _numbers(drawing, choice)
    if choice.cycle:
        drawing.parts.append(_cycle(drawing, choice))
    return drawing


def _cycle(drawing: Drawing, choice: Choice) -> Part:
    """The bar of the update, below all cards whose weights it changes."""
    left, right = span_of(choice)
    top = choice.placed.height - HIGH
    parts = (it for it in drawing.parts if it.kind in ("number", "card", "pocket"))
    taken = [(it.x, it.y, it.x + it.width, it.y + it.height) for it in parts]
    pieces = (piece for route in drawing.routes.values() for piece in itertools.pairwise(polyline(route)))
    taken += [wider(span(piece), BROAD, BROAD) for piece in pieces]
    drawing.turns = [turn.clear_of(taken, top) for turn in turns_of(choice)]
    step = choice.cards.update.begins if choice.cards.update else 0
    return Part("cycle", "cycle", "cycle", left, top, right - left, HIGH, step)


def _lanes(drawing: Drawing, choice: Choice) -> None:
    """Lines down to lanes run below the lanes that they pass, whose bars stay whole."""
    placed = choice.placed
    room = {card: choice.faces[card].width / max(1, len(choice.cards.bars)) for card, _ in placed.drops}
    for (card, bar), (x, y0, y1) in placed.drops.items():
        name = f"{card}-{bar}"
        third = (y1 - y0) / 3
        drawing.routes[name] = ((x, y1), (x, y1 - third), (x, y0 + third), (x, y0))
        drawing.drops[name] = (card, bar)
        drawing.parts.append(Part(name, "drop", bar, 0, 0, 0, 0))
    for bar, (x, y, width, height) in placed.bars.items():
        drawing.parts.append(Part(f"{bar}.lane", "lane", bar, x, y, width, height))
        order = [key for key in choice.cards.uses if key[1] == bar and key in placed.drops]
        places = sorted(placed.drops[key][0] for key in order)
        near = min((b - a for a, b in itertools.pairwise(places)), default=width)
        drawing.uses[bar] = [(placed.drops[key][0] - x, min(room[key[0]], near)) for key in order]


def _pockets(
    drawing: Drawing, card: Card, face: Face, x: float, y: float, stale: Collection[tuple[str, str]]
) -> Iterator[Part]:
    """The pockets of a card, below its lower edge; where not all have room, first those that are ever `stale`."""
    top, left, tucked = y + face.height - 1, x + SIDE, 0.0
    if face.pockets == "count":
        name = f"{card.id}.s"
        drawing.pockets[name] = Pocket(card)
        yield Part(name, "slot", card.id, left, top, face.pocket_widths[0], DEEP)
        return
    slots = [(op, number) for op in card.ops for number, slot in enumerate(op.slots) if is_kept(slot)]
    if face.pockets == "ticks":
        slots.sort(key=lambda found: (found[0].node, found[0].slots[found[1]].slot) not in stale)
        if len(slots) > face.tick_count:
            slots, left = slots[: face.tick_count], left - ASIDE
            drawing.followed.add(f"{slots[-1][0].id}.s{slots[-1][1]}")
        if face.is_joint:  # in the middle, where the round edge is lowest
            left = x + (face.width - len(slots) * (TICK + APART) + APART) / 2
            tucked = TUCKED if face.width < face.height + TICK else 0.0
    for place, (op, number) in enumerate(slots if face.pockets else []):
        name = f"{op.id}.s{number}"
        drawing.pockets[name] = Pocket(card, op.id, number)
        if face.pockets == "ticks":
            yield Part(name, "slot", op.id, left, top - tucked, TICK, SHALLOW + tucked, number, "tick")
            left += TICK + APART
        else:
            yield Part(name, "slot", op.id, left, top, face.pocket_widths[place], DEEP, number)
            left += face.pocket_widths[place] + GAP


def _slots(drawing: Drawing, choice: Choice) -> Iterator[tuple[str, str, Part]]:
    """The pockets that bear a name, with the node that saved and the tensor that it saved."""
    for part in drawing.parts:
        pocket = drawing.pockets.get(part.id)
        op = choice.cards.history.ops.get(pocket.op or "") if pocket is not None and part.text != "tick" else None
        slot = op.slots[part.index] if op is not None else None
        if op is not None and op.node and slot is not None and slot.tensor is not None:
            yield op.node, slot.tensor, part


def _numbers(drawing: Drawing, choice: Choice) -> Iterator[Part]:
    """The numbers on lines, where they hide nothing, and the names of lines that run side by side."""
    boxes = [_area(choice, name) for name in choice.cards.cards] + list(_titles(drawing))
    found = numbers_of(choice, drawing.label_size, boxes)
    for it in found:
        part = Part(f"{it.name}#", "number", it.name, it.x - it.wide / 2, it.y - it.high / 2, it.wide, it.high)
        if it.side:
            drawing.beside[part.id] = it.side
        yield part
    yield from strands_of(choice, found)


def _titles(drawing: Drawing) -> Iterator[Area]:
    """Where the titles of sheets stand."""
    for part in drawing.parts:
        if part.kind in ("sheet", "opened") and part.text:
            yield part.x, part.y, part.x + min(part.width, wide(part.text, 13.5, bold=True) + 28), part.y + TITLE


def _area(choice: Choice, name: str) -> Area:
    (x, y), face = choice.placed.places[name], choice.faces[name]
    return x, y - face.behind, x + face.width + face.behind, y + face.height + face.hang
