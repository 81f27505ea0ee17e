"""Where the program is when something is to be told, once all is told that was due before."""

from __future__ import annotations

import sys
from types import FrameType

from autograd_lab.recording.new_parts import NewParts
from autograd_lab.recording.results import Results
from autograd_lab.recording.source import NOWHERE, Site
from autograd_lab.recording.tape import Tape


class Whereabouts:
    """Finds the place; `begun` has those of the passes that run in threads to which no frame of the program's leads."""

    def __init__(self, tape: Tape, new_parts: NewParts, results: Results) -> None:
        self._tape, self._new_parts, self._results = tape, new_parts, results
        self.begun: list[tuple[Site, FrameType | None]] = []

    def now(self) -> tuple[Site, FrameType | None]:
        """The place in the program that the caller of this was called at, and its frame."""
        site, frame = self.at(sys._getframe(2))
        return self.begun[-1] if self.begun and site is NOWHERE else (site, frame)

    def at(self, deepest: FrameType | None) -> tuple[Site, FrameType | None]:
        """The place at or above a frame, and its frame."""
        if self._new_parts.waiting:
            self._new_parts.tell()
        site, frame = self._tape.sites.here(deepest)
        if frame is not None and id(frame.f_code) in self._results.awaited:
            self._results.look_at_names(frame)
        return site, frame
