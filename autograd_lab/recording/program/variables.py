"""What the variables of the user's program mean, read without running any of its code."""

from __future__ import annotations

import inspect
import sys
from itertools import compress, repeat
from operator import is_
from types import FrameType
from typing import Any


def locals_of(frame: FrameType) -> Any:
    """The local variables of a frame.

    Before Python 3.13 a function's frame keeps the dict that it shows them in, and so keeps alive what the program has
    deleted since; that dict is emptied, unless the program has it, too, by `locals()`.
    """
    shown = frame.f_locals
    if sys.version_info >= (3, 13) or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return shown
    found = dict(shown)
    if sys.getrefcount(shown) == 3:  # the frame's, the one here, and the one of the question
        shown.clear()
    return found


class Scope:
    """The variables of a frame at one moment, read when the first name is looked up, and only then: it takes as long
    as all else that is done for an operand. It stands in the place of the frame while nothing of the program runs."""

    __slots__ = ("_frame", "_variables", "f_code", "f_globals")

    def __init__(self, frame: FrameType) -> None:
        self._frame, self._variables = frame, None
        self.f_code, self.f_globals = frame.f_code, frame.f_globals

    def variables(self) -> Any:
        """The local variables."""
        if self._variables is None:
            self._variables = locals_of(self._frame)
        return self._variables


Frame = FrameType | Scope
"""Where names are looked up."""


def _variables(frame: Frame) -> Any:
    return frame.variables() if isinstance(frame, Scope) else locals_of(frame)


def look_up(name: str, frame: Frame) -> Any:
    """What a name or dotted path means in `frame`, read without running any of the user's code; None when unknown."""
    first, *rest = name.split(".") if "." in name else (name,)
    variables = _variables(frame)
    found = variables[first] if first in variables else frame.f_globals.get(first)
    for part in rest:
        found = getattr(found, "__dict__", {}).get(part)
    return found


def name_of(thing: Any, frame: Frame | None) -> str | None:
    """A variable of `frame`, or else of its module, that means this very thing."""
    if frame is None:
        return None
    for scope in (_variables(frame), frame.f_globals):
        for name in compress(scope, map(is_, scope.values(), repeat(thing))):  # without a bytecode for each
            return name
    return None


def place_in_modules(thing: Any, frame: Frame | None) -> str | None:
    """Where a thing is a parameter of a module that a variable of `frame` means, such as `model.0.weight`."""
    scopes = () if frame is None else (_variables(frame), frame.f_globals)
    waiting = [(name, value) for scope in scopes for name, value in list(scope.items()) if _is_module(value)]
    seen: set[int] = set()
    for path, module in waiting:
        if id(module) not in seen:
            seen.add(id(module))
            for name, parameter in module.__dict__["_parameters"].items():
                if parameter is thing:
                    return f"{path}.{name}"
            inner = module.__dict__.get("_modules", {}).items()
            waiting += [(f"{path}.{name}", child) for name, child in inner if _is_module(child)]
    return None


def _is_module(thing: Any) -> bool:
    """Whether a thing has parameters, as modules have; nothing of it is run to find out."""
    inside = getattr(thing, "__dict__", None) if not isinstance(thing, type) else None
    return isinstance(inside, dict) and isinstance(inside.get("_parameters"), dict)
