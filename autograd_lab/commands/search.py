"""`autograd-lab compare` of training loops: the search for the first iteration that differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from autograd_lab.commands.exits import complain
from autograd_lab.display.script import Run
from autograd_lab.recording.iterations.wanted import Choice
from autograd_lab.trace import Trace
from autograd_lab.trace.course import Course
from autograd_lab.view.compare.both import Earlier
from autograd_lab.view.compare.first_apart import by_number, first_apart, measured_apart
from autograd_lab.view.languages.texts import worded

MOST, ROOM = 200, 40_000
"""So many of the first iterations are recorded, until they have so many events; or of those up to a later one."""
EARLY = Choice(span=(1, MOST), room=ROOM)
Again = Callable[[Choice], list[Run]]
"""Runs both programs once more, for these iterations."""


class Search:
    """The iterations to show of two runs of which the first ones were recorded, and what there is to say of them."""

    def __init__(self, runs: Sequence[Run], titles: tuple[str, str], again: Again) -> None:
        self.runs, self._titles = list(runs), titles
        self.lengths = ""
        """That one of two runs that are the same goes on for longer."""
        self.earlier: Earlier = ([], [])
        """The recorded iterations before the one that is shown."""
        self._number: int | None = None
        self._unseen: tuple[int, int] | None = None
        """From which iteration to which one only numbers were compared."""
        courses = [run.trace.course for run in runs]
        self._courses: list[Course] = [course for course in courses if course is not None]
        self._seen = min((course.seen for course in self._courses), default=0)
        if len(self._courses) == 2:
            self._find(again)
        self.runs = [replace(run, trace=run.trace.iterations()[0]) for run in self.runs]

    def _find(self, again: Again) -> None:
        recorded = min(course.shown[-1] for course in self._courses)
        self._number = self._first_apart()
        one, other = self._courses
        later = measured_apart(one, other, recorded) if self._number is None else None
        if later is not None:
            self._run_again(later, recorded, again)
        elif self._number is None and recorded < self._seen:
            self._unseen = recorded + 1, self._seen
        self._show(self._number)
        if self._number is None and self._courses[0].seen != self._courses[1].seen:
            longer = max((0, 1), key=lambda side: self._courses[side].seen)
            self.lengths = worded(
                "“{}” goes on to iteration {}", self._titles[longer], f"{self._courses[longer].seen:,}"
            )

    def _run_again(self, later: tuple[int, int], recorded: int, again: Again) -> None:
        """Record the iterations up to a later one: since the one that was measured before it, if there is room."""
        same, first = later
        size = max(sum(course.events) // max(1, len(course.events)) for course in self._courses)
        start = max(same + 1, first - min(MOST, ROOM // max(1, size)))
        complain(worded("numbers first differ about iteration {}: both run once more, to record it", f"{first:,}"))
        self.runs = again(Choice(span=(min(start, first - 1), first)))  # the one before it is there in any case
        self._number = self._first_apart()
        if start > recorded + 1:
            self._unseen = recorded + 1, start - 1

    def _first_apart(self) -> int | None:
        one, other = (run.trace for run in self.runs)
        return first_apart(one, other, self._titles)

    def _show(self, number: int | None) -> None:
        """Keep one iteration of each: this one, or the last one that both have."""
        parts = [by_number(run.trace) for run in self.runs]
        shared = parts[0].keys() & parts[1].keys()
        if number is None and shared:
            number = max(shared)
        if number is not None:
            self.earlier = _before(number, parts[0]), _before(number, parts[1])
            self.runs = [replace(run, trace=part[number]) for run, part in zip(self.runs, parts, strict=True)]

    def found(self, parting: str) -> str:
        """Which iteration differs first, and from where on."""
        if self._number is None:
            return parting
        most = max(course.seen for course in self._courses)
        where = worded(
            "first differs in iteration {} of {} (counted from 1): {}", f"{self._number:,}", f"{most:,}", parting
        )
        return f"{where}{self._by_numbers()}"

    def nothing(self) -> str:
        """That nothing differs, and what was compared."""
        if len(self._courses) != 2:
            return worded("nothing differs")
        said = worded("nothing differs in {} iterations", f"{self._seen:,}") + self._by_numbers()
        return f"{said}; {self.lengths}" if self.lengths else said

    def _by_numbers(self) -> str:
        if self._unseen is None:
            return ""
        start, end = (f"{number:,}" for number in self._unseen)
        return worded(" (of iterations {} to {} only losses, gradients and updates were compared)", start, end)


def _before(number: int, parts: dict[int, Trace]) -> list[Trace]:
    return [parts[at] for at in sorted(parts) if at < number]
