"""What is not known is drawn as unknown: a mistake in one small answer never loses the rest of a picture.

Views are made of such answers: how a part looks, what it holds, what a step did. Each kind is given in one place, and
what stands there for an answer that fails is said beside it, by `or_else`.
"""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

STRICT = bool(os.environ.get("AUTOGRAD_LAB_STRICT"))
"""Whether a mistake in a view is an error; so in tests."""


def or_else(unknown: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Have a function answer `unknown`, with a warning, where it would raise an error.

    >>> @or_else("?")
    ... def half(number):
    ...     return str(number / 2)
    >>> half(3)
    '1.5'
    """

    def careful(answer: Callable[P, T]) -> Callable[P, T]:
        @wraps(answer)
        def answered(*about: P.args, **more: P.kwargs) -> T:
            try:
                return answer(*about, **more)
            except Exception as error:
                if STRICT:
                    raise
                _warn(error)
                return cast("T", unknown)

        return answered

    return careful


def _warn(error: Exception) -> None:
    """Tell of a mistake, each in one place once."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}, line {place.lineno}"
    told = f"something is shown as unknown, for autograd_lab has made a mistake: {type(error).__name__} in {where}"
    warnings.warn(told, RuntimeWarning, stacklevel=3)
