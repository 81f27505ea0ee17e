"""What a learner has done, in a file that the learner owns: one line of JSON for each thing, and nothing leaves it.

It is `autograd_lab_progress.jsonl` in the home folder, in a browser in the folder of the notebooks;
AUTOGRAD_LAB_PROGRESS names another one. Answers themselves are not kept, only which choice was made and whether a check
was passed.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograd_lab.lessons.worded import worded

VARIABLE = "AUTOGRAD_LAB_PROGRESS"
NAME = "autograd_lab_progress.jsonl"
GRADERS = ("NBGRADER_EXECUTION", "NBGRADER_VALIDATING")
"""Who sets one of these runs a learner's notebook, and is not the learner."""
SINGLE = (str, int, float, bool, type(None))
_answered: set[tuple[Path, str]] = set()
"""Whose questions were answered or skipped since Python began, for where that file cannot be written."""


def progress_file() -> Path:
    """Where progress is kept."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    return Path(NAME) if sys.platform == "emscripten" else Path.home() / NAME


def note(id: str, what: str, **facts: Any) -> None:
    """Take down that something was done with a task. A lesson goes on where the file cannot be written."""
    if any(os.environ.get(name) for name in GRADERS):
        return
    if what == "predict":
        _answered.add((progress_file(), id))
    line = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "id": id, "what": what, **facts}
    try:
        with progress_file().open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except OSError as error:
        print(worded("(progress is not kept: {file}: {why})", file=progress_file(), why=error.strerror))


def entries() -> Iterator[dict[str, Any]]:
    """What was taken down, oldest first; a damaged line, such as one of a full disk, is passed over, and so is a file
    that cannot be read.
    """
    try:
        text = progress_file().read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    yield from entries_in(text)


def entries_in(text: str) -> Iterator[dict[str, Any]]:
    """What is told in lines of text that somebody's file has."""
    for line in text.splitlines():
        with suppress(ValueError, RecursionError):
            found = json.loads(line)
            if _is_entry(found):
                yield found


def _is_entry(found: Any) -> bool:
    """Whether a line tells single values, with an id and what was done, and can be written again: no half of a pair
    of characters, which JSON may name, and no number that it cannot.
    """
    single = isinstance(found, dict) and all(isinstance(value, SINGLE) for value in found.values())
    json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    return single and all(isinstance(found.get(name), str) for name in ("id", "what"))


def done() -> set[str]:
    """Ids of the questions that were answered rightly at some time, and of the exercises that were passed."""
    return {entry["id"] for entry in entries() if entry["what"] in ("predict", "check") and entry.get("right")}


def answered() -> set[str]:
    """Ids of the questions that were answered, rightly or not, or skipped."""
    now = {id for file, id in _answered if file == progress_file()}
    return now | {entry["id"] for entry in entries() if entry["what"] == "predict"}


ANSWERS = ("predict", "check")
"""What is taken down of the questions and the exercises of lessons."""


def last_answers(*what: str) -> dict[str, dict[str, Any]]:
    """The last answer to each question and exercise, by its id; of a quiz, if `what` names its moment."""
    return last_of(entries(), what or ANSWERS)


def last_of(entries: Iterable[dict[str, Any]], what: Collection[str] = ANSWERS) -> dict[str, dict[str, Any]]:
    """Of these entries the last answer to each question and exercise, by its id."""
    return {entry["id"]: entry for entry in entries if entry["what"] in what}


def seed() -> int:
    """A number of this learner's own, drawn once and kept in the file; without a file 0."""
    for entry in entries():
        if entry["what"] == "seed" and isinstance(entry.get("number"), int):
            return int(entry["number"])
    drawn = secrets.randbelow(1_000_000)
    note("learner", "seed", number=drawn)
    return next((drawn for entry in entries() if entry["what"] == "seed"), 0)


def hints_seen(id: str) -> int:
    """How many hints for an exercise have been shown so far."""
    seen = (entry.get("number") for entry in entries() if entry["id"] == id and entry["what"] == "hint")
    return max((0, *(number for number in seen if isinstance(number, int))))
