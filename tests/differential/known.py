"""Where the engine is known to differ from PyTorch: the table "Known deviations" of ARCHITECTURE.md, as predicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.differential.compare import Difference


@dataclass(frozen=True)
class Deviation:
    """A difference that is meant, with its `reason`, what it `covers` and a `program` that shows it."""

    reason: str
    covers: Callable[[Difference], bool]
    program: str


def aspect(name: str) -> Callable[[Difference], bool]:
    """Whatever differs in one aspect alone."""
    return lambda difference: difference.aspect == name


KNOWN: list[Deviation] = [
    Deviation(
        "a gradient that reached a leaf unchanged is copied, and counts no write",
        aspect("grad.version"),
        "a = torch.ones(2, requires_grad=True)\na.backward(a)",
    ),
]


def excused(difference: Difference) -> Deviation | None:
    """The deviation that a difference is a case of, if it is."""
    return next((known for known in KNOWN if known.covers(difference)), None)
