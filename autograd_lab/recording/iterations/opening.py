"""The opening of a run: recorded as a whole from its first line on, until so much is told."""

from __future__ import annotations

from contextlib import ExitStack
from threading import get_ident
from typing import Any

from autograd_lab import listening
from autograd_lab.recording.recording import Recording
from autograd_lab.trace import Trace
from autograd_lab.trace.course import BEGINNING


class Opening:
    """Records until, at the end of a pass or of an optimizer's step, at least `most` events are told.

    From then on the program runs as if nobody looked on. Unless it is `paced`, somebody else has other engines tell of
    their milestones.
    """

    def __init__(self, most: int, names: dict[str, Any] | None = None, paced: bool = True) -> None:
        self._most, self._recording = most, Recording(names)
        self._thread, self._is_over, self._passes = get_ident(), False, 0
        self._pacings, self._is_paced = ExitStack(), paced

    def __enter__(self) -> Trace:
        listening.listeners.append(self._passed)
        for pacing in listening.pacings if self._is_paced else ():
            self._pacings.enter_context(pacing(lambda error: None))
        self._recording.start()
        return self._recording.trace

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._listen_no_more()
        if not self._is_over:
            self._recording.stop(error)

    def _passed(self, what: str, by: Any) -> None:
        if get_ident() != self._thread:
            return
        self._passes += what != "step"
        if self._recording.trace.told >= self._most:
            self._listen_no_more()
            self._is_over = True
            self._recording.stop()
            self._recording.trace.note(f"{BEGINNING} {self._passes:,} backward passes of the run were looked at")

    def _listen_no_more(self) -> None:
        if self._passed in listening.listeners:
            listening.listeners.remove(self._passed)
        self._pacings.close()
