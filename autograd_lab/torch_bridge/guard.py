"""What torch calls while the program runs, in threads that the recording is of."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import get_ident
from typing import Any

from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.underway import Underway


class Guard:
    """Knows the thread that is recorded; a pass may lead from there to others."""

    def __init__(self, look: Look, underway: Underway, due: Due) -> None:
        self._look, self._underway, self._due = look, underway, due
        self._thread = get_ident()

    def is_in_thread(self) -> bool:
        """Whether this runs in the thread that is recorded."""
        return get_ident() == self._thread

    def looking(self, method: Callable[..., None]) -> Callable[..., None]:
        """Have a method look without being seen, once what has run before is told of; a look never gives an error."""

        @functools.wraps(method)
        def look(*args: Any) -> None:
            if not self._look.busy and (self._underway or self.is_in_thread()):
                with self._look:
                    self._due.settle()
                    method(*args)

        return look
