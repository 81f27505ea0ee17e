"""Which part of a long run is shown, and why it is that one."""

from __future__ import annotations

from autograd_lab.events import ErrorRaised
from autograd_lab.trace import Trace
from autograd_lab.trace.course import BEGINNING


def cut_told(trace: Trace, failed: bool, how: str = "") -> str:
    """Which iteration is shown of a run of which the last one was asked for, and why no later one; `how` one sees an
    error that is not there. Nothing, where it is the last one, and nothing is missed."""
    course = trace.course
    if course is None or not course.shown:
        return ""
    which = f"iteration {course.shown[-1]:,} of {course.seen:,} is shown, the last one recorded"
    if failed and not any(isinstance(event, ErrorRaised) for event in trace.events[-3:]):
        return f"{which}; the error came after iteration {course.seen:,}, in what was not recorded{how}"
    if course.shown[-1] == course.seen:
        return ""
    why = "the program was stopped" if course.stopped else "that it would end then could not be foreseen"
    return f"{which}: {why}"


def whole_if_short(trace: Trace) -> Trace:
    """The whole run in the place of its last iteration, if it is so short that all of it is known."""
    whole = trace.beginning
    is_whole = whole is not None and not any(note.startswith(BEGINNING) for note in whole.notes)
    return whole if whole is not None and is_whole else trace
