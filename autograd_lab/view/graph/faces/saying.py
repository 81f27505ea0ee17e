"""What a card has to say at most over all steps: the words and values whose size its face must have room for."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.face import Style
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import grid_of, is_written, reading, row_of

MOST = 8
"""Values and gradients beyond the first eight and the last are not measured: digits hardly change any more."""

NARROW = 2
"""So many numbers are written in a tower."""
CELL, LEAST = 24.0, 3.5
"""A tile's cells are at most and at least so large, px."""


@dataclass(slots=True)
class Saying:
    """What a card says: its `name`, what it does (`formula`), small words, and every value that ever stands on it.

    `uses` counts the lines that leave a leaf, `sum_width` is that of the sum in figures, `times` says how often a stack
    repeats, `pockets` has a word for each slot that its nodes saved, of which one is ever overwritten if it is `stale`.
    """

    card: Card
    name: str
    formula: str = ""
    fine: str = ""
    badge: str = ""
    beside: str = ""
    values: list[Value] = field(default_factory=list)
    grads: list[Value] = field(default_factory=list)
    uses: int = 0
    sum_width: float = 0
    times: str = ""
    pockets: list[str] = field(default_factory=list)
    stale: bool = False
    _texts: dict[str, list[str]] = field(default_factory=dict, repr=False)

    @property
    def value_texts(self) -> list[str]:
        """How its values read."""
        if "value" not in self._texts:
            self._texts["value"] = said(self.values)
        return self._texts["value"]

    @property
    def grad_texts(self) -> list[str]:
        """How its gradients read."""
        if "grad" not in self._texts:
            self._texts["grad"] = said(self.grads, 3 if self.card.ops or not self.is_written else 4)
        return self._texts["grad"]

    @property
    def value(self) -> Value | None:
        """The first of its values."""
        return self.values[0] if self.values else None

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
        return "" if self.card.box is None else "×".join(map(str, self.card.box.facts.shape))

    @property
    def sides(self) -> tuple[int, ...]:
        """The shape of its value."""
        return () if self.card.box is None else self.card.box.facts.shape

    @property
    def was(self) -> bool:
        """Whether the card shows what its tensor held before it was written in place."""
        return bool(self.card.ops) and getattr(self.card.ops[-1].event, "wrote_in_place", False) and self.is_written


def widest(texts: list[str], size: float, *, bold: bool = False) -> float:
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


def gradients_of(card: Card, history: History) -> list[Value]:
    """Every gradient that ever arrives at what a card makes."""
    if card.kind == "leaf" and card.box is not None:
        return card.box.grads
    if card.box is None or card.box.op is None:
        return []
    op = history.ops[card.box.op]
    place = op.outputs.index(card.box.id)
    rows = history.gathered.get(op.node or "", [])
    return [value for row in rows if place < len(row) and (value := row[place]) is not None]


def said(values: list[Value], digits: int = 4) -> list[str]:
    """How values read."""
    return [reading(value, digits) for value in some(values)]
