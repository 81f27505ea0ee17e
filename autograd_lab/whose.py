"""Whose code is running: the user's, an engine's, or Python's; and where the user's program is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
EXAMPLES = os.path.join(PACKAGE, "examples") + os.sep


class Files(dict[str, Any]):
    """Whether a file, by its `co_filename`, is other code than an engine's own; as far as has been asked.

    Of a file of `passes` it is the function that is there.
    """

    def __missing__(self, name: str) -> Any:
        self[name] = found = passes.get(name) or is_users(name)
        return found


Place = tuple[CodeType, int]
"""A place in the user's program: its code, and the offset of the instruction there."""
is_the_users = Files()
passes: dict[str, Callable[[], Place | None]] = {}
"""Files of an engine whose frames run for a place in the program that a function tells, None if for no other one."""
_engines = [PACKAGE]
_begins: dict[str, int] = {}
"""In files that hold an engine and a program: the line where the program begins."""


def users_level() -> int:
    """The `stacklevel` at which a warning points at the line that called this engine, from wherever it is given."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and not is_the_users[frame.f_code.co_filename]:
        level, frame = level + 1, frame.f_back
    return level


def not_the_users(folder: str) -> None:
    """Take all files below a folder, wherever that is, for an engine's own code from now on; separators end it."""
    if folder not in _engines:
        _engines.append(folder)
        is_the_users.clear()


def program_begins_here() -> None:
    """What stands above this line in its file is an engine's own code from now on, and below it the user's program."""
    frame = sys._getframe(1)
    _begins[frame.f_code.co_filename] = frame.f_lineno


def is_users(file: str) -> bool:
    """Whether a file is the user's: neither an engine's own code nor Python's; examples count as the user's."""
    if is_engines(file):
        return file.startswith(EXAMPLES)
    installed = "site-packages" in file or "dist-packages" in file
    return installed or not file.startswith((STANDARD_LIBRARY, "<frozen "))


def is_engines(file: str) -> bool:
    """Whether a file is an engine's own code, or of what is no more the user's than that."""
    return any(folder in file for folder in _engines)


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame at or above `frame` that is the user's code."""
    while frame is not None:
        if is_the_users[frame.f_code.co_filename] is True and (not _begins or _is_below(frame)):
            return frame
        frame = frame.f_back
    return None


Way = tuple[str, list[int]]
"""How the user's program came to a frame: into what file, and by which instructions of the frames on the way."""


def way_to(deepest: FrameType | None) -> tuple[FrameType | None, Way]:
    """The frame that `users_frame` finds, and the way from there."""
    instructions: list[int] = []
    frame = deepest
    while frame is not None:
        if is_the_users[frame.f_code.co_filename] is True and (not _begins or _is_below(frame)):
            break
        instructions.append(frame.f_lasti)
        deepest, frame = frame, frame.f_back
    instructions.reverse()
    return frame, ("" if deepest is None else deepest.f_code.co_filename, instructions)


def _is_below(frame: FrameType) -> bool:
    """Whether a frame is below the engine that its file may hold."""
    name = frame.f_code.co_filename
    return name not in _begins or (frame.f_lineno or 0) > _begins[name]


def place_of(frame: FrameType) -> Place:
    """Where the user's program is while a frame runs, found no farther up than it takes."""
    above: FrameType | None = frame
    while above is not None:
        code = above.f_code
        if users := is_the_users[code.co_filename]:
            if users is True and (not _begins or _is_below(above)):
                return code, above.f_lasti
            if users is not True and (known := users()) is not None:
                return known
        above = above.f_back
    return frame.f_code, frame.f_lasti


def place(above: int = 0) -> Place:
    """Where the user's program is now.

    As many frames `above` the caller's are known to be the engine's own, and are not asked.
    """
    return place_of(sys._getframe(1 + above))


def place_in_package(error: BaseException) -> str:
    """Where in this package an error arose, for whoever reports it."""
    trace, place = error.__traceback__, "in an unknown place"
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(PACKAGE):
            place = f"{os.path.relpath(file, PACKAGE).replace(os.sep, '/')}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
