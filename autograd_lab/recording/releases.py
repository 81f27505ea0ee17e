"""Nodes that Python lets go of: the part of a recorder that takes that down."""

from __future__ import annotations

from autograd_lab import events
from autograd_lab.recording.tape import Note, Tape
from autograd_lab.recording.whereabouts import Whereabouts


class Releases:
    """Hears of nodes that are gone."""

    def __init__(self, tape: Tape, whereabouts: Whereabouts) -> None:
        self._tape, self._here = tape, whereabouts.now
        tape.ids.released = self.released

    def released(self, node: str) -> None:
        """Nodes that go one after the other, with nothing between, go together; who was never told of goes untold."""
        tape = self._tape
        if node not in tape.ids.introduced and node not in tape.ids.ends:
            return
        last = tape.raw[-1] if tape.raw else (None,)
        if last[0] is events.GraphReleased.kind:
            last[2].append(node)
        else:
            tape.push((events.GraphReleased.kind, self._here()[0].number, [node]))

    def since(self, told: int) -> list[Note]:
        """What was told last of nodes that are gone, taken back for now: it comes of what is still to be told."""
        late: list[Note] = []
        while len(self._tape.raw) > told and self._tape.raw[-1][0] == events.GraphReleased.kind:
            late.insert(0, self._tape.raw.pop())
        return late
