"""The minutes that a lesson states are those that it takes a beginner in Python, by its words, code, figures and tasks.

What each of these counts is fitted, to a seventh, to what readers needed who were new to Python: 45 to 50 minutes for
lesson 0, 70 for lesson 2, 65 for lessons 3 and 4, 90 for lesson 6, 120 for lesson 16.
"""

from __future__ import annotations

import re
from typing import Any

from autograd_lab.lessons.notebooks import Build
from autograd_lab.lessons.question import Question
from autograd_lab.lessons.registry import find
from autograd_lab.lessons.syllabus import INDEX, LESSONS, Lesson
from tests.lessons.lint import WORDS
from tests.lessons.running import NOTEBOOKS, SOURCES, built, code_cells, each_lesson

WORDS_A_MINUTE = 90
LINE, PREDICTION, FIGURE, EXPLAINING = 12 / 60, 1.5, 2.5, 3.0
"""So many minutes a line of code takes, a prediction, a figure that is stepped through, telling it to a neighbour."""
EXERCISE, WRITTEN = {"T": 3, "F": 4, "B": 3, "S": 8, "D": 5, "M": 9}, 2.5
"""And an exercise, by the letter of its id, with the first line that is written; each further line of a function."""
TOLD = re.compile(r"(?:import|from|assert|predict|task|check)\b")
"""Lines of which nothing is to be read."""
COMMENT = re.compile(r"^\s*# .*", re.MULTILINE)
ANSWER = re.compile(r'answers="L\d+\.[^F].*?### BEGIN SOLUTION\n(.*?)### END SOLUTION', re.DOTALL)
"""What is written, but for what is filled in."""
NEAR = 0.1
"""By this share what is said may differ from what is measured, and by no more than five minutes if that is more."""

DOUBLE_PERIOD, MOST = 90, 120
"""So many minutes are a double period; two sittings of an hour."""


def words(text: str) -> int:
    return len(WORDS.findall(re.sub(r"<[^>]+>", "", text)))


def read_of(id: str) -> str:
    """What is read of a task: what it asks, and, of a question, the choices and what is said to one of them."""
    task = find(id)
    if not isinstance(task, Question):
        return f"{task.text} {task.after}"
    return " ".join([task.text, *(choice.text for choice in task.choices), task.choices[0].says])


def further_lines(source: str) -> int:
    """How many lines of functions a learner writes, but for the first one of each answer."""
    answers = [re.findall(r"^ +\S", answer, re.MULTILINE) for answer in ANSWER.findall(source)]
    return sum(max(0, len(lines) - 1) for lines in answers)


def measured(notebook: Any, source: str) -> float:
    """How many minutes a notebook takes whoever reads all of it and does all of it."""
    code = "\n".join(cell.source for cell in code_cells(notebook))
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type != "code")
    lines = [line for line in COMMENT.sub("", code).splitlines() if line.strip() and not TOLD.match(line)]
    asked = dict.fromkeys(re.findall(r'\b(?:predict|task|check)\("(L\d+\.[A-Z]\d+)"', code))
    kinds = [id.partition(".")[2][0] for id in asked]
    return (
        words(" ".join([prose, *COMMENT.findall(code), *map(read_of, asked)])) / WORDS_A_MINUTE
        + LINE * len(lines)
        + PREDICTION * kinds.count("P")
        + FIGURE * len(re.findall(r"^(?:figure|drag)\(", code, re.MULTILINE))
        + sum(EXERCISE[kind] for kind in kinds if kind != "P")
        + WRITTEN * further_lines(source)
        + EXPLAINING
    )


@each_lesson
def test_a_lesson_takes_the_minutes_that_it_states(lesson: Lesson) -> None:
    takes = measured(built(lesson.name, Build.STUDENT, closed=False), SOURCES[lesson.name].read_text(encoding="utf-8"))
    assert abs(takes - lesson.minutes) <= max(5, NEAR * takes), f"{lesson.name} takes {takes:.0f} minutes"


@each_lesson
def test_it_says_so_itself_and_the_index_says_the_same(lesson: Lesson) -> None:
    assert f"{lesson.minutes} minutes" in built(lesson.name).cells[0].source
    table = "\n".join(cell.source for cell in built(INDEX).cells)
    assert re.search(rf"{lesson.number} · [^|]*\({lesson.name}\.ipynb\) \| {lesson.minutes} \|", table)


@each_lesson
def test_teachers_have_notes_with_the_same_minutes_a_vote_pitfalls_and_what_is_to_be_said_to_explain(
    lesson: Lesson,
) -> None:
    notes = (NOTEBOOKS.parent / "docs" / "notes.md").read_text(encoding="utf-8")
    [note] = re.findall(rf"^## {lesson.number} · .*?\((\d+).*?\)\n(.*?)(?=^## |\Z)", notes, re.MULTILINE | re.DOTALL)
    assert int(note[0]) == lesson.minutes
    assert all(word in note[1] for word in ("Vote on", "**Pitfalls:**", "**Explain:**"))


def test_the_index_says_how_many_hours_all_of_them_take() -> None:
    hours = round(sum(lesson.minutes for lesson in LESSONS) / 60)
    assert f"all of them in order, {hours} hours" in SOURCES[INDEX].read_text(encoding="utf-8")


def test_no_lesson_is_longer_than_two_sittings_and_one_of_more_than_a_double_period_says_where_the_first_ends() -> None:
    assert [lesson.name for lesson in LESSONS if lesson.minutes > MOST] == []
    for lesson in LESSONS:
        first = built(lesson.name).cells[0].source
        assert ("two sittings: stop" in first) == (lesson.minutes > DOUBLE_PERIOD), lesson.name
