"""What an error says beside PyTorch's own message: names, lines, and what to write instead.

Nothing here is imported before an error is raised.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Raised = TypeVar("Raised", bound=BaseException)
STRICT = bool(os.environ.get("AUTOGRAD_LAB_STRICT"))
"""Whether a mistake in what helps is an error; so in tests."""


def noted(error: Raised, help: str) -> Raised:
    """The error with help as a note: tracebacks show it, and `str(error)` is PyTorch's text to the character."""
    if help:
        error.add_note(help)
    return error


def or_no_help(help: Callable[P, str]) -> Callable[P, str]:
    """Have what helps with an error say nothing where it makes a mistake, or has no room: the error itself matters."""

    @wraps(help)
    def careful(*about: P.args, **more: P.kwargs) -> str:
        try:
            return help(*about, **more)
        except Exception:
            if STRICT:
                raise
            return ""

    return careful


def is_tensor(thing: Any) -> bool:
    """Whether a thing is a tensor. Its class is asked, so that none of the user's code runs."""
    return hasattr(type(thing), "_array")
