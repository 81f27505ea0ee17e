"""A learner's code that never ends: it is stopped after so many of its own lines, so that no notebook hangs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class NeverEnds(BaseException):
    """Code has run for too many lines. No `except Exception` of that code or of a judge keeps it going."""


@contextmanager
def patience(file: str, lines: int) -> Iterator[None]:
    """Run what follows, and stop it by NeverEnds once `lines` lines of `file` have run.

    >>> try:
    ...     with patience("<endless>", 1000):
    ...         exec(compile("while True: pass", "<endless>", "exec"))
    ... except NeverEnds:
    ...     print("stopped")
    stopped
    """
    left, before = lines, sys.gettrace()

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != file:
            return None
        left -= event == "line"
        if left < 0:
            raise NeverEnds
        return count

    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)
