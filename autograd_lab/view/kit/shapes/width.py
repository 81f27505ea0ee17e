"""How wide the line of a gradient is: one rule for a whole pass, known before its first step, so no width jumps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

LEAST, MOST = 1.5, 14.0
"""Of an exact 0, and of the largest; px."""
IN_PROPORTION = 100
"""Up to this ratio of the largest to the smallest widths are proportional: where lines meet, they add up."""
DECADES = 8


@dataclass(frozen=True, slots=True)
class Widths:
    """The rule of one pass: by its largest number (or norm of an array) and its smallest that is not 0.

    The widest line has `most` px.
    """

    largest: float
    smallest: float
    most: float = MOST

    @property
    def is_logarithmic(self) -> bool:
        """Whether a width is that of the number's logarithm."""
        return self.largest / IN_PROPORTION > self.smallest

    @property
    def said(self) -> str:
        """What the legend says of it."""
        return "width = log |∂|" if self.is_logarithmic else "width = |∂|"

    def __call__(self, number: float) -> float:
        """The width for a gradient, or the norm of one, px; what is not finite is as wide as can be."""
        if number == 0 or self.largest == 0:
            return LEAST
        size = abs(number) / self.largest
        if not size < 1:  # NaN is not
            return self.most
        if not self.is_logarithmic:
            return max(LEAST, self.most * size)
        decades = min(DECADES, math.ceil(math.log10(self.largest) - math.log10(self.smallest) - 1e-9))
        return LEAST + (self.most - LEAST) * max(0.0, 1 + (math.log10(size) if size else -math.inf) / decades)


def widths(numbers: Iterable[float]) -> Widths:
    """The rule for these gradients.

    >>> rule = widths([4.0, -5.0, 1.0])
    >>> rule(5.0), rule(-1.0), rule(0.0), rule.said
    (14.0, 2.8000000000000003, 1.5, 'width = |∂|')
    >>> widths([1.0, 1e-6])(1e-3)
    7.75
    """
    sizes = [abs(number) for number in numbers if math.isfinite(number) and number != 0]
    return Widths(max(sizes), min(sizes)) if sizes else Widths(0.0, 0.0)
