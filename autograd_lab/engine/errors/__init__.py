"""What an error says beside PyTorch's own message: names, lines, and what to write instead.

Nothing here is imported before an error is raised.
"""

from __future__ import annotations

from typing import Any, TypeVar

Raised = TypeVar("Raised", bound=BaseException)


def noted(error: Raised, help: str) -> Raised:
    """The error with help as a note: tracebacks show it, and `str(error)` is PyTorch's text to the character."""
    if help:
        error.add_note(help)
    return error


def is_tensor(thing: Any) -> bool:
    """Whether a thing is a tensor. Its class is asked, so that none of the user's code runs."""
    return hasattr(type(thing), "_array")
