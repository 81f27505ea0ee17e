"""Any other error that ended the program: what it says, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lab.findings.case import Case
from autograd_lab.findings.finding import ERROR, Finding, Place

KIND = "program-raised"
ANOMALY = "returned nan values"
"""What anomaly mode raises at a NaN, whose origin is a finding of its own."""


def find(case: Case, explained: Iterable[int]) -> Iterator[Finding]:
    """The error that came last, if the program went no further and no finding explains it."""
    known = set(explained)
    for step, event in case.errors[-1:]:
        if step not in known and step >= case.steps - 1 and ANOMALY not in event.message:
            words = event.message.strip().partition("\n")[0]
            yield Finding(
                kind=KIND, severity=ERROR, sentence=f"The program stopped by {event.error}: {words}",
                cause=(Place(words="it was raised here", where=event.where),), steps=(step,),
            )  # fmt: skip
