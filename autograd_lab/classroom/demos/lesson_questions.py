"""Questions of a lesson for a class to vote on: those of lesson 3 are `L3`, one of them is `L3.P1`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.classroom.demos.lesson import LessonRun, lesson_demo
from autograd_lab.classroom.demos.questions import Choice, Question
from autograd_lab.classroom.demos.wall_picture import wall_picture
from autograd_lab.display.target import Misuse
from autograd_lab.events import Event
from autograd_lab.lessons import question as lessons
from autograd_lab.lessons.moments import after_forward, program
from autograd_lab.lessons.registry import module_of, tasks_of
from autograd_lab.lessons.worded import without_marks
from autograd_lab.lessons.worded import worded as in_lessons
from autograd_lab.trace import Trace
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.film_question import Asked
from autograd_lab.view.scene import Scene, make_scene

NAME = re.compile(r"L(\d{1,2})(?:\.P(\d{1,2}))?", re.IGNORECASE)
RECORDS = re.compile(r"^with record\(\) as \w+:\n((?:    .*(?:\n|\Z)|\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class LessonDemo(Demo):
    """Questions of a lesson, and its first graph, or the one that a single question is asked of.

    `shown[i]` is the step at which the truth of question `i` is seen; None for one that is about no step of this graph:
    it has `pictures` of its own instead, of the graph that it is about, when it is asked and when its truth is seen.
    """

    taken: tuple[Question, ...] = ()
    shown: tuple[int | None, ...] = ()
    pictures: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def scene(self) -> Scene:
        """As in the notebook no card hides what is asked about. Raises NothingToDraw."""
        return make_scene(self.trace, fold=False)

    @property
    def questions(self) -> list[Question]:
        """Those of the lesson."""
        return list(self.taken)

    @property
    def asked(self) -> list[Asked]:
        """As of any demo; the wall goes to where the truth is seen, and shows no graph beside what is not about it."""
        each_with = zip(super().asked, self.shown, self.pictures, strict=True)
        return [
            replace(each, shows=shows, alone=shows is None, pictures=pictures) for each, shows, pictures in each_with
        ]


def lesson_vote(name: str) -> LessonDemo | None:
    """What `L3` or `L3.P1` means; None for a name of another form. Raises Misuse for what there is not."""
    match = NAME.fullmatch(name)
    if match is None:
        return None
    asked = [each for each in tasks_of(module_of(match[1])).values() if isinstance(each, lessons.Question)]
    wanted = [each for each in asked if match[2] in (None, each.id.partition(".P")[2])]
    found = lesson_demo(f"L{match[1]}", [each.id for each in wanted])
    if found is None or not wanted:
        raise Misuse(f"there is no {name}; there are {', '.join(each.id for each in asked)}")
    film = _film(wanted, found)
    steps, shows = zip(*_times(wanted, film, found), strict=True)
    pictures = tuple(
        _pictures(each, found.runs.get(each.id)) if shown is None else ()
        for each, shown in zip(wanted, shows, strict=True)
    )
    taken = tuple(map(_for_class, wanted))
    return LessonDemo(name.upper(), found.source, _bare(film), steps, taken=taken, shown=shows, pictures=pictures)


def _film(asked: Sequence[lessons.Question], found: LessonRun) -> Trace:
    """The run on the wall: the first graph of the lesson, unless questions are asked of other runs alone."""
    runs = [found.runs[each.id] for each in asked if each.at is not None and each.id in found.runs]
    return found.trace if not runs or any(run is found.trace for run in runs) else runs[0]


def _times(asked: Sequence[lessons.Question], film: Trace, found: LessonRun) -> Iterator[tuple[int, int | None]]:
    """Of each question the step at which it is asked, none before an earlier one, and where its truth is seen.

    Questions about other programs wait until the film has come to its end, if none about it follows.
    """
    about = [each.at is not None and found.runs.get(each.id, film) is film for each in asked]
    now = 0
    for number, each in enumerate(asked):
        if not about[number] or each.at is None:
            now = now if any(about[number:]) else len(film)
            yield now, None
            continue
        step, shows = max(now, each.at(film)), each.shows(film)
        now = max(step, shows)
        yield step, now


def _pictures(asked: lessons.Question, run: Trace | None) -> tuple[str, ...]:
    """What a wall shows of the graph that a question is about, as SVG: when it is asked, and when its truth is seen."""
    run = run or (program(asked.drawn) if asked.drawn else None)
    if run is None:
        return ()
    ends = dict.fromkeys([(asked.at or after_forward)(run), asked.shows(run)])
    return tuple(wall_picture(_bare(run), end) for end in ends)


def _bare(run: Trace) -> Trace:
    """A run whose program begins with what is recorded, on its first line."""
    bare = {name: RECORDS.sub(_recorded, text) for name, text in run.files.items()}
    above = {name: len(text) - len(text.lstrip("\n")) for name, text in bare.items()}
    files = {name: text[above[name] :] for name, text in bare.items()}
    return Trace([_moved_up(event, above) for event in run], files, run.engine)


def _moved_up(event: Event, above: Mapping[str, int]) -> Event:
    """What happened on a line, by the number that the line has when so many lines above it are gone."""
    where = event.where
    if where is None or not above.get(where.file):
        return event
    return replace(event, where=replace(where, line=where.line - above[where.file]))


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
    return without_marks(in_lessons(text))
