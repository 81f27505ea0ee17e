"""Cards and lines with room for handwriting: what stands on them can be filled in with a pencil.

A blank is an item of a face with a width: a rule to write a number on, or, of a small array, a grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.faces.face import HANG_GAP, HANG_SIDE, Face, Item, Style
from autograd_lab.view.graph.faces.sayings import Faces
from autograd_lab.view.graph.faces.traffic import UNIT, Edge, Load, Traffic
from autograd_lab.view.graph.pictured import Choices
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import FEW, grid_of
from autograd_lab.view.languages.texts import worded

PENCIL = 46.0
"""A number in handwriting is so wide, px: 12 mm."""
DIGIT = 16.0
"""By how much a version in handwriting is wider than a printed one, px."""
CELLS = 9
"""Arrays of so many numbers at most are filled in one by one."""
BEFORE, BETWEEN = 12.0, 14.0
"""Before a rule, and between two grids, px."""
LABEL = 15.0
"""Size of the numbers on lines, px."""
LARGE = 96
"""The longer side of a tile, px."""
RULED = ("value", "grad", "sum")
GRIDS = ("tile", "gtile")
SIGN = "of"
"""The role of what stands before a rule and says what is asked: ∂."""
SIGN_SIZE, LINE, SAME_LINE = 17.0, 22.0, 8.0
"""Size of a sign; height of a line; what is off by less stands in one line; px."""


def with_room(choices: Choices, *, engine: bool) -> Choices:
    """The same pictures, of cards and lines that have room for blanks."""
    return replace(choices, faces=_RoomyFaces(engine=engine), traffic=_RoomyTraffic(choices.history))


def is_grid(card: Card) -> bool:
    """Whether the value of a card is an array so small that all of its numbers can be filled in."""
    shape = () if card.box is None else card.box.facts.shape
    return len(shape) in (1, 2) and math.prod(shape) <= CELLS


class _RoomyTraffic(Traffic):
    """Numbers on lines as wide as in handwriting."""

    def _load(self, edge: Edge) -> Load | None:
        load = super()._load(edge)
        if load is None or not load.is_number:
            return load
        return load._replace(width=max(load.width, PENCIL / LABEL * UNIT))


class _RoomyFaces(Faces):
    """Faces as large as they come, with room for blanks."""

    def __call__(self, cards: Cards, style: Style) -> dict[str, Face]:
        faces = super().__call__(cards, Style("tower" if style.form == "tower" else "tall", full=True, tile=LARGE))
        if not cards.history.sent:
            faces = {name: _without_gradient(face) if cards.cards[name].ops else face for name, face in faces.items()}
        return {name: roomy(face, cards.cards[name]) for name, face in faces.items()}


def roomy(face: Face, card: Card) -> Face:
    """A face with blanks for what the card holds at a step."""
    if card.kind == "data" or card.box is None:
        return face
    face = _with_digits(_without_gradient(face) if is_grid(card) and face.item("gtile") else face)
    blanks = [_Blank(item, face, card) for item in face.items]
    wide = face.at_least(face.width + max([0.0, *(blank.missing for blank in blanks)]))
    return replace(wide, items=[made for item in wide.items for made in _Blank(item, wide, card).made()])


@dataclass(frozen=True)
class _Blank:
    """An item of a face, and the blank that takes its place, if there is one."""

    item: Item
    face: Face
    card: Card

    @property
    def is_asked(self) -> bool:
        """Whether there is a blank."""
        return self.item.role in RULED or (self.item.role in GRIDS and is_grid(self.card))

    @property
    def width(self) -> float:
        """How wide the blank is."""
        shape = () if self.card.box is None else self.card.box.facts.shape
        if self.item.role in GRIDS:
            return PENCIL * grid_of(shape)[1]
        if self.item.role == "sum":
            return 2 * PENCIL
        return PENCIL * (shape[0] if len(shape) == 1 and shape[0] <= FEW else 1)

    @property
    def sign(self) -> str:
        """What stands before it; a leaf says `.grad` above or beside it anyway."""
        if self.item.role == "sum":
            return worded("sum of:")
        if self.card.kind == "leaf":
            return ""
        return {"gtile": "∂", "grad": "‖∂‖" if self.face.item("gtile") else "∂"}.get(self.item.role, "")

    @property
    def room(self) -> float:
        """How much of the width the sign takes; grids of value and gradient begin at the same place."""
        sign = "∂" if self.item.role == "tile" and self.card.kind != "leaf" and not self._is_beside else self.sign
        return text_width(f"{sign} ", SIGN_SIZE, bold=True) if sign else 0.0

    @property
    def missing(self) -> float:
        """By how much the face is too narrow."""
        if not self.is_asked:
            return 0.0
        item, width = self.item, self.width + self.room
        if item.role in GRIDS:
            across = 2 * self.width + self.room + BETWEEN if self._is_beside else width
            return 2 * self._pad + across - self.face.width
        if item.anchor != "end":
            return item.x + width + self._pad - self.face.width
        before = [each.x + text_width(each.text, each.size, bold=each.bold) for each in self.face.items
                  if each.anchor != "end" and each.text and _share_a_line(each, item)]  # fmt: skip
        return max([self._pad, *before]) + BEFORE + width - item.x

    def made(self) -> Iterator[Item]:
        """The item with the width of its blank, and what stands before it."""
        item, width, room = self.item, self.width, self.room
        if not self.is_asked:
            yield item
            return
        left = item.x - width - room if item.anchor == "end" else item.x
        if item.role == "gtile" and self._is_beside:
            left = self.face.width - self._pad - width - room
        if self.sign:
            base = item.y + (item.height / 2 + 6 if item.role in GRIDS else 0)
            yield Item("sum of" if item.role == "sum" else SIGN, left, base, SIGN_SIZE, bold=True, text=self.sign)
        yield replace(item, x=item.x if item.anchor == "end" else left + room, width=width)

    @property
    def _pad(self) -> float:
        return min(each.x for each in self.face.items if each.x > 0)

    @property
    def _is_beside(self) -> bool:
        """Whether the tiles of value and gradient stand side by side."""
        one, other = self.face.item("tile"), self.face.item("gtile")
        return self.item.role in GRIDS and one is not None and other is not None and one.y == other.y


def _without_gradient(face: Face) -> Face:
    """A face without the gradient in words, and without its line: there is none, or its numbers are filled in."""
    words = face.item("grad")
    if words is None:
        return face
    items = [item for item in face.items if item is not words]
    if any(_share_a_line(item, words) for item in items):
        return replace(face, items=items)
    up = [replace(item, y=item.y - LINE) if item.y > words.y else item for item in items]
    return replace(face, items=up, height=face.height - LINE)


def _share_a_line(one: Item, other: Item) -> bool:
    return abs(one.y - other.y) < SAME_LINE


def _with_digits(face: Face) -> Face:
    """A face whose pockets have room for a version in handwriting."""
    if face.pockets != "named":
        return face
    widths = tuple(width + DIGIT for width in face.pocket_widths)
    need = sum(widths) + HANG_GAP * (len(widths) - 1) + 2 * HANG_SIDE
    return replace(face.at_least(need), pocket_widths=widths)
