"""Learners, by the files that they hand in: what `autograd-lab progress --export` writes, or the file itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from autograd_lab.display.target import Misuse
from autograd_lab.lessons.concepts import Standing, standings_of
from autograd_lab.lessons.progress import entries_in, last_of
from autograd_lab.lessons.survey import BEFORE, TWINS

DONE_WITH = ("predict", "check", "hint", "before", "after")
"""What one does with a task."""
SIX = {"before": BEFORE, "after": TWINS}


@dataclass(frozen=True)
class Learner:
    """`number` stands for the learner wherever no name is wanted, in the order of the files."""

    number: int
    name: str
    entries: tuple[dict[str, Any], ...]

    @cached_property
    def last(self) -> dict[str, dict[str, Any]]:
        """The last answer to each question and exercise, by its id."""
        return last_of(self.entries)

    @cached_property
    def standings(self) -> list[Standing]:
        """How far the learner has come, by concept."""
        return standings_of(self.last)

    def right_in(self, moment: str) -> int | None:
        """How many of the six questions before the lessons, or of their twins after them, were right, if asked."""
        last = {entry["id"]: entry for entry in self.entries if entry["what"] == moment and entry["id"] in SIX[moment]}
        return sum(bool(entry.get("right")) for entry in last.values()) if last else None


def learners_of(paths: Sequence[Path], tell: Callable[[str], None] = lambda text: None) -> list[Learner]:
    """The learners of these files; `tell` hears of each file that is left out.

    That is one in which nobody has done anything, and of two files of one learner the one with less in it. Raises
    OSError, and Misuse where no file is left.
    """
    handed_in: dict[object, tuple[Path, tuple[dict[str, Any], ...]]] = {}
    for path in paths:
        try:
            entries = _entries(path)
        except Misuse as error:
            if len(paths) == 1:
                raise
            tell(f"{error}. It is left out.")
            continue
        who = next((entry.get("number") for entry in entries if entry["what"] == "seed"), None) or path
        less, more = sorted([handed_in.get(who, (path, ())), (path, entries)], key=lambda file: len(file[1]))
        if less[1]:
            tell(f"{less[0]} and {more[0]} are of one learner. {less[0]}, which has less in it, is left out.")
        handed_in[who] = more
    if not handed_in:
        raise Misuse("none of these files is one of a learner: autograd-lab progress --export NAME.json writes one")
    return [Learner(number, path.stem, each) for number, (path, each) in enumerate(handed_in.values(), 1)]


def _entries(path: Path) -> tuple[dict[str, Any], ...]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if text.lstrip().startswith("["):
        text = _lines(text)
    found = tuple(entries_in(text))
    if not any(entry["what"] in DONE_WITH for entry in found):
        raise Misuse(f"{path} is no file of a learner: autograd-lab progress --export NAME.json writes one")
    return found


def _lines(text: str) -> str:
    """A list of entries as lines; a damaged one as it is."""
    try:
        return "\n".join(json.dumps(entry) for entry in json.loads(text))
    except (ValueError, RecursionError):
        return text
