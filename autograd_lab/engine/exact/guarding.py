"""What looks at each node before it runs: anomaly mode, and tensors that were detached once they had been saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.engine.core import seams

Guard = Callable[[Callable[..., Any]], Callable[..., Any]]

_guards: dict[str, Guard] = {}
OUTERMOST = "anomaly"


def put(name: str, guard: Guard | None) -> None:
    """Have this guard stand around each evaluation of a node; None takes it away."""
    _guards.pop(name, None)
    if guard is not None:
        _guards[name] = guard
    seams.guarded = _all if _guards else None


def _all(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    for name in sorted(_guards, key=OUTERMOST.__eq__):
        evaluate = _guards[name](evaluate)
    return evaluate
