"""Functions that do several ops, of which only some give what they return; whoever listens is told of both ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from autograd_lab import listening

P = ParamSpec("P")
T = TypeVar("T")


def composed(function: Callable[P, T]) -> Callable[P, T]:
    """Have a recorder know that what a function returns is what a call of it means, and nothing else that it makes."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        active = listening.active
        if active is None:
            return function(*args, **kwargs)
        result = None
        active.call_begins()
        try:
            result = function(*args, **kwargs)
        finally:
            active.call_ends(result)
        return result

    return call
