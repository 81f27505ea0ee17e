"""A learner's code that never ends: it is stopped after so many of its own steps, so that no notebook hangs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class NeverEnds(BaseException):
    """Code has run for too many steps. No `except Exception` of that code or of a judge keeps it going."""


@contextmanager
def patience(file: str, steps: int) -> Iterator[None]:
    """Run what follows, and stop it by NeverEnds once `steps` lines and bytecodes of `file` have run.

    Python 3.11 begins no new line in a loop that has but one, as below; 3.12 tells of no bytecode there.

    >>> try:
    ...     with patience("<endless>", 1000):
    ...         exec(compile("while True: pass", "<endless>", "exec"))
    ... except NeverEnds:
    ...     print("stopped")
    stopped
    """
    left, before = steps, sys.gettrace()

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != file:
            return None
        frame.f_trace_opcodes = True
        left -= event in ("line", "opcode")
        if left < 0:
            raise NeverEnds
        return count

    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)
