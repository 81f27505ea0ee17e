"""What the notes for teachers have besides what somebody has written: minutes by section, and model solutions.

`python -m tests.lessons.notes` writes them into `docs/notes.md`, below what is said of each lesson. The minutes are
those that the lesson states, shared out as they are measured; the solutions are those with which it is tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab.lessons.question import Question
from autograd_lab.lessons.registry import module_of, tasks_of
from autograd_lab.lessons.syllabus import LESSONS, Lesson
from tests.lessons.clicks import CLICKS
from tests.lessons.minutes import shares
from tests.lessons.running import ROOT, SOURCES

NOTES = ROOT / "docs" / "notes.md"
SECTION = re.compile(r"^(## (\d+) · .*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"^\*\*Minutes:\*\* .*?</details>\n", re.MULTILINE | re.DOTALL)
CELL = re.compile(r'^# %% [^\n]*answers="(L\d+\.[A-Z]\d+)"[^\n]*\n(.*?)(?=^# %% |\Z)', re.MULTILINE | re.DOTALL)
SOLVED = re.compile(r" *### BEGIN SOLUTION\n(.*?) *### END SOLUTION\n?", re.DOTALL)
STUB = re.compile(r"^ +\.\.\.\n", re.MULTILINE)


def notes() -> str:
    """The notes as they should be."""
    return SECTION.sub(lambda found: _with_made(found[1], LESSONS[int(found[2])]), NOTES.read_text(encoding="utf-8"))


def _with_made(note: str, lesson: Lesson) -> str:
    end = "\n\n" if lesson is not LESSONS[-1] else "\n"
    return f"{MADE.sub('', note).rstrip()}\n\n{made(lesson)}{end}"


def made(lesson: Lesson) -> str:
    """What is made for one lesson."""
    minutes = " · ".join(f"{name} {each}" for name, each in shares(lesson).items())
    solutions = "\n\n".join(solutions_of(lesson))
    return (
        f"**Minutes:** {minutes}.\n\n<details><summary>Model solutions</summary>\n\n{_right_choices(lesson)}\n\n"
        f"```text\n{solutions}\n```\n\n</details>"
    )


def _right_choices(lesson: Lesson) -> str:
    asked = [task for task in tasks_of(module_of(lesson.number)).values() if isinstance(task, Question)]
    right = [(each.id.partition(".")[2], each.choices[each.right()]) for each in asked]
    return "\n".join(f"* {id}: {choice.text} ({choice.belief}). {choice.says}" for id, choice in right)


def solutions_of(lesson: Lesson) -> Iterator[str]:
    """Of each exercise the answer with which the lesson is tested."""
    for id, cell in CELL.findall(SOURCES[lesson.name].read_text(encoding="utf-8")):
        yield f"# {id.partition('.')[2]}\n{solved(cell)}"
    for id, clicks in CLICKS.items():
        if id.startswith(f"L{lesson.number}."):
            yield f"# {id.partition('.')[2]}, clicks\n{clicks}"


def solved(cell: str) -> str:
    """An answer without its stub: of a function all of it, of a value the line that has it."""
    found = SOLVED.findall(cell)
    if all(each[:1].strip() for each in found):
        return "\n".join(each.rstrip() for each in found)
    return STUB.sub("", SOLVED.sub(r"\1", cell)).strip()


if __name__ == "__main__":
    NOTES.write_text(notes(), encoding="utf-8")
