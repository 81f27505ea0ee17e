"""What differs, in sentences, in two columns on a panel."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.view.kit.font import clean, wrap
from autograd_lab.view.kit.shapes.panel import PAD
from autograd_lab.view.kit.shapes.stroke import group, rect, say
from autograd_lab.view.languages.texts import worded

SIZE, ROW, ROWS = 15.0, 22.0, 6
"""Size of a sentence, height of its lines, and how many of them a column has at most; px."""
INDENT, BETWEEN, COLUMNS = 22.0, 32.0, 2
"""What stands before a sentence, and between the columns, px."""
EACH = 2
"""So many lines may a sentence have."""

Line = tuple[str, bool]
"""A line of text, and whether a sentence begins with it."""


class Sentences:
    """Sentences on a panel of some width; if there is not room for all, it says how many there are more."""

    def __init__(self, told: Sequence[str], width: float) -> None:
        self._width = width
        self._columns = self._filled([wrap(clean(each), self._room, SIZE, EACH) for each in told])

    @property
    def _room(self) -> float:
        return (self._width - BETWEEN) / COLUMNS - INDENT - PAD

    @property
    def height(self) -> float:
        """Height of the panel, px."""
        return max(map(len, self._columns)) * ROW + 2 * PAD

    def _filled(self, blocks: Sequence[Sequence[str]]) -> list[list[Line]]:
        if not blocks:
            return [[(worded("Nothing differs: both do the same."), False)]]
        for rows in range(1, ROWS + 1):
            columns, left = _in_columns(blocks, [rows] * COLUMNS)
            if not left:
                return columns
        columns, left = _in_columns(blocks, [*[ROWS] * (COLUMNS - 1), ROWS - 1])
        columns[-1].append((worded("and {} more, which the player tells", left), False))
        return columns

    def draw(self, x: float, y: float) -> str:
        """The panel with its corner at (x, y)."""
        drawn = [rect("panel", x, y, self._width, self.height, 8)]
        for number, column in enumerate(self._columns):
            left = x + PAD + number * (self._width + BETWEEN) / COLUMNS
            for row, (line, begins) in enumerate(column):
                base = y + PAD + ROW * row + 16
                drawn += [say("≠", left, base, "quiet")] * begins + [say(line, left + INDENT, base)]
        return group("code", *drawn)


def _in_columns(blocks: Sequence[Sequence[str]], rows: Sequence[int]) -> tuple[list[list[Line]], int]:
    """Columns of so many rows each, no sentence in two of them; and how many sentences are left."""
    columns: list[list[Line]] = [[] for _ in rows]
    at = 0
    for number, block in enumerate(blocks):
        while at < len(rows) and len(columns[at]) + len(block) > rows[at]:
            at += 1
        if at == len(rows):
            return columns, len(blocks) - number
        columns[at] += [(line, place == 0) for place, line in enumerate(block)]
    return columns, 0
