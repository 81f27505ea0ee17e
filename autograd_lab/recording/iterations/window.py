"""The recording of one iteration, with an end that may come before the recording's."""

from __future__ import annotations

from dataclasses import replace
from types import FrameType
from typing import Any

from autograd_lab.events import (
    Event,
    GradAccumulated,
    GradAssigned,
    GradModeChanged,
    GraphReleased,
    RequiresGradChanged,
    TensorModified,
)
from autograd_lab.recording.iterations.turns import Place, comes_round, loops_around, place_of
from autograd_lab.recording.recording import Recording
from autograd_lab.trace import Trace, introduces, mentions


class Window:
    """A recording of iteration `number`, of whose events only those up to its end are shown."""

    def __init__(self, recording: Recording, number: int) -> None:
        self.recording, self.number = recording, number
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

    def leaves(self) -> list[Any]:
        """The leaves that gradients went to."""
        return self.recording.recorder.leaves()

    def trace(self) -> Trace:
        """The events up to the end, without gradients being cleared for the iteration that follows."""
        trace = self.recording.trace
        rest = trace.events[self._begin : self._end]
        events = _without_releases([*_needed(trace.events[: self._begin], rest), *rest])
        grads = {event.grad for event in events if isinstance(event, GradAccumulated)}
        while events and self._turn is not None and _prepares(events[-1], grads):
            events.pop()
        part = Trace(events, trace.files, trace.engine)
        part.notes = trace.notes
        return part

    def _notice(self, frame: FrameType | None) -> None:
        """Something is about to be told; if the turn is over by now, it is no part of the iteration."""
        turn = self._turn or self._before
        if is_over(turn, place_of(frame)):
            self.recording.recorder.before_each(None)
            if self._turn is not None:
                self._end = self.recording.trace.told
            else:
                self._begin = self.recording.trace.told


def _needed(events: list[Event], rest: list[Event]) -> list[Event]:
    """Of what happened at the end of the turn before, all that the rest builds on: its tensors, and changes of them."""
    wanted = _unexplained(rest)
    found: list[Event] = []
    for event in reversed(events):
        clears = isinstance(event, GradAssigned) and event.value is None  # which is how a tensor begins
        changes = isinstance(event, TensorModified | GradAssigned | RequiresGradChanged) and event.tensor in wanted
        if (changes and not clears) or wanted.intersection(introduces(event)):
            wanted.update(_unexplained([event]))
            found.insert(0, event)
    return found


def _unexplained(events: list[Event]) -> set[str]:
    """What events refer to that came before them; to let go of a graph is not to build on it."""
    known: set[str] = set()
    wanted: set[str] = set()
    for event in events:
        known.update(introduces(event))
        if not isinstance(event, GraphReleased):
            wanted.update(name for name in mentions(event) if name not in known)
    return wanted


def _without_releases(events: list[Event]) -> list[Event]:
    """The events, with nothing let go of that is not among them."""
    known = {name for event in events for name in introduces(event)}
    found: list[Event] = []
    for event in events:
        if not isinstance(event, GraphReleased):
            found.append(event)
        elif nodes := tuple([node for node in event.nodes if node in known]):
            found.append(replace(event, nodes=nodes))
    return found


def _prepares(event: Any, grads: set[str]) -> bool:
    """Whether an event makes ready for the next iteration."""
    match event:
        case GradModeChanged() | GraphReleased() | GradAssigned(value=None):
            return True
        case TensorModified(tensor=tensor):
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
