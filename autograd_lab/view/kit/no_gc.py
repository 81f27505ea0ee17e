"""The collector of cycles, kept waiting while a picture is made.

A picture makes many objects and no cycles; the collector would look at all of them, and at the whole trace, again and
again: half of the time that a picture of a thousand steps takes.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def undisturbed(make: Callable[P, T]) -> Callable[P, T]:
    """The same function, during which no cycles are collected."""

    @wraps(make)
    def made(*args: P.args, **options: P.kwargs) -> T:
        if not gc.isenabled():
            return make(*args, **options)
        gc.disable()
        try:
            return make(*args, **options)
        finally:
            gc.enable()

    return made
