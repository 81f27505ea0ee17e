"""The minutes that a lesson states are those that it takes: by its words, lines of code, figures and tasks."""

from __future__ import annotations

import re
from typing import Any

from autograd_lab.lessons.notebooks import Build
from autograd_lab.lessons.syllabus import INDEX, LESSONS, Lesson
from tests.lessons.lint import WORDS
from tests.lessons.running import NOTEBOOKS, built, code_cells, each_lesson

WORDS_A_MINUTE = 150
LINE, PREDICTION, FIGURE, EXPLAINING = 9 / 60, 1.3, 2.5, 3.0
"""So many minutes a line of code takes, a prediction, a figure that is stepped through, telling it to a neighbour."""
EXERCISE = {"T": 3, "F": 3, "B": 5, "S": 4, "D": 5, "M": 7}
"""And an exercise, by the letter of its id."""
TOLD = re.compile(r"(?:import|from|assert|predict|task|check)\b")
"""Lines of which nothing is to be read."""
HUNT = {"15_errata_hunt": 25}
"""Minutes of what stands in no cell: the defects that one looks for oneself."""
NEAR = 0.2
"""By this share what is said may differ from what is measured, and by no more than five minutes if that is more."""

MOST = 90
"""So many minutes are a double period."""


def measured(notebook: Any) -> float:
    """How many minutes a notebook takes whoever reads all of it and does all of it."""
    code = "\n".join(cell.source for cell in code_cells(notebook))
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type != "code")
    lines = [line for line in code.splitlines() if line.strip() and not TOLD.match(line)]
    asked = re.findall(r'\b(?:predict|task|check)\("L\d+\.([A-Z]\d+)"', code)
    exercises = {id for id in asked if not id.startswith("P")}
    return (
        len(WORDS.findall(re.sub(r"<[^>]+>", "", prose))) / WORDS_A_MINUTE
        + LINE * len(lines)
        + PREDICTION * sum(id.startswith("P") for id in asked)
        + FIGURE * len(re.findall(r"^(?:figure|drag)\(", code, re.MULTILINE))
        + sum(EXERCISE[id[0]] for id in exercises)
        + EXPLAINING
    )


@each_lesson
def test_a_lesson_takes_the_minutes_that_it_states(lesson: Lesson) -> None:
    takes = measured(built(lesson.name, Build.STUDENT, closed=False)) + HUNT.get(lesson.name, 0)
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


def test_no_lesson_is_longer_than_a_double_period() -> None:
    assert [lesson.name for lesson in LESSONS if lesson.minutes > MOST] == []
