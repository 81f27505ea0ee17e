"""A finding: something that is wrong with a run, what brought it about, and what to write instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograd_lab.events import Where

ERROR, WARNING, NOTE = SEVERITIES = ("error", "warning", "note")
"""How bad it is: the program stopped; its numbers are not what one would think; it could be better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What happened, in words, and the line of the user's program where it did."""

    words: str
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is wrong. `kind` is its address, which stays; `sentence` says what one sees of it.

    `cause` says what brought it about, line by line, the decisive one first; `remedy` what to do, with code between
    backticks. One jumps to `steps` of the trace to see it, and `parts` are the ids of the tensors and nodes to look at.
    """

    kind: str
    severity: str
    sentence: str
    cause: tuple[Place, ...] = ()
    remedy: str = ""
    steps: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def where(self) -> Where | None:
        """The line that is to blame, if one is known."""
        return next((place.where for place in self.cause if place.where is not None), None)

    def to_json(self) -> dict[str, Any]:
        """The finding as plain JSON data."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "sentence": self.sentence,
            "cause": [{"words": place.words, **_line(place.where)} for place in self.cause],
            "remedy": self.remedy,
            "steps": list(self.steps),
            "parts": list(self.parts),
        }


def _line(where: Where | None) -> dict[str, Any]:
    return {} if where is None else {"file": where.file, "line": where.line, "text": where.text}


def rows(places: tuple[Place, ...]) -> list[str]:
    """What happened, a line each: in words, then file and line, then the text of the line, below each other."""
    found = [(p.words, *(("", "") if p.where is None else (str(p.where), p.where.text))) for p in places]
    widths = [max((len(row[column]) for row in found if row[1]), default=0) for column in (0, 1)]
    return [f"{row[0]:{widths[0]}}    {row[1]:{widths[1]}}    {row[2]}".rstrip() for row in found]


def told(finding: Finding) -> str:
    """A finding as a few lines of text: the sentence, what brought it about, what to do."""
    lines = [f"{finding.severity}: {finding.sentence}", *(f"  {row}" for row in rows(finding.cause))]
    return "\n".join([*lines, *([f"  {finding.remedy}"] if finding.remedy else [])])
