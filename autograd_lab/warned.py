"""Warnings that an engine raises in files of this package are shown at the line of the user's program instead."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from autograd_lab.whose import EXAMPLES, PACKAGE, users_frame

_now: _Rewritten | None = None
"""What stands in the place of `warnings.showwarning`."""


def rewrite_warnings(wanted: bool) -> None:
    """Show warnings at the user's lines from now on, or as before, unless somebody else has taken the place meanwhile.

    There is one for all recordings: of two, each with its own, the first to end would have left its own behind.
    """
    global _now
    if wanted and _now is None:
        _now = _Rewritten()
        warnings.showwarning = _now
    elif not wanted and _now is not None:
        if warnings.showwarning is _now:
            warnings.showwarning = _now.before
        _now = None


class _Rewritten:
    """Called as `warnings.showwarning` is; what was called before is called with the user's line."""

    def __init__(self) -> None:
        self.before = warnings.showwarning

    def __call__(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None
    ) -> None:
        frame = users_frame(sys._getframe(1)) if filename.startswith(PACKAGE) else None
        if frame is not None and not filename.startswith(EXAMPLES):
            filename, lineno, line = frame.f_code.co_filename, frame.f_lineno or lineno, None
        self.before(message, category, filename, lineno, file, line)
