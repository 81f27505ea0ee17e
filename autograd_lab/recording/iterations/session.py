"""A run of which only some iterations are recorded.

The whole run is recorded until a loop has shown itself, when a second iteration is over; a program without a loop is
recorded to its end. From then on each iteration that is asked for has a recording of its own, which begins with the
last update of the iteration before. Of those that may turn out to be the last, the last one that is over is kept.
Between recordings the program runs as if nobody looked on.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from threading import get_ident
from types import FrameType
from typing import Any

from autograd_lab import listening
from autograd_lab.recording import recorder
from autograd_lab.recording.ids import Numbers
from autograd_lab.recording.iterations.loops import Loops
from autograd_lab.recording.iterations.measures import Measures
from autograd_lab.recording.iterations.take import Take
from autograd_lab.recording.iterations.turns import RECORDED, STEP, Place, Turns, optimized, place_of
from autograd_lab.recording.iterations.wanted import Choice
from autograd_lab.recording.program.variables import name_of
from autograd_lab.recording.recorder import failure_text
from autograd_lab.recording.recording import Recording
from autograd_lab.trace import Trace
from autograd_lab.trace.course import Course
from autograd_lab.whose import users_frame

NEAR = 2
"""So many iterations before the end that is foreseen, each one is recorded."""
AT_FIRST, SHARE = {True: 0.3, False: 2.0}, 0.04
"""Farther from the end, recording may take so many seconds in all, if the end is foreseen and if it is not, and beyond
them that share of the time since the program began. It is what is shown if the program is stopped."""
OFTEN = 20
"""At first at every iteration, and then, while no end can be foreseen, at every one of so many it is asked for."""
SELDOM = 32
"""For so many iterations at most nothing is decided."""
PATIENCE = (2.0, 5.0, 10.0, 20.0, 40.0)
"""After so many seconds it is said how far a program has come, and then each minute."""


class Session:
    """Decides at each milestone what is recorded next. `say` hears how far a long program has come."""

    def __init__(
        self, choice: Choice, names: dict[str, Any], loops: Loops, say: Callable[[str], None], is_script: bool = False
    ) -> None:
        self._choice, self._names, self._loops, self._say = choice, names, loops, say
        self._turns, self._measures, self._pacings = Turns(self._expects_steps), Measures(), ExitStack()
        self._numbers = Numbers()
        self._outside = _around(sys._getframe(1), is_script)
        self._whole: Take | None = Take(Recording(names, self._numbers), 1, self._outside)
        self._take: Take | None = None
        self._over: Take | None = None
        self._kept: list[Take] = []
        self._thread, self._start = get_ident(), time.perf_counter()
        self._last, self._plain, self._spent = self._start, float("inf"), 0.0
        self._leaves: list[weakref.ref[Any]] = []
        self._updated_first: list[Any] = []
        self._failure: Exception | None = None
        self._left: int | None = None
        self._looked_at = self._looks_at = self._idle_until = 0
        self._word, self._words = PATIENCE[0], iter((*PATIENCE[1:], *range(60, 10**7, 60)))
        self.trace = self._whole.recording.trace

    # --- from the first line to the last ---------------------------------------------------------------------------

    def __enter__(self) -> Session:
        listening.listeners.append(self._passed)
        for pacing in listening.pacings:
            self._pacings.enter_context(pacing(self._give_up))
        if self._whole is not None:
            self._whole.open()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self._passed in listening.listeners:
            listening.listeners.remove(self._passed)
        self._pacings.close()
        failed = error is not None and not isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit)
        last = self._take if failed and self._whole is None else None
        if last is not None and (last.has_ops or not self._kept):  # what it was recorded for is the error
            self._kept = [*(self._kept if self._choice.span is not None else ()), last]
        for take in (self._over, self._take, self._whole):  # what is whole knows most of an error: the last word is its
            if take is not None:
                take.close(error)
        if self._whole is None or self._kept:
            self.trace.become(self._joined(stopped=error is not None and not isinstance(error, SystemExit)))

    def _joined(self, stopped: bool) -> Trace:
        """One trace of the iterations that were kept."""
        parts = [kept.trace() for kept in self._kept]
        files = {name: text for part in parts for name, text in part.files.items()}
        trace = Trace([event for part in parts for event in part], files, parts[-1].engine if parts else "")
        for part in parts:
            for sentence in part.notes:
                trace.note(sentence)
        if self._failure is not None and not trace.is_torn:
            trace.note(f"which iterations followed is not known: {failure_text(self._failure)}")
        trace.course = Course(
            shown=tuple(kept.number for kept in self._kept),
            seen=max(self._turns.over, *(kept.number for kept in self._kept), 0),
            stopped=stopped,
            events=tuple(len(part) for part in parts),
            series=self._measures.series(),
        )
        return trace

    # --- at a milestone ------------------------------------------------------------------------------------------

    def _passed(self, what: str, by: Any) -> None:
        if get_ident() != self._thread or self._is_idle(sys._getframe(2)):
            return
        try:
            self._at(what, by, sys._getframe(2))
        except Exception as error:
            if recorder.STRICT:
                raise
            self._give_up(error)

    def _is_idle(self, frame: FrameType) -> bool:
        """Whether nothing is due at a milestone of an iteration like those before, which is then only counted."""
        if self._turns.begun >= self._idle_until:
            return False
        users = users_frame(frame)
        return users is not None and self._turns.counted(users)

    def _give_up(self, error: Exception) -> None:
        """Ask for no more milestones; what is recorded now goes on to be recorded."""
        if self._passed in listening.listeners:
            listening.listeners.remove(self._passed)
        take, self._failure = self._take or self._whole, error
        if take is not None:
            take.recording.recorder.failed(error, "what the program did from here on")

    def _at(self, what: str, by: Any, frame: FrameType) -> None:
        place = place_of(frame, self._outside)
        if not self._turns.begun:  # what went before, such as imports, does not count
            self._start = time.perf_counter()
        what = self._turns.kind_of(what)
        self._turns.passed(what, place)
        number = self._turns.begun
        if self._measures.wants(number) or (self._take is not None and self._take.number == number):
            self._measure(what, by, number, users_frame(frame))
        if self._over is not None:  # it went on up to here, for what its turn does after its backward pass
            self._over.close()
            self._over = None
        if self._turns.is_over and (what == STEP or (what != RECORDED and not self._turns.has_steps)):
            self._look_ahead(number, frame)
            self._end(number, place, what == STEP)
            self._tell_how_far(number)
            self._idle_until = self._due_after(number)

    def _due_after(self, number: int) -> int:
        """The next iteration after which something has to be decided, or in which something is measured."""
        if self._take is not None or self._over is not None or self._whole is not None:
            return 0
        due = [number + SELDOM, self._measures.due_after(number) - 1]
        if self._left is not None:
            due.append(number + int(self._left * number / max(1, self._turns.turns)) - NEAR - 2)
        if not self._choice.is_last:  # its recording begins when the one before is over
            due.append(self._choice.due_after(number) - 2)
        return min(due)

    def _look_ahead(self, number: int, frame: FrameType) -> None:
        """Ask how much longer the loops will go on, the less often the farther their end is."""
        if number < self._looks_at:
            if self._left is not None:
                self._left = max(0, self._left - round((number - self._looked_at) * self._turns.turns / number))
            self._looked_at = number
            return
        self._looked_at = number
        self._loops.turns = self._turns.turns
        self._left = self._loops.left(frame)
        far = OFTEN if self._left is None else self._left // 4
        self._looks_at = number + (1 if number < OFTEN else max(1, far))

    def _measure(self, what: str, by: Any, number: int, frame: FrameType | None) -> None:
        if what != STEP:
            for root in by if isinstance(by, tuple | list) else (by,):
                self._measures.loss(number, name_of(root, frame) or "loss", root)
            if self._turns.has_steps:
                self._measures.before_step(number, self._updated_first)
                self._updated_first = []
        parameters = self._parameters(what, by)
        self._measures.gradients(number, parameters)
        if (take := self._take or self._whole) is not None:
            for parameter in parameters:
                self._measures.named(parameter, take.recording.recorder.name_given(parameter))

    def _expects_steps(self) -> bool:
        """Whether an optimizer will update what has gradients now."""
        self._updated_first = optimized(self._whole.leaves()) if self._whole is not None else []
        return bool(self._updated_first)

    def _parameters(self, what: str, by: Any) -> list[Any]:
        """What has just been updated or, in a program that updates by itself, what has gradients."""
        if what == STEP:
            return [one for group in getattr(by, "param_groups", ()) for one in group["params"]]
        if self._turns.has_steps:
            return []
        take = self._take or self._whole
        if take is not None:
            self._leaves = [weakref.ref(leaf) for leaf in take.leaves()]
        return [leaf for each in self._leaves if (leaf := each()) is not None]

    def _end(self, number: int, place: Place, is_step: bool) -> None:
        """An iteration is over, it seems; before a loop has shown itself, it may also be in its middle.

        What a turn does after its backward pass, where there is no optimizer, belongs to the iteration, too: it is
        recorded up to the next milestone.
        """
        now, turn = time.perf_counter(), None if is_step else place
        take, self._take = self._take, None
        if self._whole is not None and number == 1:
            self._whole.end(turn)
            self._measures.held(1, self._whole.recording.recorder.bytes_saved())
        if take is None and self._whole is None:
            self._plain = min(self._plain, now - self._last)
        elif take is not None and take.number == number:
            self._spent += max(0.0, now - self._last - (0.0 if self._plain == float("inf") else self._plain))
            self._keep(take, turn)
        elif take is not None:
            take.close()
        if self._wants(number + 1):
            self._take = Take(Recording(self._names, self._numbers), number + 1, self._outside)
            self._take.open(place)
        self._last = time.perf_counter()

    def _keep(self, take: Take, turn: Place | None) -> None:
        """A whole iteration was recorded."""
        take.end(turn)
        self._measures.held(take.number, take.recording.recorder.bytes_saved())
        if turn is None:
            take.close()
        else:
            self._over = take
        if self._whole is not None:
            self._whole.close()
            if self._choice.is_wanted(1):
                self._kept = [self._whole]
            self._whole = None
        if self._choice.is_last:
            self._kept = [take]
        elif self._choice.is_wanted(take.number):
            self._kept.append(take)
        if self._choice.span is None:  # of a span all numbers are in its events
            self._measures.shown = {kept.number for kept in self._kept}

    def _wants(self, number: int) -> bool:
        """Whether the iteration that may follow is to be recorded."""
        if self._whole is not None:
            return True  # it will show whether there is a loop
        if not self._choice.is_last:
            told = sum(kept.recording.trace.told for kept in self._kept) if self._choice.span is not None else 0
            return self._choice.is_wanted(number) and told < self._choice.room
        if self._left is not None and self._left <= NEAR * max(1.0, self._turns.turns / number):
            return self._left > 0
        since = time.perf_counter() - self._start
        return self._spent < AT_FIRST[self._left is not None and not self._loops.may_break] + SHARE * since

    def _tell_how_far(self, number: int) -> None:
        since = time.perf_counter() - self._start
        if since < self._word:
            return
        while self._word <= since:
            self._word = next(self._words)
        known = self._left is not None and not self._loops.may_break and self._turns.turns == number
        of = f" of about {number + (self._left or 0):,}" if known else ""
        self._say(f"iteration {number:,}{of} after {since:.0f} s; Ctrl-C stops the program and shows what was seen")


def _around(frame: FrameType, is_script: bool) -> int:
    """The id of the innermost frame that is not the program's, but around it: of whoever runs the script or, around a
    block, of what has called its function. A test or a notebook's kernel has loops of its own. It lives as long as the
    session does."""
    users = users_frame(frame)
    outside = users if is_script or users is None else users.f_back
    return 0 if outside is None else id(outside)
