"""How large gradients are drawn: the width of a line, and the ranges that tiles of one kind share.

All are known before the first step, so that no width and no colour ever jumps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from autograd_lab.events import Value
from autograd_lab.view.kit.reading import matrix_of, norm_of

THINNEST = 1.5
"""Width of a line that carries 0 or next to nothing, px."""
PROPORTIONAL = 100.0
"""Up to this ratio of the largest to the smallest gradient, widths are proportional; beyond, logarithmic."""
DECADES = 8


@dataclass(frozen=True, slots=True)
class Widths:
    """Width of a line that carries a gradient: proportional to its magnitude, or to its logarithm."""

    largest: float = 0.0
    smallest: float = 0.0
    most: float = 14.0

    @property
    def is_log(self) -> bool:
        """Whether widths are logarithmic."""
        return self.smallest > 0 and self.largest / self.smallest > PROPORTIONAL

    def of(self, magnitude: float | None) -> float:
        """The width for a gradient of this magnitude, px.

        >>> Widths(10.0, 1.0).of(5.0), Widths(1.0, 1e-6).of(1e-3), Widths(1.0, 1e-6).of(0.0)
        (7.0, 7.75, 1.5)
        """
        if not magnitude or not math.isfinite(magnitude) or not self.largest:
            return THINNEST
        if not self.is_log:
            return max(THINNEST, self.most * magnitude / self.largest)
        decades = min(DECADES, math.ceil(math.log10(self.largest / self.smallest) - 1e-9))
        share = 1 - math.log10(self.largest / magnitude) / decades
        return THINNEST + (self.most - THINNEST) * max(0.0, min(1.0, share))

    def of_value(self, value: Value) -> float:
        """The width for a gradient, px."""
        return self.of(norm_of(value))


def range_of(values: Iterable[Value]) -> float:
    """The largest magnitude in any of some values' tiles; 1 if there is none."""
    found = [
        abs(float(number))
        for value in values
        for row in matrix_of(value)[0]
        for number in row
        if number is not None and math.isfinite(number)
    ]
    return max(found, default=0.0) or 1.0
