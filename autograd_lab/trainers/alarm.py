"""Numbers that become NaN or infinite in an iteration that is not recorded."""

from __future__ import annotations

import math

from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.numbers import not_finite


class Alarm:
    """Is raised by the first number that is not finite; then the iteration that follows is to be recorded, once."""

    def __init__(self) -> None:
        self.is_raised = self._is_over = False
        self._fine = self._latest = 0
        self._at, self._what = 0, ""

    def look(self, iteration: int, what: str, number: float, is_recorded: bool = False) -> None:
        """Look at a number of an iteration; what is wrong in one that is recorded is told by whoever shows it."""
        if self._at or self._is_over or (is_recorded and not math.isfinite(number)):
            return
        if iteration != self._latest:  # all that was looked at before was finite
            self._fine, self._latest = self._latest, iteration
        if not math.isfinite(number):
            self._at, self._what, self.is_raised = iteration, f"{what} is {_named(number)}", True

    def silence(self) -> None:
        """Raise no more."""
        self.is_raised, self._is_over = False, True

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is known if it was raised: in which iterations it began, and how one gets to see them."""
        if not self._at:
            return ()
        first, last = self._fine + 1, self._at
        since = f"iteration {last:,}" if first == last else f"one of the iterations {first:,} to {last:,}"
        found = Finding(
            kind=not_finite.KIND,
            severity=WARNING,
            sentence=f"{self._what} since {since}.",
            cause=(Place(words="that iteration was not recorded"),),
            remedy=f"To see where it began, run it again with `iterations=range({first}, {last + 1})`.",
        )
        return (found,)


def _named(number: float) -> str:
    return "NaN" if math.isnan(number) else "infinite"
