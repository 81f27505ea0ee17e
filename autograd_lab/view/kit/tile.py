"""Tiles: the numbers of an array as cells on a diverging scale, where 0 and only 0 is paper.

A level is a step of the scale: `ceil(8 * size / most)`, so that whatever is not 0 has a colour, however small it is.
The caller chooses the range, for weights, values and gradients have each their own. Cells of one level are one path.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograd_lab.view.kit.palette import STEPS
from autograd_lab.view.kit.pen import say_title
from autograd_lab.view.kit.shapes.stroke import at, path, rect, short
from autograd_lab.view.languages.speaking import translated

Number = float | bool
Rows = Sequence[Sequence[Number]]

SMALLEST, LARGEST, GAP = 6, 32, 1
"""Least and largest side of a cell with its gap, and the gap; px. Cells that are smaller yet have a smaller one."""
SIGNS_FROM = 14
"""From this side on, negative cells have a minus mark; without hues they have it always."""
FRAME, RAIL = 1.5, 2.5
"""How far the frame stands outside of the cells; width of the rails of a tile of many numbers a cell; px."""
SCALES = {"weight": "values", "value": "values", "gradient": "grads"}
"""The scale that each kind of number is drawn on."""
DARK_FROM = 4
"""From this level on, a minus mark is of paper."""


@dataclass(frozen=True, slots=True)
class Tile:
    """What a tile shows: numbers, or their shares of the range; `each` says in words what one cell stands for, where
    it stands for many."""

    rows: Rows
    kind: str = "value"
    most: float = 0.0
    each: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), max(map(len, self.rows), default=0)


def largest(rows: Iterable[Iterable[Number]]) -> float:
    """The range that these numbers need: their largest size, where NaN and inf do not count."""
    return max(
        (abs(float(v)) for row in rows for v in row if not isinstance(v, bool) and math.isfinite(v)), default=0.0
    )


def level(number: float, most: float) -> int:
    """The step of the scale, 0 to 8: 0 for 0 alone.

    >>> level(0.0, 1.0), level(1e-300, 1.0), level(0.5, 1.0), level(-1.0, 1.0), level(3.0, 1.0)
    (0, 1, 4, 8, 8)
    """
    if number == 0:
        return 0
    part = min(abs(number) / most, 1.0) if most > 0 else 1.0
    return max(1, math.ceil(STEPS * part - 1e-9))


def gap_of(cell: float) -> float:
    """The gap between cells, which takes a fifth of one at most."""
    return min(GAP, cell / 5)


def tile_size(rows: int, columns: int, cell: float, *, aggregated: bool = False) -> tuple[float, float]:
    """Width and height of the cells, and of the rails of an aggregated tile; the frame stands 1.5 px outside."""
    rails = FRAME + RAIL if aggregated else 0
    return columns * cell + rails, rows * cell + rails


def draw_tile(tile: Tile, x: float, y: float, cell: float, words: str = "") -> str:
    """The cells with their upper left corner at (x, y), in a frame; every row and column that was given is there.

    `words` say what is seen, if that is no array: of a legend.
    """
    rows, columns = tile.shape
    side, round_ = cell - gap_of(cell), min(2.0, 0.12 * cell)
    cells = _Cells(tile.most or largest(tile.rows), cell, side - 2 * round_)
    for down, row in enumerate(tile.rows):
        for across, number in enumerate(row):
            cells.add(number, across * cell, down * cell)
    inset = gap_of(cell) / 2 + round_
    frame = rect("frame", -FRAME - inset, -FRAME - inset, columns * cell + 2 * FRAME, rows * cell + 2 * FRAME, 3)
    rails = _rails(columns * cell - inset, rows * cell - inset, -FRAME - inset) if tile.each else ""
    place = f'transform="translate({short(x + inset)} {short(y + inset)})" stroke-width="{short(2 * round_)}"'
    inner = "".join((say_title(words or translated(told(tile))), frame, cells.drawn(), rails))
    return f'<g class="tile {SCALES[tile.kind]}" role="img" {place}>{inner}</g>'


def told(tile: Tile) -> str:
    """The tile in words, for whoever cannot see it."""
    rows, columns = tile.shape
    flat = [number for row in tile.rows for number in row]
    truths = [number for number in flat if isinstance(number, bool)]
    if truths and len(truths) == len(flat):
        return f"{rows} × {columns} cells, {sum(truths)} of them true"
    cells = f"{tile.kind}s, {rows} × {columns} cells" + (f", {tile.each}" if tile.each else "")
    finite = [number for number in flat if math.isfinite(number)]
    counts = {
        "positive": sum(number > 0 for number in finite), "negative": sum(number < 0 for number in finite),
        "zero": finite.count(0), "NaN": sum(map(math.isnan, flat)), "infinite": sum(map(math.isinf, flat)),
    }  # fmt: skip
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"{cells}: {told}" if told else cells


class _Cells:
    """The cells of a tile, level by level; each is a small square whose stroke makes it round."""

    def __init__(self, most: float, cell: float, square: float) -> None:
        self.most, self.cell, self.square = most, cell, square
        self.paths: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, number: Number, x: float, y: float) -> None:
        middle = self.square / 2
        if isinstance(number, bool):
            if number:
                self.paths["dots"].append(f"M{at(x + middle, y + middle)}h.01")
        elif not math.isfinite(number):
            lost = math.isnan(number)
            self._square("lost" if lost else "endless", x, y)
            self.paths["sign" if lost else "arrow"].append(self._sign(number, x + middle, y + middle))
        elif step := level(number, self.most):
            self._square(f"{'n' if number < 0 else 'p'}{step}", x, y)
            if number < 0:
                long = 0.4 * (self.cell - gap_of(self.cell))
                mark = f"M{at(x + middle - long / 2, y + middle)}h{short(long)}"
                self.paths["high" if step >= DARK_FROM else "low"].append(mark)

    def drawn(self) -> str:
        """All paths; only marks and dots have a width of their own."""
        side = self.cell - gap_of(self.cell)
        tiny = "" if self.cell >= SIGNS_FROM else " tiny"
        widths = {"dots": 0.64 * side, "sign": max(1.2, 0.13 * side), "arrow": max(1.2, 0.1 * side)} | dict.fromkeys(
            ("low", "high"), max(1, 0.11 * side)
        )
        order = sorted(self.paths, key=lambda name: (name in widths, name))
        return "".join(
            path(name + tiny * (name in ("low", "high")), "".join(self.paths[name]), widths.get(name)) for name in order
        )

    def _square(self, name: str, x: float, y: float) -> None:
        side = short(self.square)
        self.paths[name].append(f"M{at(x, y)}h{side}v{side}h-{side}z")

    def _sign(self, number: float, x: float, y: float) -> str:
        """A cross for NaN, an arrow up or down for an infinity."""
        reach = 0.25 * (self.cell - gap_of(self.cell))
        r, r2 = short(reach), short(2 * reach)
        if math.isnan(number):
            return f"M{at(x - reach, y - reach)}l{r2} {r2}m0 -{r2}l-{r2} {r2}"
        way = -1 if number > 0 else 1
        tip = y + way * 1.1 * reach
        wings = f"M{at(x - reach, tip - way * reach)}L{at(x, tip)}l{r} {short(-way * reach)}"
        return f"M{at(x, y - way * reach)}V{short(tip)}{wings}"


def _rails(right: float, bottom: float, start: float) -> str:
    """Ink on two sides: a cell is more than one number."""
    out = FRAME + RAIL / 2 + 0.5
    return path("rails", f"M{at(right + out, start)}V{short(bottom + out)}H{short(start)}")
