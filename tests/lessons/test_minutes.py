"""The minutes that a lesson states are those that it takes a beginner in Python, by its words, code, figures and tasks,
and teachers are told how they are shared out among its sections."""

from __future__ import annotations

import re

from autograd_lab.lessons.exercise import Exercise
from autograd_lab.lessons.picking import Picking
from autograd_lab.lessons.registry import module_of, tasks_of
from autograd_lab.lessons.syllabus import INDEX, LESSONS, Lesson
from tests.lessons.minutes import measured, sections, shares
from tests.lessons.notes import NOTES, notes, solutions_of
from tests.lessons.running import SOURCES, built, each_lesson

NEAR = 0.1
"""By this share what is said may differ from what is measured, and by no more than five minutes if that is more."""
DOUBLE_PERIOD, MOST = 90, 140
"""So many minutes are a double period; two sittings, the longest that there are."""


@each_lesson
def test_a_lesson_takes_the_minutes_that_it_states(lesson: Lesson) -> None:
    takes = measured(lesson)
    assert abs(takes - lesson.minutes) <= max(5, NEAR * takes), f"{lesson.name} takes {takes:.0f} minutes"


@each_lesson
def test_the_minutes_of_its_sections_add_up_to_them_and_each_is_near_what_is_measured(lesson: Lesson) -> None:
    told, takes = shares(lesson), sections(lesson)
    assert sum(told.values()) == lesson.minutes and told.keys() == takes.keys()
    scale = lesson.minutes / sum(takes.values())
    assert all(abs(told[name] - scale * takes[name]) < 1 for name in told)


@each_lesson
def test_it_says_so_itself_and_the_index_says_the_same(lesson: Lesson) -> None:
    assert f"{lesson.minutes} minutes" in built(lesson.name).cells[0].source
    table = "\n".join(cell.source for cell in built(INDEX).cells)
    assert re.search(rf"{lesson.number} · [^|]*\({lesson.name}\.ipynb\) \| {lesson.minutes} \|", table)


@each_lesson
def test_teachers_have_notes_with_the_same_minutes_a_vote_pitfalls_and_what_is_to_be_said_to_explain(
    lesson: Lesson,
) -> None:
    told = NOTES.read_text(encoding="utf-8")
    [note] = re.findall(rf"^## {lesson.number} · .*?\((\d+).*?\)\n(.*?)(?=^## |\Z)", told, re.MULTILINE | re.DOTALL)
    assert int(note[0]) == lesson.minutes
    assert all(word in note[1] for word in ("Vote on", "**Pitfalls:**", "**Explain:**"))


def test_the_notes_have_the_minutes_of_each_section_and_the_solutions_that_are_tested() -> None:
    assert NOTES.read_text(encoding="utf-8") == notes(), "run: python -m tests.lessons.notes"


@each_lesson
def test_each_exercise_has_a_model_solution_and_none_of_them_is_a_stub(lesson: Lesson) -> None:
    solutions = list(solutions_of(lesson))
    exercises = [task for task in tasks_of(module_of(lesson.number)).values() if isinstance(task, Exercise)]
    heads = {f"# {task.id.partition('.')[2]}{', clicks' * isinstance(task, Picking)}" for task in exercises}
    assert {each.partition("\n")[0] for each in solutions} == heads
    assert not any("..." in each or "###" in each for each in solutions)


def test_the_index_says_how_many_hours_all_of_them_take() -> None:
    hours = round(sum(lesson.minutes for lesson in LESSONS) / 60)
    assert f"all of them in order, {hours} hours" in SOURCES[INDEX].read_text(encoding="utf-8")


def test_no_lesson_is_longer_than_two_sittings_and_one_of_more_than_a_double_period_says_where_the_first_ends() -> None:
    assert [lesson.name for lesson in LESSONS if lesson.minutes > MOST] == []
    for lesson in LESSONS:
        first = built(lesson.name).cells[0].source
        assert ("two sittings: stop" in first) == (lesson.minutes > DOUBLE_PERIOD), lesson.name
