"""How far a learner has come, lesson by lesson."""

from __future__ import annotations

from autograd_lab.lessons.concepts import standings
from autograd_lab.lessons.progress import done, last_answers, progress_file
from autograd_lab.lessons.registry import NotThere, module_of, tasks_of
from autograd_lab.lessons.syllabus import LESSONS, Lesson
from autograd_lab.lessons.worded import worded


def overview() -> None:
    """Print each lesson with its time, and how many of its tasks were answered, and how many rightly."""
    passed, tried = done(), set(last_answers())
    print(f"{worded('lesson'):44} {worded('minutes'):>7}   {worded('right')}")
    for lesson in LESSONS:
        print(f"{lesson.number:>2}  {worded(lesson.title):40} {lesson.minutes:>7}   {_bar(lesson, passed, tried)}")
    print(f"\n{worded('what it is about'):44} {worded('right the last time')}")
    for each in standings():
        print(f"{worded(each.concept):44} {_blocks(each.right, each.tasks)} {each.words}")
    print("\n" + worded("Kept in {file}, which is yours; nothing is sent anywhere.", file=progress_file()))


def standing(lesson: Lesson, passed: set[str]) -> tuple[int, int]:
    """How many tasks of a lesson are among these, and how many there are."""
    try:
        ids = set(tasks_of(module_of(lesson.number)))
    except NotThere:
        return 0, 0
    return len(ids & passed), len(ids)


def _bar(lesson: Lesson, passed: set[str], tried: set[str]) -> str:
    have, all_ = standing(lesson, passed)
    if not all_:
        return worded("not written yet")
    answered = standing(lesson, tried)[0]
    more = "" if answered <= have else f", {worded('{number} answered', number=answered)}"
    return f"{_blocks(have, all_)} {worded('{right} of {all}', right=have, all=all_)}{more}"


def _blocks(have: int, all_: int) -> str:
    return f"{'█' * (10 * have // all_):░<10}"
