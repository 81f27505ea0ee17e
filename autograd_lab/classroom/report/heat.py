"""How far each learner of a class has come, concept by concept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograd_lab.classroom.report.learner import Learner
from autograd_lab.lessons.syllabus import LESSONS

MUCH = 6
"""So many answers say as much as a colour can; fewer are paler."""
HALF, MOST, NEARLY_ALL = 0.5, 0.75, 0.9
"""Shares at which another colour begins."""


@dataclass(frozen=True)
class Known:
    """Of so many tasks that were `answered`, so many `right` the last time."""

    right: int
    answered: int

    @property
    def share(self) -> float | None:
        """Which share is right; None where nothing was answered."""
        return self.right / self.answered if self.answered else None

    @property
    def evidence(self) -> float:
        """How much is known of it, from 0 to 1: one answer says little, whatever its share."""
        return min(1.0, self.answered / MUCH)

    @property
    def band(self) -> int:
        """From 0, where less than half is right, to 3."""
        return sum((self.share or 0.0) >= bound for bound in (HALF, MOST, NEARLY_ALL))


@dataclass(frozen=True)
class Column:
    """A concept, the lesson that has it, and what each learner knows of it, in their order."""

    lesson: int
    concept: str
    cells: tuple[Known, ...]

    @property
    def all(self) -> Known:
        """All learners together."""
        return Known(sum(each.right for each in self.cells), sum(each.answered for each in self.cells))

    @property
    def learners(self) -> int:
        """How many have answered something."""
        return sum(each.answered > 0 for each in self.cells)


def heat(learners: Sequence[Learner]) -> list[Column]:
    """A column for each concept about which somebody has answered something."""
    lessons = {lesson.concept: lesson.number for lesson in LESSONS}
    columns = []
    for standings in zip(*(learner.standings for learner in learners), strict=True):
        concept = standings[0].concept
        cells = tuple(Known(each.right, each.answered) for each in standings)
        columns.append(Column(lessons[concept], concept, cells))
    return [each for each in columns if each.learners]
