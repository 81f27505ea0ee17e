"""What is found out of a value is found out once: one film asks for the same a hundred times."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from autograd_lab.events import Value

T = TypeVar("T")
MOST = 4096
"""So many answers to each question are kept."""


def per_value(answer: Callable[..., T]) -> Callable[..., T]:
    """Have a function of a value, and of little else, keep its last answers.

    Values hold lists, which have no hash. They are told apart by their places in memory, and kept, so that no other
    value takes such a place.
    """
    known: dict[Any, tuple[Value | None, T]] = {}

    @wraps(answer)
    def remembered(value: Value | None, *more: Any, **named: Any) -> T:
        key = (id(value), *more, *named.values())
        if key not in known:
            if len(known) >= MOST:
                known.clear()
            known[key] = value, answer(value, *more, **named)
        return known[key][1]

    return remembered
