"""The parts of a picture: which card, wire, number, pocket and lane stands where."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import HANG_GAP as GAP
from autograd_lab.view.graph.faces.face import HANG_SIDE as SIDE
from autograd_lab.view.graph.faces.face import Face
from autograd_lab.view.graph.faces.forms import CAPSULE, label_size
from autograd_lab.view.graph.faces.pockets import DEEP, SHALLOW
from autograd_lab.view.graph.facts.state import is_kept
from autograd_lab.view.graph.framed import TITLE
from autograd_lab.view.graph.looks.pocket_look import Pocket
from autograd_lab.view.graph.second_layer import sheets_of
from autograd_lab.view.graph.training_cycle import HIGH, Turn, turns_of
from autograd_lab.view.graph.two_versions import with_versions
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.shapes.stroke import wide
from autograd_lab.view.layout.nearby import Area, Nearby
from autograd_lab.view.layout.signposts import polyline, signposts

TICK, APART = 12.0, 3.0
"""Width of a small pocket, and to the next one, px."""
TICKS = 0.5
"""Small pockets take this much of the edge at most."""
RISE = 14.5
"""By how much a number stands over the middle of its line at most, px."""
WIDEST = 420.0
"""An update takes so much room at least, px."""
LEVEL = 1.0
"""A line whose ends are off by less is level, px."""


@dataclass
class Drawing:
    """All parts in the order in which they are drawn, and the routes of those that are lines.

    `over` are the numbers that stand over their lines, not on them.
    """

    parts: list[Part] = field(default_factory=list)
    routes: dict[str, Path] = field(default_factory=dict)
    pockets: dict[str, Pocket] = field(default_factory=dict)
    drops: dict[str, tuple[str, str]] = field(default_factory=dict)
    uses: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
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
    drawing.turns = list(turns_of(choice))
    names = [name for name, card in choice.cards.cards.items() if card.params or card.kind == "leaf"]
    left = min(choice.placed.places[name][0] for name in names)
    right = max(choice.placed.places[name][0] + choice.faces[name].width for name in names)
    update = choice.cards.update
    room = max(right, left + WIDEST) if update is not None else right
    return Part(
        "cycle", "cycle", "cycle", left, choice.placed.height - HIGH, room - left, HIGH, update.step if update else 0
    )


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
    top, left = y + face.height - 1, x + SIDE
    if face.pockets == "count":
        name = f"{card.id}.s"
        drawing.pockets[name] = Pocket(card)
        yield Part(name, "slot", card.id, left, top, face.pocket_widths[0], DEEP)
        return
    slots = [(op, number) for op in card.ops for number, slot in enumerate(op.slots) if is_kept(slot)]
    if face.pockets == "ticks":
        slots.sort(key=lambda found: (found[0].node, found[0].slots[found[1]].slot) not in stale)
        slots = slots[: max(2, int((face.width * TICKS - 8) // (TICK + APART)))]
    for place, (op, number) in enumerate(slots if face.pockets else []):
        name = f"{op.id}.s{number}"
        drawing.pockets[name] = Pocket(card, op.id, number)
        if face.pockets == "ticks":
            yield Part(name, "slot", op.id, left, top, TICK, SHALLOW, number, "tick")
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
    """The numbers on lines, where they hide nothing."""
    high = drawing.label_size + CAPSULE
    boxes = [_area(choice, name) for name in choice.cards.cards] + list(_titles(drawing))
    routes = {name: choice.placed.routes[name] for name in choice.labels}
    over = {name for name, route in routes.items() if _is_level(route) and not choice.is_written[name]}
    hem = 1.1 * drawing.label_size
    widths = {name: w + hem * (name not in over and not choice.is_written[name]) for name, w in choice.labels.items()}
    found = signposts(routes, {name: (w, high) for name, w in widths.items()}, boxes)
    near = Nearby([*((area, "") for area in boxes), *_reaches(found, widths, high)])
    for name, (x, y) in found.items():
        wide = widths[name]
        part = Part(f"{name}#", "number", name, x - wide / 2, y - high / 2, wide, high)
        above = (part.x, y - RISE - drawing.label_size, part.x + wide, y)
        if name in over and not any(other != name for _, other in near.meeting(above)):
            drawing.over.add(part.id)
        yield part


def _titles(drawing: Drawing) -> Iterator[Area]:
    """Where the titles of sheets stand."""
    for part in drawing.parts:
        if part.kind in ("sheet", "opened") and part.text:
            yield part.x, part.y, part.x + min(part.width, wide(part.text, 13.5, bold=True) + 28), part.y + TITLE


def _reaches(
    found: Mapping[str, tuple[float, float]], widths: Mapping[str, float], high: float
) -> Iterator[tuple[Area, str]]:
    """What each number may take, on its line or over it."""
    for name, (x, y) in found.items():
        yield (x - widths[name] / 2, y - RISE - high, x + widths[name] / 2, y + high / 2), name


def _area(choice: Choice, name: str) -> Area:
    (x, y), face = choice.placed.places[name], choice.faces[name]
    return x, y, x + face.width, y + face.height + face.hang


def _is_level(route: Path) -> bool:
    points = polyline(route)
    return max(y for _, y in points) - min(y for _, y in points) < LEVEL
