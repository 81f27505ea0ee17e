"""Milestones of a program: ends of backward passes and steps of optimizers, told also when nobody records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Listener = Callable[[str, Any], None]
listeners: list[Listener] = []
"""Who hears of "backward" with its tensors, and of "step" with the optimizer."""


def passed(what: str, by: Any) -> None:
    """Tell of a milestone."""
    for listener in tuple(listeners):
        listener(what, by)
