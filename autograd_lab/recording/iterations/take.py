"""A take: the recording of one iteration, with an end that may come before the recording's."""

from __future__ import annotations

from types import FrameType
from typing import Any

from autograd_lab import events as e
from autograd_lab.recording.iterations.boundary import with_what_it_needs
from autograd_lab.recording.iterations.turns import Place, comes_round, loops_around, place_of
from autograd_lab.recording.recording import Recording
from autograd_lab.trace import Trace


class Take:
    """A recording of iteration `number`, of whose events only those up to its end are shown."""

    def __init__(self, recording: Recording, number: int, outside: int) -> None:
        self.recording, self.number, self._outside = recording, number, outside
        self._begin = 0
        self._end: int | None = None
        self._before: Place = ()
        self._turn: Place | None = None

    def open(self, turn: Place = ()) -> None:
        """Record from now on. What the turn that is ending still does is shown only if the iteration needs it."""
        self._before = turn
        self.recording.recorder.before_each(self._notice if turn else None)
        self.recording.start()

    def close(self, error: BaseException | None = None) -> None:
        """Record no more."""
        self.recording.recorder.before_each(None)
        self.recording.stop(error)

    def end(self, turn: Place | None) -> None:
        """The iteration ends here or, if a turn is given, when that turn of its loop is over."""
        self._end, self._turn = self.recording.trace.told if turn is None else None, turn
        self.recording.recorder.before_each(None if turn is None else self._notice)

    @property
    def has_ops(self) -> bool:
        """Whether the program has computed anything in it."""
        return any(isinstance(event, e.OpApplied) for event in self.recording.trace.events[self._begin :])

    def leaves(self) -> list[Any]:
        """The leaves that gradients went to."""
        return self.recording.recorder.leaves()

    def trace(self) -> Trace:
        """The events up to the end, without gradients being cleared for the iteration that follows."""
        trace = self.recording.trace
        rest = trace.events[self._begin : self._end]
        events = with_what_it_needs(rest, trace.events[: self._begin])
        grads = {event.grad for event in events if isinstance(event, e.GradAccumulated)}
        while events and self._turn is not None and _prepares(events[-1], grads):
            events.pop()
        part = Trace(events, trace.files, trace.engine)
        part.notes = trace.notes
        return part

    def _notice(self, frame: FrameType | None) -> None:
        """Something is about to be told; if the turn is over by now, it is no part of the iteration."""
        turn = self._turn or self._before
        if is_over(turn, place_of(frame, self._outside)):
            self.recording.recorder.before_each(None)
            if self._turn is not None:
                self._end = self.recording.trace.told
            else:
                self._begin = self.recording.trace.told


def _prepares(event: Any, grads: set[str]) -> bool:
    """Whether an event makes ready for the next iteration."""
    match event:
        case e.GradModeChanged() | e.GraphReleased() | e.GradAssigned(value=None):
            return True
        case e.TensorModified(tensor=tensor):
            return tensor in grads
    return False


def is_over(turn: Place, now: Place) -> bool:
    """Whether a turn is over that came by `turn`: its loop has come round, or the program has left it."""
    if now == turn:  # what the pass leaves behind is let go of
        return False
    loops = [depth for depth, (_, code, at) in enumerate(turn) if loops_around(code, at)]
    if not loops:
        return comes_round(turn, now)
    depth = loops[-1]
    if now[:depth] != turn[:depth] or len(now) <= depth or now[depth][0] != turn[depth][0]:
        return True
    (_, code, at), (_, _, later) = turn[depth], now[depth]
    if at == later:
        return comes_round(turn[depth:], now[depth:])
    return not at <= later <= loops_around(code, at)[-1][1]
