"""Warnings that an engine raises in files of this package are shown at the line of the user's program instead."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from autograd_lab.whose import EXAMPLES, PACKAGE, users_frame


class Rewritten:
    """Stands in the place of `warnings.showwarning` while a recording listens."""

    def __init__(self) -> None:
        self._before: Any = None

    def start(self) -> None:
        """Show warnings at the user's lines from now on."""
        self._before, warnings.showwarning = warnings.showwarning, self._show

    def stop(self) -> None:
        """Show them as before, unless somebody else has taken the place meanwhile."""
        if warnings.showwarning == self._show:
            warnings.showwarning = self._before

    def _show(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None
    ) -> None:
        frame = users_frame(sys._getframe(1)) if filename.startswith(PACKAGE) else None
        if frame is not None and not filename.startswith(EXAMPLES):
            filename, lineno, line = frame.f_code.co_filename, frame.f_lineno or lineno, None
        self._before(message, category, filename, lineno, file, line)
