"""To look at torch's things without being seen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from autograd_lab.recording import recorder
from autograd_lab.torch_bridge.internals import no_dispatch, no_functions

LOST = "what PyTorch did from here on"


class Looking(threading.local):
    """How many looks are being taken in this thread, by any recorder; what they do goes unseen by all."""

    depth = 0


looking = Looking()


class Look:
    """Has a recorder look without being seen: `with look: ...`; what torch does while it is `busy` is not told.

    A mistake in that ends the recording of torch, never the program: `failed` hears of it.
    """

    def __init__(self, failed: Callable[[BaseException, str], None]) -> None:
        self._failed, self._outer = failed, list[tuple[bool, Any, Any]]()
        self.busy = False
        self.lock = threading.RLock()
        """Held while anybody looks: nodes on other devices run in threads of the engine's."""

    def __enter__(self) -> None:
        self.lock.acquire()
        functions, ops = no_functions(), no_dispatch()  # also by the program's own modes
        functions.__enter__()
        ops.__enter__()
        self._outer.append((self.busy, functions, ops))
        self.busy = True
        looking.depth += 1

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        self.busy, functions, ops = self._outer.pop()
        looking.depth -= 1
        ops.__exit__(None, None, None)
        functions.__exit__(None, None, None)
        self.lock.release()
        if not isinstance(error, Exception) or recorder.STRICT:
            return False
        self.mistaken(error)
        return True

    def mistaken(self, error: Exception) -> None:
        """Look no more, since this went wrong. Raises it again if mistakes are to be errors."""
        if recorder.STRICT:
            raise error
        self._failed(error, LOST)
        self.busy = True
        self._outer[:] = [(True, *unseen) for _, *unseen in self._outer]
