"""What the user's code does while it is captured: which functions begin to run, and what they call that is not seen.

Python's profile function hears of each call before it is made. So a call that a replay would leave out, as of `print`,
stops the capture before anything has happened.
"""

from __future__ import annotations

import gc
import linecache
import math
import operator
import os
import sys
import types
from typing import Any

from autograd_lab.compiler.capture.reach import Reach
from autograd_lab.compiler.capture.symbol import Unsupported
from autograd_lab.compiler.capture.tape import is_program
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.modes.inference import is_inference_mode_enabled
from autograd_lab.whose import PACKAGE, STANDARD_LIBRARY

PURE = {
    abs, all, any, callable, chr, divmod, format, getattr, hasattr, hash, is_grad_enabled, is_inference_mode_enabled,
    isinstance, issubclass, iter, len, max, min, next, ord, pow, repr, round, sorted, sum, vars,
}  # fmt: skip
"""Built-in functions whose results depend on nothing but their arguments."""
PURE_MODULES = {math.__name__, operator.__name__, "_operator", "itertools", "_functools", "numpy", "_collections"}
PURE_FILES = (
    "abc.py",
    "collections",
    "contextlib.py",
    "copy.py",
    "dataclasses.py",
    "enum.py",
    "functools.py",
    "typing.py",
)
"""Parts of the standard library, in Python, that leave nothing behind."""
BUILT_IN = (str, bytes, list, tuple, dict, set, frozenset, range)


class Frames:
    """The profile function of a capture."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._before: tuple[Any, bool] = None, False

    def __enter__(self) -> Frames:
        self._before = sys.getprofile(), gc.isenabled()
        gc.disable()  # what it calls would be taken for a part of the function
        sys.setprofile(self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        profile, collects = self._before
        sys.setprofile(profile)
        if collects:
            gc.enable()

    def _heard(self, frame: types.FrameType, event: str, called: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call":
            if file.startswith(STANDARD_LIBRARY) and "site-packages" not in file:
                self._library(frame, file)
            elif not file.startswith(os.path.join(PACKAGE, "compiler")):
                self.reach.enter(frame, is_program(file))
        elif event == "c_call" and is_program(file) and not _leaves_nothing(called):
            line = f"line {frame.f_lineno}"
            raise Unsupported(f"{line} calls `{_named(called)}`, which a replay of the captured graph would leave out")

    def _library(self, frame: types.FrameType, file: str) -> None:
        asks = frame.f_back
        known = file.removeprefix(STANDARD_LIBRARY).startswith(PURE_FILES)
        if asks is not None and is_program(asks.f_code.co_filename) and not known:
            line = f"line {asks.f_lineno}"
            raise Unsupported(
                f"{line} calls `{frame.f_code.co_qualname}`, which a replay of the captured graph would leave out"
            )


def with_line(refusal: Unsupported) -> str:
    """What a refusal says, with the line of the user's program where it arose; without, where none is known.

    The first line of a function is none: what can be reached from a function is looked at when it begins.
    """
    line, trace = "", refusal.__traceback__
    while trace is not None:
        code, number = trace.tb_frame.f_code, trace.tb_lineno
        if is_program(code.co_filename) and (number != code.co_firstlineno or code.co_name == "<lambda>"):
            text = linecache.getline(code.co_filename, number).strip()
            line = f" (line {number}{text and f': `{text}`'})"
        trace = trace.tb_next
    return f"{refusal}" if str(refusal).startswith("line ") else f"{refusal}{line}"


def _leaves_nothing(called: Any) -> bool:
    """Whether a built-in function, or a method of a built-in type, does nothing but to return something.

    A change of a list or dict is seen by whoever knows what was in it before.
    """
    owner = getattr(called, "__self__", None)
    if isinstance(owner, types.ModuleType) or owner is None:
        module = str(getattr(called, "__module__", None) or getattr(owner, "__name__", ""))
        return called in PURE or module.partition(".")[0] in PURE_MODULES
    return type(owner) in BUILT_IN or any(owner is one for one in BUILT_IN)


def _named(called: Any) -> str:
    return str(getattr(called, "__qualname__", called))
