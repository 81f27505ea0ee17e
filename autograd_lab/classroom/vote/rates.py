"""How often one may ask: a bucket that a request takes a drop from, and that fills up again with time."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

MOST_KEPT = 5000


class Rates:
    """`burst` requests at once, then `per_second`, for each of any number of askers."""

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float] = monotonic) -> None:
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, who: str) -> bool:
        """Whether `who` may ask once more now; if so, it is counted."""
        now = self._clock()
        left, then = self._left.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        allowed = left >= 1
        self._left[who] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_KEPT:  # whoever asked longest ago is forgotten
            del self._left[next(iter(self._left))]
        return allowed
