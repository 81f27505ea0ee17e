"""What a card has to say at most over all steps: the words and values whose size its face must have room for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.cards.written import is_rewritten
from autograd_lab.view.graph.faces.face import FINE, Item, Style
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.hooking import TENSOR
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import grid_of, is_written, reading, row_of
from autograd_lab.view.languages.speaking import translated

MOST = 8
"""Values and gradients beyond the first eight and the last are not measured: digits hardly change any more."""

ROOM_FOR_FINE = 24.0
"""So much wider a full card may become for its fine print, px."""
BACKWARD = re.compile(r"Backward\d*")
NARROW = 2
"""So many numbers are written in a tower."""
CELL, LEAST = 24.0, 2.5
"""A tile's cells are at most and at least so large, px."""


@dataclass(slots=True)
class Saying:
    """What a card says: its `name`, its `formula` or the `brief` one, small words, every value that ever stands on it.

    What is written in place had another formula `before`. `beside` says where it is, and what its hooks did; `kept` is
    the longest `.grad` that is kept of what is no leaf.

    `uses` counts the lines that leave a leaf, `sum_width` is that of the sum in figures, `times` says how often a stack
    repeats, `shapes` are all that its tensor ever has. `pockets` has a word for each slot that its nodes saved, `slots`
    the same with the node's own name for it; one of them is ever overwritten if it is `stale`, or a hook has `packed`
    it. `beside_width` is that of all that is ever said beside the value at 12.5 px, `states` are words for how far the
    card has come, `old` is what a tensor held before it was written. `twins` are the lines that run side by side to or
    from another card, each with its number. A leaf `returns` if a gradient of it is ever given back to the program.
    """

    card: Card
    name: str
    formula: str = ""
    before: str = ""
    brief: str = ""
    fine: str = ""
    badge: str = ""
    beside: str = ""
    kept: str = ""
    beside_width: float = 0
    states: tuple[str, ...] = ()
    values: list[Value] = field(default_factory=list)
    grads: list[Value] = field(default_factory=list)
    old: list[Value] = field(default_factory=list)
    uses: int = 0
    twins: int = 1
    returns: bool = False
    sum_width: float = 0
    times: str = ""
    shapes: list[str] = field(default_factory=list)
    pockets: list[str] = field(default_factory=list)
    slots: list[str] = field(default_factory=list)
    stale: bool = False
    packed: bool = False
    texts: dict[str, list[str]] = field(default_factory=dict, repr=False)
    """How its values and gradients read, found once for all foldings."""

    @property
    def small(self) -> str:
        """The longest that ever stands beside."""
        return " · ".join(filter(None, (self.beside, self.kept)))

    @property
    def states_of_pockets(self) -> list[str]:
        """Words for what is ever true of all that it saved at once."""
        return ["kept", *["stale"] * self.stale, *["packed"] * self.packed]

    @property
    def value_texts(self) -> list[str]:
        """How its values read."""
        if "value" not in self.texts:
            self.texts["value"] = said(self.values)
        return self.texts["value"]

    @property
    def grad_texts(self) -> list[str]:
        """How its gradients read."""
        if "grad" not in self.texts:
            self.texts["grad"] = said(self.grads, 3 if self.card.ops or not self.is_written else 4)
        return self.texts["grad"]

    @property
    def old_texts(self) -> list[str]:
        """How what was there before reads."""
        return said(self.old)

    @property
    def value(self) -> Value | None:
        """The first of its values that is known."""
        return next((value for value in self.values if value != Value()), self.values[0] if self.values else None)

    def fine_in(self, style: Style, room: float) -> str:
        """The fine print in a style, where the rest of the card leaves `room` px: PyTorch's name, or the same in short.

        Full cards make room for it, terse ones only have it where it costs nothing.
        """
        texts = [self.fine, BACKWARD.sub("", self.fine)]
        more = ROOM_FOR_FINE if style.full else 0.0
        fitting = (text for text in texts if text_width(text, FINE) <= room + more)
        return next(fitting, texts[-1] if style.full else "")

    @property
    def is_written(self) -> bool:
        """Whether its value is written in numbers."""
        return is_written(self.value)

    def is_written_in(self, style: Style) -> bool:
        """Whether its value is written in a style: where cards are to be narrow, three numbers or more are a tile."""
        row = row_of(self.value)
        is_narrow = style.form == "tower" or (self.card.kind == "data" and not style.full)
        return self.is_written and not (is_narrow and row is not None and len(row) > NARROW)

    @property
    def shape(self) -> str:
        """The shape of what is no number."""
        return "" if self.card.box is None else shape_text(self.card.box.facts.shape)

    @property
    def sides(self) -> tuple[int, ...]:
        """The shape of its value."""
        return () if self.card.box is None else self.card.box.facts.shape

    @property
    def was(self) -> bool:
        """Whether the card shows what its tensor held before it was written in place."""
        return self.card.kind == "op" and is_rewritten(self.card.ops) and self.is_written

    @property
    def is_one(self) -> bool:
        """Whether a card is one op, or a tensor with what wrote it: then its nodes and slots have names."""
        return len(self.card.ops) == 1 or is_rewritten(self.card.ops)


def shape_text(shape: Iterable[int]) -> str:
    """A shape as cards have it, in the language that is spoken; a lone size would be taken for a value.

    >>> shape_text((2, 3)), shape_text((4,))
    ('2×3', '4 numbers')
    """
    sizes = list(map(str, shape))
    alone = f"{sizes[0]} number{'s' * (sizes[0] != '1')}" if len(sizes) == 1 else ""
    return translated(alone, "card") or "×".join(sizes)


def widest(texts: Iterable[str], size: float, *, bold: bool = False) -> float:
    """Width of the widest of some texts, px."""
    return max((text_width(text, size, bold=bold) for text in texts), default=0.0)


def some(values: list[Value]) -> list[Value]:
    """The values that are measured."""
    return values if len(values) <= MOST else [*values[:MOST], values[-1]]


def tile_size(shape: tuple[int, ...], side: float) -> tuple[float, float]:
    """Width and height of a tile of square cells whose longer side is at most `side` px."""
    rows, columns = grid_of(shape)
    cell = max(LEAST, min(side / max(rows, columns), CELL))
    return columns * cell, rows * cell


def overwritten(card: Card) -> str | None:
    """The tensor that the last op of a card wrote in place, as it was before."""
    return next((use.box for use in card.ops[-1].uses if use.box), None)


def gradients_of(card: Card, history: History) -> list[Value]:
    """Every gradient that ever arrives at what a card makes."""
    if card.kind == "leaf" and card.box is not None:
        return [*card.box.grads, *history.returning.found.get(card.box.leaf_node or "", {}).values()]
    if card.box is None or card.box.op is None:
        return []
    op = history.ops[card.box.op]
    place = op.outputs.index(card.box.id)
    hooked = [call.event.before for call in history.hooks.get(op.node or "", ()) if call.event.hook == TENSOR]
    found = [*history.gathered.get((op.node or "", place), []), *hooked]
    return [value for value in found if value is not None]


def said(values: list[Value], digits: int = 4) -> list[str]:
    """How values read."""
    return [reading(value, digits) for value in some(values)]


def small_lines(items: list[Item], it: Saying, fine: str, x: float, y: float) -> float:
    """Lines of small words below the rest; gives where the last one stands."""
    for role, text in (("badge", it.badge), ("beside", it.beside), ("fine", fine)):
        if text or (role == "beside" and it.beside_width):
            y += 19
            items.append(Item(role, x, y, FINE, bold=role == "badge", text=text))
    return y
