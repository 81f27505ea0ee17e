"""Tiles as text: a look names the level of each cell, and the drawing colours it.

A level is a letter: 0 for nothing at all, a to h for more and more of what is positive, A to H of what is negative; N,
P and M are NaN and the infinities, T and _ are True and False. A sign at the end tells that a cell stands for several
numbers: `LARGEST` or `SAMPLE`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.history import Box
from autograd_lab.view.kit.palette import STEPS
from autograd_lab.view.kit.per_value import per_value
from autograd_lab.view.kit.reading import LARGEST, SAMPLE, Matrix, matrix_of
from autograd_lab.view.kit.tile import level
from autograd_lab.view.kit.unknown import or_else

ODD = {"nan": "N", "inf": "P", "-inf": "M"}
LOST = "?"
"""What stands in place of a tile, a bar or a text that cannot be found out."""

BAR_DECADES = 4.0
"""So many powers of ten a bar tells apart at least."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """The largest magnitude of each kind of tile in a picture, and of each kind of bar.

    Bars of gradients have room for `gradient_decades` powers of ten. Of `own` kinds, each tensor has a range
    of its own, for on one range most of them would be pale.
    """

    weight: float = 1.0
    value: float = 1.0
    gradient: float = 1.0
    weight_norm: float = 1.0
    gradient_norm: float = 1.0
    gradient_decades: float = BAR_DECADES
    own: frozenset[str] = frozenset()
    _known: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def tile(self, value: Value | None, kind: str, *of: Box, upright: bool = False) -> str:
        """A tile's text on the range of its kind: "weight", "value" or "gradient"; or on that `of` its tensor."""
        most = self._of(of) if kind in self.own and of else getattr(self, kind)
        return tile_text(value, most, upright=upright)

    def _of(self, boxes: tuple[Box, ...]) -> float:
        """The range of all that a tensor holds in some of its lives, the last of which comes first."""
        name = boxes[0].id
        if name not in self._known:
            self._known[name] = range_of(value for box in boxes for value in box.values)
        return self._known[name]


def range_of(values: Iterable[Value]) -> float:
    """The largest magnitude in any of some values' tiles; 1 if there is none."""
    return max(map(largest_in, values), default=0.0) or 1.0


@or_else(0.0)
def largest_in(value: Value) -> float:
    """The largest magnitude in a value's tile."""
    sizes = [abs(float(number)) for row in matrix_of(value)[0] for number in row if number is not None]
    return max(filter(math.isfinite, sizes), default=0.0)


@or_else(LOST)
@per_value
def tile_text(value: Value | None, most: float, *, upright: bool = False) -> str:
    """The levels of a value's cells, rows apart by slashes; empty where there is no value, `?` where it is not known.

    >>> tile_text(Value(numbers=[[0.0, 1.0, -2.0]]), 2.0)
    '0dH'
    """
    if value == Value():
        return LOST
    rows, each = matrix_of(value)
    rows = _turned(rows) if upright else rows
    text = "/".join("".join(_level(number, most) for number in row) for row in rows)
    return text and text + each


def _turned(rows: Matrix) -> Matrix:
    return [[number] for number in rows[0]] if len(rows) == 1 else rows


def _level(number: Any, most: float) -> str:
    """0 and only 0 is 0: anything else is at least the first step."""
    if number is None:
        return "."
    if isinstance(number, bool):
        return "T" if number else "_"
    number = float(number)
    if not math.isfinite(number):
        return ODD.get(str(number), "N")
    steps = level(number, most)
    return "0" if not steps else chr((ord("a") if number > 0 else ord("A")) + steps - 1)


def numbers_of(text: str) -> tuple[Matrix, str]:
    """The cells of a tile's text as shares of its range, and whether each is `LARGEST` of several, or of a `SAMPLE`.

    >>> numbers_of("0dH+")
    ([[0.0, 0.5, -1.0]], '+')
    """
    bare = text.rstrip(LARGEST + SAMPLE)
    return [[_share(letter) for letter in row] for row in bare.split("/")] if bare else [], text[len(bare) :]


def _share(letter: str) -> Any:
    if letter in "T_":
        return letter == "T"
    if letter in "NPM.":
        return {"N": math.nan, "P": math.inf, "M": -math.inf, ".": 0.0}[letter]
    if letter == "0":
        return 0.0
    return (ord(letter) - ord("a") + 1) / STEPS if letter.islower() else -(ord(letter) - ord("A") + 1) / STEPS
