"""What is wrong with a run, in a film: a list from which one jumps to where it is seen. The words are those of
`widgets/src/findings.ts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograd_lab.findings.finding import ERROR, Finding, Place
from autograd_lab.trace import Trace
from autograd_lab.view.languages.speaking import translated


def telling(trace: Trace, findings: Sequence[Finding], files: Sequence[str]) -> dict[str, Any]:
    """What a film has besides of findings; `files` are those that it shows, by which lines are numbered."""
    found = [_told(in_words(finding), trace, files) for finding in findings]
    return {"findings": found, **_blame(findings, files)} if found else {}


def _blame(findings: Sequence[Finding], files: Sequence[str]) -> dict[str, Any]:
    """The line to blame for what stopped the run, as number of the file and line, if it is shown."""
    where = findings[0].where if findings[0].severity == ERROR else None
    return {} if where is None or where.file not in files else {"blame": [files.index(where.file), where.line]}


def in_words(finding: Finding) -> Finding:
    """A finding in the language that is spoken; lines of the program stay what they are."""
    cause = tuple(replace(place, words=translated(place.words)) for place in finding.cause)
    return replace(finding, sentence=translated(finding.sentence), cause=cause, remedy=translated(finding.remedy))


def _told(finding: Finding, trace: Trace, files: Sequence[str]) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "sentence": finding.sentence,
        "cause": [_cause(place, files) for place in finding.cause],
        "remedy": finding.remedy,
        "step": step_of(finding, trace),
    }


def _cause(place: Place, files: Sequence[str]) -> list[Any]:
    """The words, then the line and where it is, as number of the file and line; without that, if it is not shown."""
    where = place.where
    if where is None:
        return [place.words]
    shown = [files.index(where.file), where.line] if where.file in files else []
    return [place.words, where.text, f"{where}", shown]


def step_of(finding: Finding, trace: Trace) -> int:
    """Where it is seen best: where the program stopped, or else the last time that the line to blame did it."""
    steps = finding.steps or (len(trace),)
    if finding.severity == ERROR or finding.where is None or not 0 < steps[0] <= len(trace):
        return steps[0]
    kind = type(trace.events[steps[0] - 1])
    at_line = [(step, event) for step, event in enumerate(trace, 1) if event.where == finding.where]
    alike = [step for step, event in at_line if type(event) is kind]
    return (alike or [step for step, _ in at_line] or [steps[0]])[-1]
