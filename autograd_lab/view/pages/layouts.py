"""The pictures that a page of a recording has: for panes of several sizes, in both views, with each folded card open.

A page takes the one that fits. Where one opens a card, others are laid out with what it hides in its place, so the
rest makes room; one card is open at a time, with those that it lies in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from autograd_lab.view.abstract_scene import View
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.cards.names import Names
from autograd_lab.view.graph.cards.opened import Openings
from autograd_lab.view.graph.faces.choice import Choice, laid_like
from autograd_lab.view.graph.faces.forms import Pane
from autograd_lab.view.graph.framed import with_room_around
from autograd_lab.view.graph.opened_frame import frame_of, inside
from autograd_lab.view.graph.parts import drawing_of
from autograd_lab.view.graph.pictured import Picture, picture_of
from autograd_lab.view.graph.second_layer import with_room
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.pages.members import name_of
from autograd_lab.view.recorded_scene import RecordedScene

PANES = ((800.0, 480.0), (860.0, 330.0), (590.0, 325.0), (1180.0, 560.0), (344.0, 440.0), (344.0, 340.0))
"""Where pictures are seen, the most usual first: on a laptop's screen, low, in a notebook, on a large screen, on a
phone, on a small one; px."""
AFAR = ((322.0, 270.0), (410.0, 250.0), (630.0, 420.0))
"""The same on a wall, where all is drawn twice as large, beside a program: of 1024 × 768, 1280 × 720, 1920 × 1080."""
MOST, LEAST, ROOM = 2500, 150, 1_200_000
"""So many parts are laid out in all, for openings no fewer, and fewer where there are many steps, those of outer cards
first; what lies deeper cannot be opened."""


@dataclass(eq=False)
class Layout:
    """A picture in a view; by which number each card is opened, and what is open in it: which card, seen from where."""

    view: View
    picture: Picture
    opens: dict[str, int] = field(default_factory=dict)
    opened: tuple[Card, int] | None = None
    titles: tuple[str, ...] = ()
    """What was opened is called, from the outermost inwards."""


def layouts_of(scene: RecordedScene, panes: Sequence[Pane] = PANES) -> list[Layout]:
    """All pictures of a page that is seen in these panes, first those with nothing open, of each view the finest first.

    A card that is in several of them is opened once in each view, in the one that is seen most.
    """
    bases = {view: _bases(scene, view, panes) for view in _views(scene)}
    found = [layout for several in bases.values() for layout in several]
    for layout in found:
        layout.picture.ranges = found[0].picture.ranges  # one scale for all
    if scene.options.fold:
        seen = (_taken(bases[view], pane) for pane in panes for view in bases)
        _open(scene, found, deque(found.index(layout) for layout in dict.fromkeys(seen)))
    return found


def _open(scene: RecordedScene, found: list[Layout], waiting: deque[int]) -> None:
    """Add pictures with cards open, those of the outer cards first."""
    openings = {view: Openings(scene.history, scene.choices(view).window, scene.asked) for view in _views(scene)}
    drawn = sum(len(layout.picture.parts) for layout in found)
    most = drawn + max(LEAST, min(MOST, ROOM // max(1, len(scene.trace))) - drawn)
    known: dict[tuple[View, str], int] = {}
    while waiting:
        number = waiting.popleft()
        layout = found[number]
        for card in _closed(layout):
            key = layout.view, name_of(card)
            if key not in known and drawn < most:
                opened = _opened(scene, found, number, card, openings[layout.view])
                if opened is None:
                    continue
                known[key] = len(found)
                waiting.append(len(found))
                found.append(opened)
                drawn += len(opened.picture.parts)
            if key in known:
                layout.opens[card.id] = known[key]


def _views(scene: RecordedScene) -> tuple[View, View]:
    """Both, first the one that was asked for."""
    return ("engine", "maths") if scene.view == "engine" else ("maths", "engine")


def _bases(scene: RecordedScene, view: View, panes: Sequence[Pane]) -> list[Layout]:
    """The pictures that panes take of those laid out for any of them, the finest first."""
    chosen: dict[tuple[object, ...], tuple[Choice, Pane]] = {}
    for pane in panes:
        choice = scene.choice(view, pane)
        chosen.setdefault((*_what(choice), choice.fits, choice.cards.update is not None and pane), (choice, pane))
    found: dict[tuple[object, ...], Layout] = {}
    for choice, pane in chosen.values():
        picture = picture_of(scene.history, choice, pane, engine=view == "engine", stretches=False)
        found.setdefault(_what(picture.choice), Layout(view, picture))
    ordered = sorted(found.values(), key=_fineness)
    taken = {_taken(ordered, pane) for pane in panes}
    return [layout for layout in ordered if layout in taken]


def _what(choice: Choice) -> tuple[object, ...]:
    """What tells a picture from others of the same view."""
    return choice.cards.pieces, choice.style, choice.placed.form, choice.placed.width, choice.placed.height


def _fineness(layout: Layout) -> tuple[int, float]:
    """By this pictures are sorted, the finest first."""
    choice = layout.picture.choice
    return -len(choice.cards.cards), -choice.placed.width


def _taken(layouts: Sequence[Layout], pane: Pane) -> Layout:
    """The one that a page takes in a pane: the finest that can be read there, or what comes nearest to that."""

    def scale(layout: Layout) -> float:
        placed = layout.picture.choice.placed
        return min(pane[0] / placed.width, pane[1] / placed.height)

    return next((each for each in layouts if scale(each) >= 1), max(layouts, key=scale))


def _closed(layout: Layout) -> Iterator[Card]:
    """The cards that can be opened here: all that hide others, and in an opened one those inside of it."""
    cards = layout.picture.choice.cards.cards
    ops = None if layout.opened is None else {op.id for op in layout.opened[0].ops}
    for card in cards.values():
        if len(card.ops) > 1 and (ops is None or ops.issuperset(op.id for op in card.ops)):
            yield card


@or_else(None)
def _opened(scene: RecordedScene, found: list[Layout], number: int, card: Card, openings: Openings) -> Layout | None:
    """The picture with a card open; None if it cannot be laid out so."""
    layout = found[number]
    before, choices = layout.picture.choice, scene.choices(layout.view)
    cards = openings.opened(before.cards, card.id)
    if cards is None:
        return None
    pane = (before.placed.width, before.placed.height)
    choice = laid_like(cards, before, choices.forms, pane)
    if choice is None:
        return None
    choice = with_room_around(with_room(replace(choice, scale=1.0)), inside(choice, card))
    titles = (*layout.titles, Names(before.cards).of(card).title)
    drawing = drawing_of(choice, frame_of(choice, card, " › ".join(titles)))
    picture = Picture(scene.history, choice, drawing, layout.picture.ranges, layout.picture.engine)
    return Layout(layout.view, picture, {}, (card, number), titles)
