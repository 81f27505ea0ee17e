"""What an error says beside PyTorch's own message: names, lines, and what to write instead.

Nothing here is imported before an error is raised.
"""

from __future__ import annotations

from typing import Any


def is_tensor(thing: Any) -> bool:
    """Whether a thing is a tensor. Its class is asked, so that none of the user's code runs."""
    return hasattr(type(thing), "_array")
