"""Where pickles find the functions of PyTorch: most are made of others, and not what stands where they were written."""

from __future__ import annotations

import sys
from types import FunctionType, SimpleNamespace
from typing import Any


def keep(functions: dict[str, Any], space: str) -> None:
    """Have functions be found here by pickles, as `space.name`, unless they are found where they were written."""
    for name, function in functions.items():
        if name[0] != "_" and isinstance(function, FunctionType) and not is_found(function):
            keep_one(function, space, name)


def is_found(function: FunctionType) -> bool:
    """Whether the function is what its module has under its name."""
    return getattr(sys.modules.get(function.__module__), function.__qualname__, None) is function


def keep_one(function: Any, space: str, name: str) -> None:
    """Have a function be found here, whatever stands where it was written."""
    setattr(globals().setdefault(space, SimpleNamespace()), name, function)
    function.__module__, function.__qualname__ = __name__, f"{space}.{name}"
