"""Questions of a lesson for a class to vote on: those of lesson 3 are `L3`, one of them is `L3.P1`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.classroom.demos.lesson import lesson_demo
from autograd_lab.classroom.demos.questions import Choice, Question
from autograd_lab.display.target import Misuse
from autograd_lab.lessons import question as lessons
from autograd_lab.lessons.registry import module_of, tasks_of

NAME = re.compile(r"L(\d{1,2})(?:\.P(\d{1,2}))?", re.IGNORECASE)


@dataclass(frozen=True)
class LessonDemo(Demo):
    """Questions of a lesson, and its first graph, which is played when all of them have been asked: it spoils none."""

    taken: tuple[Question, ...] = ()

    @property
    def questions(self) -> list[Question]:
        """Those of the lesson."""
        return list(self.taken)


def lesson_vote(name: str) -> LessonDemo | None:
    """What `L3` or `L3.P1` means; None for a name of another form. Raises Misuse for what there is not."""
    match = NAME.fullmatch(name)
    shown = lesson_demo(f"L{match[1]}") if match else None
    if match is None or shown is None:
        return None
    asked = [each for each in tasks_of(module_of(match[1])).values() if isinstance(each, lessons.Question)]
    wanted = [each for each in asked if match[2] in (None, each.id.partition(".P")[2])]
    if not wanted:
        raise Misuse(f"there is no {name}; there are {', '.join(each.id for each in asked)}")
    return LessonDemo(name.upper(), shown.source, shown.trace, (0,) * len(wanted), taken=tuple(map(_for_class, wanted)))


def _for_class(asked: lessons.Question) -> Question:
    """A question as a class sees it: on phones there is no code but letters."""
    right = asked.right()
    choices = [
        Choice(_plain(it.text), number == right, f"believes that {_plain(it.belief)}")
        for number, it in enumerate(asked.choices)
    ]
    return Question((1, 1), f"{asked.id}  {_plain(asked.text)}", tuple(choices))


def _plain(text: str) -> str:
    return text.replace("`", "").replace("*not*", "not")
