"""Where the program is when something is to be told, once all is told that was due before; nodes that go meanwhile."""

from __future__ import annotations

import sys
from types import FrameType

from autograd_lab import events
from autograd_lab.recording.new_parts import NewParts
from autograd_lab.recording.program.source import Site
from autograd_lab.recording.results import Results
from autograd_lab.recording.tape import Note, Tape
from autograd_lab.whose import users_frame

RELEASED = events.GraphReleased.kind


class Whereabouts:
    """Finds the place; `begun` has those of the passes that run in threads to which no frame of the program's leads."""

    def __init__(self, tape: Tape, new_parts: NewParts, results: Results) -> None:
        self._site_of, self._new_parts, self._results = tape.sites.of, new_parts, results
        self.begun: list[tuple[Site, FrameType | None]] = []

    def now(self) -> tuple[Site, FrameType | None]:
        """The place in the program that the caller of this was called at, and its frame."""
        return self.of(users_frame(sys._getframe(2)))

    def of(self, users: FrameType | None) -> tuple[Site, FrameType | None]:
        """The place of a frame of the program, and that frame; of none, where the pass was begun that is running."""
        if self._new_parts.waiting:
            self._new_parts.tell()
        found = self._site_of(users)
        if users is None:
            return self.begun[-1] if self.begun else (found, None)
        if id(users.f_code) in self._results.awaited:
            self._results.look_at_names(users)
        return found, users


class Releases:
    """Hears of nodes that are gone."""

    def __init__(self, tape: Tape, whereabouts: Whereabouts) -> None:
        self._tape, self._ids, self._here = tape, tape.ids, whereabouts.now

    def released(self, node: str) -> None:
        """Nodes that go one after the other, with nothing between, go together; who was never told of goes untold."""
        tape = self._tape
        if node not in self._ids.introduced and node not in self._ids.ends:
            return
        last = tape.raw[-1] if tape.raw else (None,)
        if last[0] is RELEASED:
            last[2].append(node)
        else:
            tape.push((RELEASED, self._here()[0].number, [node]))

    def since(self, told: int) -> list[Note]:
        """What was told last of nodes that are gone, taken back for now: it comes of what is still to be told."""
        late: list[Note] = []
        while len(self._tape.raw) > told and self._tape.raw[-1][0] == RELEASED:
            late.insert(0, self._tape.raw.pop())
        return late
