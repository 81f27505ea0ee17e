"""A contact sheet of slides: of each only the graph and its headline, so large that they can be read."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.shapes.stroke import say
from autograd_lab.view.still import RATIO, Stills

WIDE = 2560.0
"""Width of the page, px: on paper A3, a px is 0.16 mm, so that texts of 12 px are 2 mm high."""
MARGIN, GAP, LINE = 48.0, 40.0, 30.0
"""Around the page, between the prints, and the height of a line of a headline; px."""
LINES = 2
"""Lines that a headline may take."""
HEAD = 26.0 + LINE * LINES
"""Above each graph, px."""
SIZE = 24.0
LEAST, LARGEST = 0.6, 1.25
"""Graphs are drawn no smaller if fewer of them suffice, and small graphs are enlarged by no more."""
MOST, FEWEST = 12, 6
"""As many steps a page has at most, and at least, if there are as many."""
LOOKED_AT = 48
"""At so many steps, spread evenly, the picture is looked at."""


@dataclass(frozen=True)
class Thumbnails:
    """The graphs of many steps on one page."""

    stills: Stills

    def page(self, steps: Sequence[int]) -> str:
        """The SVG. Raises IndexError for a step that there is not."""
        columns = self.columns(len(steps))
        rows = math.ceil(len(steps) / columns)
        width = (WIDE - 2 * MARGIN - GAP * (columns - 1)) / columns
        shrink = self._scale(columns, len(steps))
        high = self.stills.thumbnail_size[1] * shrink + HEAD + GAP
        height = max(WIDE / RATIO, 2 * MARGIN + rows * high - GAP)
        down = (height - 2 * MARGIN + GAP) / rows
        prints = [
            self._print(step, MARGIN + (width + GAP) * (n % columns), MARGIN + down * (n // columns), width, shrink)
            for n, step in enumerate(steps)
        ]
        size = f'width="{WIDE:g}" height="{height:g}" viewBox="0 0 {WIDE:g} {height:g}"'
        title, said = self._words(steps)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve"><title>{title}</title>'
            f"<desc>{said}</desc><style>{self.stills.style}</style>"
            f'<rect width="100%" height="100%" class="paper"/>{"".join(prints)}</svg>'
        )

    def steps(self) -> list[int]:
        """The steps of a page: those at which the graph changes, or a choice of them with each named moment."""
        named = set(self.stills.moments.values())
        changing = self._changing(named)
        most = next((count for count in range(MOST, FEWEST, -1) if self._largest(count) >= LEAST), FEWEST)
        room = most - len(named)
        others = [step for step in changing if step not in named]
        if len(others) <= room:
            return sorted(named.union(others))
        return sorted(named.union(others[(2 * n + 1) * len(others) // (2 * room)] for n in range(room)))

    def _changing(self, named: Collection[int]) -> list[int]:
        """The steps at which the graph is drawn in another way than at the one that was looked at before."""
        first, last = max(1, self.stills.first), self.stills.steps
        even = (first + round(n * (last - first) / (LOOKED_AT - 1)) for n in range(LOOKED_AT))
        before, found = "", []
        for step in sorted({*even, *named}):
            drawn = self.stills.thumbnail(step)
            if drawn != before:
                found.append(step)
            before = drawn
        return found

    def _largest(self, count: int) -> float:
        return self._scale(self.columns(count), count)

    def columns(self, count: int) -> int:
        """How many columns make the graphs largest."""
        return max(range(1, max(1, count) + 1), key=lambda columns: self._scale(columns, count))

    def _scale(self, columns: int, count: int) -> float:
        """How large graphs are in so many columns of a 16:9 page."""
        rows = math.ceil(count / columns)
        width = (WIDE - 2 * MARGIN - GAP * (columns - 1)) / columns
        height = (WIDE / RATIO - 2 * MARGIN - GAP * (rows - 1)) / rows - HEAD
        across, down = self.stills.thumbnail_size
        return min(width / across, max(height, 60.0) / down, LARGEST)

    def _print(self, step: int, x: float, y: float, width: float, shrink: float) -> str:
        """One graph under its headline, and the number of its step."""
        number = f"step {step}"
        lines = wrapped(self.stills.headline(step), width - text_width(number, 15) - 16)
        said = [say(text, x, y + SIZE + LINE * n, "name thumb") for n, text in enumerate(lines)]
        left = x + (width - self.stills.thumbnail_size[0] * shrink) / 2
        return (
            f"{''.join(said)}{say(number, x + width, y + SIZE, 'end quiet')}"
            f'<g class="graph" transform="translate({left:.2f} {y + HEAD:.2f}) scale({shrink:.4f})">'
            f"{self.stills.thumbnail(step)}</g>"
        )

    def _words(self, steps: Sequence[int]) -> tuple[str, str]:
        """What the sheet is, and what each of its pictures says."""
        told = (f"Step {step}: {self.stills.headline(step)}" for step in steps)
        title = f"{len(steps)} of {self.stills.steps} steps"
        return escape(title), escape(clean(". ".join(told)))


def wrapped(text: str, room: float, size: float = SIZE, most: int = LINES) -> list[str]:
    """The lines of a headline; what is too long for `most` of them ends in an ellipsis."""
    words, lines = clean(text).split(" "), [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size, bold=True) <= room or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] = longer
    return [fit(line, room, size, bold=True) for line in lines]
