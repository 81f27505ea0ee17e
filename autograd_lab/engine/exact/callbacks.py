"""Functions of the user's that are called once the backward pass which runs is through."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from autograd_lab.engine.core import hooks


class _Waiting(threading.local):
    """What waits in this thread, each with its pass: those of inner passes come last."""

    def __init__(self) -> None:
        self.callbacks: list[tuple[hooks.Pass, Callable[[], Any]]] = []


waiting = _Waiting()


def queue_callback(callback: Callable[[], Any]) -> None:
    """Have a function called at the end of the pass that runs. Raises RuntimeError if none does."""
    now = hooks.current.get()
    if now is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    waiting.callbacks.append((now, callback))


def finish(already: int) -> None:
    """Call all but those that waited `already` before the pass began, in order; they may queue others."""
    at = already
    try:
        while at < len(waiting.callbacks):
            now, callback = waiting.callbacks[at]
            at += 1
            outer = hooks.current.set(now)
            try:
                callback()
            finally:
                hooks.current.reset(outer)
    finally:
        del waiting.callbacks[already:]
