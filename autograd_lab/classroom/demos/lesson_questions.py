"""Questions of a lesson for a class to vote on: those of lesson 3 are `L3`, one of them is `L3.P1`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.classroom.demos.lesson import LessonRun, lesson_demo
from autograd_lab.classroom.demos.questions import Choice, Question
from autograd_lab.display.target import Misuse
from autograd_lab.lessons import question as lessons
from autograd_lab.lessons.registry import module_of, tasks_of
from autograd_lab.lessons.worded import worded as in_lessons
from autograd_lab.trace import Trace
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.film_question import Asked

NAME = re.compile(r"L(\d{1,2})(?:\.P(\d{1,2}))?", re.IGNORECASE)
EMPHASIS = re.compile(r"\*(\w+)\*")
RECORDS = re.compile(r"^with record\(\) as \w+:\n((?:    .*(?:\n|\Z)|\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class LessonDemo(Demo):
    """Questions of a lesson, and its first graph, or the one that a single question is asked of.

    `shown[i]` is the step at which the truth of question `i` is seen; None for one that is about no step of this graph.
    """

    taken: tuple[Question, ...] = ()
    shown: tuple[int | None, ...] = ()

    @property
    def questions(self) -> list[Question]:
        """Those of the lesson."""
        return list(self.taken)

    @property
    def asked(self) -> list[Asked]:
        """As of any demo; the wall goes to where the truth is seen, and shows no graph beside what is not about it."""
        pairs = zip(super().asked, self.shown, strict=True)
        return [replace(each, shows=shows, alone=shows is None) for each, shows in pairs]


def lesson_vote(name: str) -> LessonDemo | None:
    """What `L3` or `L3.P1` means; None for a name of another form. Raises Misuse for what there is not."""
    match = NAME.fullmatch(name)
    shown = lesson_demo(f"L{match[1]}", name.upper()) if match else None
    if match is None or shown is None:
        return None
    asked = [each for each in tasks_of(module_of(match[1])).values() if isinstance(each, lessons.Question)]
    if match[2] is None and all(each.at is None or each.id in shown.others for each in asked):
        shown = lesson_demo(f"L{match[1]}", next((each.id for each in asked if each.id in shown.others), "")) or shown
    wanted = [each for each in asked if match[2] in (None, each.id.partition(".P")[2])]
    if not wanted:
        raise Misuse(f"there is no {name}; there are {', '.join(each.id for each in asked)}")
    steps, shows = zip(*_times(wanted, shown), strict=True)
    taken = tuple(map(_for_class, wanted))
    return LessonDemo(name.upper(), shown.source, _bare(shown.trace), steps, taken=taken, shown=shows)


def _times(asked: Sequence[lessons.Question], run: LessonRun) -> Iterator[tuple[int, int | None]]:
    """Of each question the step at which it is asked, none before an earlier one, and where its truth is seen."""
    now = 0
    for each in asked:
        if each.at is None or each.id in run.others:
            yield now, None
            continue
        step, shows = max(now, each.at(run.trace)), each.shows(run.trace)
        now = max(step, shows)
        yield step, now


def _bare(run: Trace) -> Trace:
    """A run whose program begins with what is recorded: its lines keep their numbers."""
    bare = {name: RECORDS.sub(_recorded, text) for name, text in run.files.items()}
    return Trace(list(run), bare, run.engine)


def _recorded(found: re.Match[str]) -> str:
    return "\n" + re.sub(r"^    ", "", found[1], flags=re.MULTILINE)


def _for_class(asked: lessons.Question) -> Question:
    """A question as a class sees it: on phones there is no code but letters."""
    right = asked.right()
    choices = [_choice(each, number == right) for number, each in enumerate(asked.choices)]
    return Question((1, 1), f"{asked.id}  {_plain(asked.text)}", tuple(choices))


def _choice(each: lessons.Choice, right: bool) -> Choice:
    """A choice with what it reveals: the belief behind it, and why it is wrong, or right."""
    text, belief, says = map(_plain, (each.text, each.belief, each.says))
    if right:
        return Choice(
            text, right, worded("because: {}. {}", belief, says), worded("That is right: {}. {}", belief, says)
        )
    told = worded("Behind it there is often the idea that {}. {}", belief, says)
    return Choice(text, right, worded("the idea behind it: {}. {}", belief, says), told)


def _plain(text: str) -> str:
    """A text in the language that is spoken, without signs of markup."""
    parts = in_lessons(text).split("`")
    parts[::2] = [EMPHASIS.sub(r"\1", part) for part in parts[::2]]
    return "".join(parts)
