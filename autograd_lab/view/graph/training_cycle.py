"""The cycle of training: a bar below the cards for the step that changes the weights, with arrows from each `.grad`
down to it and from it up to the weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.cards.updates import Change, Update
from autograd_lab.view.graph.faces.choice import Choice, fitted
from autograd_lab.view.graph.faces.forms import Pane
from autograd_lab.view.graph.framed import overlaps
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import norm_of, short, sign_of
from autograd_lab.view.layout.nearby import Area
from autograd_lab.view.layout.signposts import polyline

HIGH, DOWN = 38.0, 44.0
"""Height of the bar, and from the lowest card to it, px."""
CYCLE = HIGH + DOWN
UP_AT, DOWN_AT = 0.3, 0.62
"""Where arrows to and from the bar stand, in widths of their card."""
MOST_ARROWS = 8
LINE_SHARE = 0.55
"""The line of the program takes so much of the bar at most."""
SIZE, AROUND, WIDEST = 15.0, 64.0, 420.0
"""Size of what stands on the bar, what is free around it, and the most that it asks for, px."""
SIDE = 7.0
MOVED, BESIDE, SIGN = 12.5, 13.0, "step "
"""Size of the words for how far weights move, from an arrow to these, px; and what stands before them."""
SHARES = (1 / 3, 0.5, 0.66, 0.2, 0.8)
"""How far down from a card to the bar they may stand, the best place first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The arrows of a card: where they stand, and where the card ends; how far its weights have moved, the gradient
    that moved them, as a number or a norm, and the step from which on they have; how far down from the card to the bar
    the words for that stand, and whether there is room for their sign.
    """

    up: float
    down: float
    top: float
    moved: str
    gradient: float
    done: int
    share: float = SHARES[0]
    is_signed: bool = True

    def words_at(self, top: float, sign: str = "") -> Area:
        """Where the words stand above a bar whose upper edge is there, beside the shaft of the arrow down."""
        x, y = self.down + BESIDE, self.top + self.share * (top - self.top)
        return x, y - MOVED / 2, x + text_width(sign + self.moved, MOVED, bold=True), y + MOVED / 2

    def clear_of(self, areas: Sequence[Area], top: float) -> Turn:
        """The turn with its words where they hide nothing: with their sign, else without it; else it has none."""
        for sign, share in ((sign, share) for sign in (SIGN, "") for share in SHARES):
            found = replace(self, share=share, is_signed=bool(sign))
            if not any(overlaps(found.words_at(top, sign), area) for area in areas):
                return found
        return replace(self, moved="")


def with_cycle(choice: Choice, pane: Pane) -> Choice:
    """The choice with room for the bar, if there is an update and all stays large enough."""
    if choice.cards.update is None or not choice.fits or choice.placed.bars or not list(turns_of(choice)):
        return choice
    low = max((bottom for left, right, bottom in _standing(choice) if _meet((left, right), span_of(choice))), default=0)
    placed = replace(choice.placed, height=max(choice.placed.height, low + CYCLE))
    found = fitted(replace(choice, placed=placed, cycle=True), pane)
    return found if found.fits else choice


def span_of(choice: Choice) -> tuple[float, float]:
    """From where to where the bar is: below all cards whose weights the update changes."""
    update, places, faces = choice.cards.update, choice.placed.places, choice.faces
    cards = choice.cards.cards.items() if update is not None else ()
    names = [name for name, card in cards if update is not None and _changes(card, update)]
    left = min(places[name][0] for name in names)
    right = max(places[name][0] + faces[name].width for name in names)
    return left, min(max(right, left + _room(update)), max(right, choice.placed.width)) if update else right


def _room(update: Update) -> float:
    """What the words on the bar ask for: its line takes a part of it at most."""
    line, rule = text_width(update.code, SIZE, mono=True), text_width(update.rule, SIZE, bold=True)
    return min(WIDEST, max(line / LINE_SHARE + 1, line + rule + AROUND))


def _standing(choice: Choice) -> Iterator[tuple[float, float, float]]:
    """Of all cards and lines the left and right sides, and how far down they reach."""
    for name, (x, y) in choice.placed.places.items():
        face = choice.faces[name]
        yield x, x + face.width, y + face.height + face.hang
    for route in choice.placed.routes.values():
        xs, ys = zip(*polyline(route), strict=True)
        yield min(xs), max(xs), max(ys)


def _meet(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] + SIDE and other[0] < one[1] + SIDE


def turns_of(choice: Choice) -> Iterator[Turn]:
    """The arrows of all cards that hold what the update changes; none, if one of them cannot be reached."""
    update, found = choice.cards.update, []
    for name, card in choice.cards.cards.items():
        changes = _changes(card, update) if update is not None else []
        if not changes:
            continue
        (x, y), face = choice.placed.places[name], choice.faces[name]
        up, down, top = x + UP_AT * face.width, x + DOWN_AT * face.width, y + face.height + face.hang
        turn = Turn(up, down, top, _moved(changes), _gradient(changes), max(change.step for change in changes))
        if not _is_free(choice, name, turn):
            return
        found.append(turn)
    if not all(turn.moved for turn in found):  # what one of several says reads as if it were said of all
        found = [replace(turn, moved="") for turn in found]
    yield from found if len(found) <= MOST_ARROWS else ()


def _changes(card: Card, update: Update) -> list[Change]:
    """What the update did to the weights of a card."""
    boxes = (*card.params, *([card.box] if card.kind == "leaf" and card.box is not None else []))
    return [update.changes[box.facts.id] for box in boxes if box.facts.id in update.changes]


def _moved(changes: Sequence[Change]) -> str:
    """How far weights have moved, if that is known of all; of a single number, up or down."""
    if len(changes) == 1 and len(changes[0].differences) == 1:
        return f"Δ {short(changes[0].differences[0], 2)}"
    norms = [change.moved for change in changes]
    if any(norm is None for norm in norms):
        return ""
    return f"‖Δ‖ {short(sum(norm**2 for norm in norms if norm is not None) ** 0.5, 2)}"


def _gradient(changes: Sequence[Change]) -> float:
    """The norm of the gradients that moved weights; of a single number, that number."""
    norm = math.hypot(*(norm_of(change.grad) or 0.0 for change in changes))
    return norm * (sign_of(changes[0].grad) if len(changes) == 1 else 1)


def _is_free(choice: Choice, name: str, turn: Turn) -> bool:
    """Whether nothing stands between a card and the bar."""
    left, right, top = turn.up - SIDE, turn.down + SIDE, turn.top
    for other, (x, y) in choice.placed.places.items():
        face = choice.faces[other]
        if other != name and x < right and x + face.width > left and y + face.height > top:
            return False
    lines = (pairwise(polyline(route)) for route in choice.placed.routes.values())
    return not any(
        max(a[1], b[1]) > top and min(a[0], b[0]) < right and max(a[0], b[0]) > left for line in lines for a, b in line
    )
