"""Numbers that have a name."""

from __future__ import annotations

import math

__all__ = ["e", "inf", "nan", "newaxis", "pi"]

e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
newaxis = None
