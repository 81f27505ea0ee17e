"""A face: what stands where on a card, and how large the card is.

A face says where each text and tile of a card goes; what they say at a step is the look's business. It is as large as
the most that the card will ever hold, so one layout serves all steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

Form = Literal["tall", "tower", "wide"]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Style:
    """How roomy cards are.

    `tall` has the gradient beside the value, `tower` below it, `wide` all in one line. `full` is the size of the
    visual language, else terse. Longer sides of tiles are `tile` px, or as wide as the title if they `fill`.
    """

    form: Form
    full: bool
    tile: int
    fill: bool = False

    @property
    def name(self) -> float:
        """Size of names, px; and so on below."""
        return 20 if self.full else 16

    @property
    def value(self) -> float:
        return 20 if self.full else 15

    @property
    def few(self) -> float:
        """Size of each of several numbers, px."""
        return 17 if self.full else 14

    @property
    def gradient(self) -> float:
        return 17 if self.full else 14

    @property
    def formula(self) -> float:
        return 15 if self.full else 13

    @property
    def pad(self) -> float:
        return 14 if self.full else 8

    @property
    def line(self) -> float:
        """From one line of text to the next, px."""
        return 24 if self.full else 18


HANG_SIDE, HANG_GAP = 12.0, 6.0
"""From the ends of the lower edge to pockets, and between them, px."""
TICK, TICK_APART, TICKED_SHARE = 12.0, 3.0, 0.5
"""Width of a pocket without words, from one to the next, and the share of a card's width that these take; px."""
TICKED = HANG_SIDE + 34.0
"""Two small pockets and half the head of an arrow beside them reach so far from the left side, px."""
FINE = 12.5
"""Size of the fine print, px."""


@dataclass(slots=True, unsafe_hash=True)
class Item:
    """A text or a tile on a card: `role` says which, (x, y) where its baseline or its upper left corner is.

    `text` is what stands there at every step, if that never changes.
    """

    role: str
    x: float
    y: float
    size: float = FINE
    anchor: Anchor = "start"
    width: float = 0
    height: float = 0
    bold: bool = False
    text: str = ""


@dataclass(slots=True)
class Face:
    """One way to show a card. `hang` is what its pockets hang below its outline, `head` how far down its head goes."""

    width: float
    height: float
    items: list[Item] = field(default_factory=list)
    head: float = 0
    hang: float = 0
    is_joint: bool = False
    pockets: Literal["", "named", "count", "ticks"] = ""
    pocket_widths: tuple[float, ...] = ()
    tells_slots: bool = False
    """Whether pockets say what the node calls what it saved: `self = h v0`."""
    behind: float = 0
    """How far its sheets stand out at the right and above, px."""
    pocket_room: float = 0
    """Pockets may take so much from its left side, px, if that is more than these do."""

    @property
    def hang_width(self) -> float:
        """How far its pockets reach from its left side, px."""
        named = HANG_SIDE + sum(self.pocket_widths) + HANG_GAP * len(self.pocket_widths)
        ticks = max(self.width / 2, min(TICKED, self.width))
        return max(self.pocket_room, named if self.pocket_widths else ticks)

    @property
    def tick_count(self) -> int:
        """How many pockets without words have room."""
        return max(2, int((self.width * TICKED_SHARE - 8) // (TICK + TICK_APART)))

    def item(self, role: str) -> Item | None:
        """The item of that role, if the face has it."""
        return next((item for item in self.items if item.role == role), None)

    def at_least(self, width: float, height: float = 0) -> Face:
        """The same, at least so large: what stands at its right side stays there, a lone sign in the middle."""
        more, high = max(0.0, width - self.width), max(height, self.height)
        if not more and high == self.height:
            return self
        side = self.item("side")
        left = -1.0 if side is None else side.x  # what stands before the drawer of a leaf stays there
        moved = [
            _centred(it, self, more, high) if self.is_joint else it if 0 <= it.x < left else _kept_right(it, more)
            for it in self.items
        ]
        return replace(self, width=self.width + more, height=high, items=moved)


def _kept_right(item: Item, more: float) -> Item:
    if item.anchor == "end" and item.x > 0:
        return replace(item, x=item.x + more)
    if item.role == "gtile" and item.x > item.width:  # beside the other tile
        return replace(item, x=item.x + more)
    return replace(item, width=item.width + more) if item.role == "sumbar" else item


def _centred(item: Item, face: Face, more: float, high: float) -> Item:
    return replace(item, x=item.x + more / 2, y=item.y + (high - face.height) / 2)
