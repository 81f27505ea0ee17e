"""What is wrong with a run of which some iterations are shown: what these tell, and what its beginning tells."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.events import ErrorRaised
from autograd_lab.findings.finding import ERROR, Finding
from autograd_lab.trace import Trace


def with_beginning(trace: Trace, shown: list[Finding], early: list[Finding], is_part: bool) -> list[Finding]:
    """The findings of the shown iterations and of the beginning, each once; of a beginning that is the whole run, which
    knows best, its alone. One jumps to where they are seen in what is shown.
    """
    known = {_key(each): each for each in shown}
    found = [_seen(each, known.get(_key(each)), trace) for each in early]
    told = {_key(each) for each in early}
    return found if not is_part else [*found, *(each for each in shown if _key(each) not in told)]


def _key(finding: Finding) -> object:
    return finding.kind, finding.where or finding.sentence


def _seen(finding: Finding, twin: Finding | None, trace: Trace) -> Finding:
    """A finding of the beginning at the steps of what is shown: those of its twin there, or else of its line."""
    if twin is not None:
        return replace(finding, steps=twin.steps, parts=twin.parts)
    if finding.severity == ERROR:
        steps = [step for step, event in enumerate(trace, 1) if isinstance(event, ErrorRaised)]
    else:
        lines = [place.where for place in finding.cause if place.where is not None]
        at = [[step for step, event in enumerate(trace, 1) if event.where == line] for line in lines]
        steps = next(filter(None, at), [])
    return replace(finding, steps=tuple(steps[-1:]), parts=())
