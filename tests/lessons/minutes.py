"""How long a lesson takes a beginner in Python, and each of its sections: by words, code, figures and tasks.

What each of these counts is fitted, to a seventh, to what readers needed who were new to Python: 45 to 50 minutes for
lesson 0, 70 and 75 for lesson 2, 65 for lesson 3, 90 for lesson 6, 120 to 150 for lesson 16. They read what programs
print, and hints, and step through a player before they answer in it: so these count, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from autograd_lab.lessons.exercise import Exercise
from autograd_lab.lessons.notebooks import Build
from autograd_lab.lessons.question import Question
from autograd_lab.lessons.registry import find
from autograd_lab.lessons.syllabus import Lesson
from tests.lessons.lint import WORDS
from tests.lessons.running import SOURCES, built

WORDS_A_MINUTE = 100
LINE, PRINTED, PREDICTION, STEPPED, FIGURE, EXPLAINING = 12 / 60, 15 / 60, 1.5, 1.0, 2.5, 3.0
"""So many minutes a line of code takes, what a line prints, a prediction, and stepping through a player to make it; a
figure that is stepped through, telling it to a neighbour."""
EXERCISE, WRITTEN = {"T": 3, "F": 4, "B": 3, "S": 8, "D": 5, "M": 9}, 2.5
"""And an exercise, by the letter of its id, with the first line that is written; each further line of a function."""
TOLD = re.compile(r"(?:import|from|assert|predict|task|check)\b")
"""Lines of which nothing is to be read."""
COMMENT = re.compile(r"^\s*# .*", re.MULTILINE)
ASKED = re.compile(r'\b(?:predict|task|check)\("(L\d+\.[A-Z]\d+)"')
CELL = re.compile(r"^# %% ", re.MULTILINE)
ANSWER = re.compile(r'answers="L\d+\.[^F].*?### BEGIN SOLUTION\n(.*?)### END SOLUTION', re.DOTALL)
"""What is written, but for what is filled in."""
OPENING = "Opening"


def words(text: str) -> int:
    return len(WORDS.findall(re.sub(r"<[^>]+>", "", text)))


def read_of(id: str) -> str:
    """What is read of a task: what it asks, and, of a question, the choices and what is said to one of them; of an
    exercise its hints."""
    task = find(id)
    if isinstance(task, Question):
        return " ".join([task.text, *(choice.text for choice in task.choices), task.choices[0].says])
    return " ".join([task.text, task.after, *(task.hints if isinstance(task, Exercise) else ())])


def further_lines(source: str) -> int:
    """How many lines of functions a learner writes, but for the first one of each answer."""
    answers = [re.findall(r"^ +\S", answer, re.MULTILINE) for answer in ANSWER.findall(source)]
    return sum(max(0, len(lines) - 1) for lines in answers)


def sections(lesson: Lesson) -> dict[str, float]:
    """How many minutes each section takes whoever reads all of it and does all of it, by its heading."""
    notebook = built(lesson.name, Build.STUDENT, closed=False, explained=False)
    sources = dict(_sources(SOURCES[lesson.name].read_text(encoding="utf-8")))
    takes: dict[str, float] = {}
    seen: set[str] = set()
    section = OPENING
    for cell in notebook.cells:
        if heading := re.match(r"## (.*)", cell.source):
            section = heading[1]
        asked = [id for id in dict.fromkeys(ASKED.findall(cell.source)) if id not in seen]
        seen.update(asked)
        takes[section] = takes.get(section, 0.0) + _of_cell(cell, asked) + WRITTEN * further_lines(sources[cell.id])
        takes[section] += EXPLAINING * (cell.metadata.get("stage") == "explain" and cell.cell_type != "code")
    return takes


def measured(lesson: Lesson) -> float:
    """How many minutes all of it takes."""
    return sum(sections(lesson).values())


def shares(lesson: Lesson) -> dict[str, int]:
    """The minutes that a lesson states, shared out among its sections: whole ones, which add up."""
    takes = sections(lesson)
    exact = {name: lesson.minutes * each / sum(takes.values()) for name, each in takes.items()}
    found = {name: int(each) for name, each in exact.items()}
    left = lesson.minutes - sum(found.values())
    for name in sorted(exact, key=lambda name: found[name] - exact[name])[:left]:
        found[name] += 1
    return found


def _sources(source: str) -> Iterator[tuple[str, str]]:
    """The cells of a source by their ids."""
    for cell in CELL.split(source)[1:]:
        yield re.findall(r'\bid="([^"]+)"', cell)[0], cell


def _of_cell(cell: Any, asked: list[str]) -> float:
    read = words(" ".join(map(read_of, asked)))
    if cell.cell_type != "code":
        return (words(cell.source) + read) / WORDS_A_MINUTE
    code = COMMENT.sub("", cell.source)
    lines = [line for line in code.splitlines() if line.strip() and not TOLD.match(line)]
    kinds = [id.partition(".")[2][0] for id in asked]
    return (
        (words(" ".join(COMMENT.findall(cell.source))) + read) / WORDS_A_MINUTE
        + LINE * len(lines)
        + PRINTED * len(re.findall(r"^\s*print\(", code, re.MULTILINE))
        + STEPPED * len(re.findall(r'^predict\("[^"]+", \w+\)', code, re.MULTILINE))
        + PREDICTION * kinds.count("P")
        + FIGURE * len(re.findall(r"^(?:figure|drag)\(", code, re.MULTILINE))
        + sum(EXERCISE[kind] for kind in kinds if kind != "P")
    )
