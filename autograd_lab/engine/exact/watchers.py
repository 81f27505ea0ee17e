"""Those few who watch all nodes as they are recorded: saved-tensor hooks, anomaly mode.

Nobody pays for them but who uses them: the engine asks one question, `if seams.on_recorded is not None`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from autograd_lab.engine.core import seams
from autograd_lab.engine.core.node import Node

Watcher = Callable[[Node], None]

_watchers: list[Watcher] = []
_lock = Lock()


def watch(watcher: Watcher) -> None:
    """Have `watcher(node)` called for each node, in all threads, until `unwatch` was called as often as this."""
    with _lock:
        _watchers.append(watcher)
        _choose()


def unwatch(watcher: Watcher) -> None:
    """Undo one `watch`."""
    with _lock:
        _watchers.remove(watcher)
        _choose()


def _choose() -> None:
    wanted = tuple(dict.fromkeys(_watchers))
    seams.on_recorded = None if not wanted else wanted[0] if len(wanted) == 1 else _all(wanted)


def _all(watchers: tuple[Any, ...]) -> Watcher:
    def tell(node: Node) -> None:
        for watcher in watchers:
            watcher(node)

    return tell
