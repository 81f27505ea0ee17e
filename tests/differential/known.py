"""Where the engine is known to differ from PyTorch: the table "Known deviations" of ARCHITECTURE.md, as predicates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.differential.compare import Difference


@dataclass(frozen=True)
class Deviation:
    """A difference that is meant: its `reason`, what it `covers`, and a `program` that shows it."""

    reason: str
    covers: Callable[[Difference], bool]
    program: str


def aspect(*names: str) -> Callable[[Difference], bool]:
    """Whatever differs in one of these aspects alone."""
    return lambda difference: difference.aspect in names


def counted_gradient(difference: Difference) -> bool:
    """The version of what `autograd.grad` returned."""
    return difference.aspect == "version" and re.search(r"\bgrad\(|\.grad\b", difference.made) is not None


def seeded(difference: Difference) -> bool:
    """A gradient to start with that requires grad itself is seen without that by hooks."""
    told = f"{difference.ours} {difference.theirs}"
    return difference.aspect == "logs" and told.count("True") != told.count("False") and "ackward(" in difference.line


KNOWN: list[Deviation] = [
    Deviation(
        "a gradient that reached a leaf unchanged is copied, and counts no write",
        aspect("grad.version"),
        "a = torch.ones(2, requires_grad=True)\na.backward(a)",
    ),
    Deviation(
        "a gradient counts no writes from before it was returned",
        counted_gradient,
        "a = torch.ones(2, requires_grad=True)\nb = a * a\nc, = torch.autograd.grad(b.sum(), a)",
    ),
    Deviation(
        "memory layout is numpy's",
        aspect("layout", "grad.layout"),
        "a = torch.ones(2, 3).t()\nb = a.clone()",
    ),
]


def excused(difference: Difference) -> Deviation | None:
    """The deviation that a difference is a case of, if it is."""
    return next((known for known in KNOWN if known.covers(difference)), None)
