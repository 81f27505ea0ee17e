"""What a learner knows, by concept: each lesson has one, and a question that looks back counts for the earlier."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from autograd_lab.lessons.progress import last_answers
from autograd_lab.lessons.registry import Task, module_of, tasks_of
from autograd_lab.lessons.syllabus import LESSONS
from autograd_lab.lessons.worded import worded

EARLIER = re.compile(r"Exit ticket, (?:from|with) lesson (\d+)")


@dataclass(frozen=True)
class Standing:
    """How far somebody has come with a concept: tasks that were right the last time, of them by a guess, tasks that
    were wrong though the learner was certain, how many tasks there are, and how many of them were answered.
    """

    concept: str
    right: int
    guessed: int
    certain_and_wrong: int
    tasks: int
    answered: int

    @property
    def words(self) -> str:
        """What is to be said of it beside the bar."""
        said = [worded("{right} of {all}", right=self.right, all=self.tasks)]
        if self.guessed:
            said.append(worded("{number} by a guess", number=self.guessed))
        if self.certain_and_wrong:
            said.append(worded("certain and wrong: {number}", number=self.certain_and_wrong))
        return ", ".join(said)


def standings() -> list[Standing]:
    """One for each concept, in the order of the lessons."""
    return standings_of(last_answers())


def standings_of(last: dict[str, dict[str, Any]]) -> list[Standing]:
    """The same for these answers, by the ids of tasks."""
    found = []
    for concept, ids in _ids_by_concept().items():
        given = [last[id] for id in ids if id in last]
        right = [entry for entry in given if entry.get("right")]
        guessed = sum(entry.get("confidence") == 1 for entry in right)
        certain = sum(entry.get("confidence") == 3 and not entry.get("right") for entry in given)
        found.append(Standing(concept, len(right), guessed, certain, len(ids), len(given)))
    return found


@cache
def _ids_by_concept() -> dict[str, tuple[str, ...]]:
    concepts = {lesson.number: lesson.concept for lesson in LESSONS}
    ids: dict[str, list[str]] = {concept: [] for concept in concepts.values()}
    for lesson in LESSONS:
        for id, task in tasks_of(module_of(lesson.number)).items():
            ids[concepts[_lesson_of(task, lesson.number)]].append(id)
    return {concept: tuple(all_) for concept, all_ in ids.items() if all_}


def _lesson_of(task: Task, number: int) -> int:
    earlier = EARLIER.match(task.text)
    return int(earlier[1]) if earlier else number
