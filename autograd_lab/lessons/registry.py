"""Questions and exercises by their ids: `L3.P1` is declared in `lesson03.py`, `Q.P1` in `survey.py`."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import Any, Protocol

ID = re.compile(r"(?:L(?P<lesson>\d{1,2})|Q)\.(?P<kind>[A-Z])(?P<number>\d{1,2})")
KINDS = {
    "P": "predict",
    "T": "click nodes",
    "F": "fill in",
    "B": "build a graph",
    "D": "debug",
    "S": "sort lines",
    "M": "make",
}
"""What the letter in an id stands for."""


class Task(Protocol):
    """A question or an exercise. `text` says what is wanted, in a few sentences with `code` in backticks."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...


_declared: dict[str, Task] = {}


def declare(task: Task) -> None:
    """Put a task where `find` finds it. Raises ValueError for an id of another form."""
    if ID.fullmatch(task.id) is None:
        raise ValueError(f"{task.id!r} is no id; one looks like L3.P1, with a letter of {', '.join(KINDS)}")
    _declared[task.id] = task


def find(id: str) -> Any:
    """The task of that id. Raises LookupError, which lists the ids that there are."""
    match = ID.fullmatch(str(id))
    if match is None:
        raise LookupError(f"{id!r} is no id of a task; one looks like L3.P1")
    tasks = tasks_of(module_of(match["lesson"]))
    if id not in tasks:
        raise LookupError(f"there is no {id}; there are {', '.join(sorted(tasks)) or 'none in that lesson yet'}")
    return tasks[id]


def module_of(lesson: str | int | None) -> str:
    """The module with the tasks of a lesson; of the survey for None."""
    return "survey" if lesson is None else f"lesson{int(lesson):02}"


def chapter_of(id: str) -> str:
    """Where a language keeps its pairs for the task of that id: `03` for `L3.P1`."""
    match = ID.fullmatch(id)
    return "survey" if match is None or match["lesson"] is None else f"{int(match['lesson']):02}"


@dataclass(frozen=True)
class NotThere(LookupError):
    """A lesson has no tasks, for it is not written yet."""

    module: str

    def __str__(self) -> str:
        return f"{self.module} has no tasks yet"


def tasks_of(module: str) -> dict[str, Task]:
    """The tasks that a module declares, by id, in order. Raises NotThere."""
    name = f"autograd_lab.lessons.{module}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise NotThere(module) from None
    start = "Q." if module == "survey" else f"L{int(module[-2:])}."
    return {id: task for id, task in _declared.items() if id.startswith(start)}
