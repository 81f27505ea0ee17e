"""All that a lesson says, in English: what a language needs pairs for.

`python -m tests.lessons.catalogue es 05` prints those that a language lacks, as the lines of its file.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from autograd_lab.lessons.cell_texts import has_words, texts_in_code, texts_in_prose
from autograd_lab.lessons.exercise import Exercise
from autograd_lab.lessons.fill import Filling, plain
from autograd_lab.lessons.front import FETCH
from autograd_lab.lessons.glossary import TERMS
from autograd_lab.lessons.notebooks import Build
from autograd_lab.lessons.question import CONFIDENCE, Question
from autograd_lab.lessons.registry import module_of, tasks_of
from autograd_lab.lessons.syllabus import INDEX, LESSONS
from autograd_lab.lessons.world import world
from autograd_lab.view.languages.pairs import pairs
from tests.lessons.running import ROOT, built

ROOM = ROOT / "autograd_lab" / "lessons"
COMMANDS = [ROOT / "autograd_lab" / "commands" / f"{name}.py" for name in ("progress", "review")]
SENTENCE = re.compile(r"[a-z]+ [a-z]+")
"""Two words side by side."""
FRAME = "frame"


def texts_of(chapter: str) -> list[str]:
    """All that a chapter says: `00` and so on, the index with its survey, or what is said around all of them."""
    found = _around() if chapter == FRAME else _of_index() if chapter == INDEX else _of_lesson(int(chapter))
    return [text for text in dict.fromkeys(found) if has_words(text)]


def terms_of(lesson: int) -> list[str]:
    """The terms that are known after a lesson, and what they mean."""
    return [text for term in TERMS if term.lesson <= lesson for text in (term.word, term.says)]


def may_say(chapter: str) -> set[str]:
    """What may have a pair besides: any string in the code of a lesson, as one that a judge puts into a sentence."""
    if not chapter.isdigit():
        return set()
    tree = ast.parse(_file(int(chapter)).read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _of_lesson(number: int) -> Iterator[str]:
    lesson = LESSONS[number]
    yield from (lesson.title, lesson.concept)
    yield from _of_notebook(lesson.name)
    for task in tasks_of(module_of(number)).values():
        yield from _of_task(task)
    yield from _said_by_judges(_file(number))


def _of_index() -> Iterator[str]:
    yield from _of_notebook(INDEX)
    for task in tasks_of(module_of(None)).values():
        yield from _of_task(task)


def _of_notebook(name: str) -> Iterator[str]:
    for cell in built(name, Build.SOLUTION, closed=False, explained=False).cells:
        texts = texts_in_code if cell.cell_type == "code" else texts_in_prose
        yield from (piece.text for piece in texts(cell.source))


def _of_task(task: Any) -> Iterator[str]:
    yield task.text
    if isinstance(task, Question):
        yield from (text for choice in task.choices for text in (choice.text, choice.belief, choice.says))
    if isinstance(task, Exercise):
        yield from (task.after, *task.hints)
    if isinstance(task, Filling):
        truth = plain(task.truth(world("autograd_lab")))
        yield from truth if isinstance(truth, dict) else ()
        yield from (text for mistake in task.mistakes for text in (mistake.belief, mistake.says))


def _file(lesson: int) -> Path:
    return ROOM / f"{module_of(lesson)}.py"


def _said_by_judges(file: Path) -> Iterator[str]:
    """The sentences in functions of a lesson, but for those that compute a truth; values in them are holes."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and not any("question(" in ast.unparse(it) for it in node.decorator_list):
            body = node.body[ast.get_docstring(node) is not None :]
            yield from (text for statement in body for text in _sentences(statement))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "graph_holds":
            yield from _sentences(node.args[0])


def _sentences(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        text = "".join(_part(part, place) for place, part in enumerate(node.values))
        if SENTENCE.search(text):
            yield text
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if SENTENCE.search(node.value):
            yield node.value
    elif not isinstance(node, ast.FunctionDef | ast.Raise):
        for child in ast.iter_child_nodes(node):
            yield from _sentences(child)


def _part(part: ast.expr, place: int) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    value = part.value if isinstance(part, ast.FormattedValue) else part
    return f"{{{value.id if isinstance(value, ast.Name) else place}}}"


@cache
def _around() -> list[str]:
    """What is worded in the room of the lessons, and in the commands that ask and tell the same."""
    files = [file for file in sorted(ROOM.glob("*.py")) if not re.fullmatch(r"lesson\d\d", file.stem)]
    fetch = (piece.text for piece in texts_in_code(FETCH))
    return [*CONFIDENCE.values(), *fetch, *(text for file in (*files, *COMMANDS) for text in _worded(file))]


def _worded(file: Path) -> Iterator[str]:
    """Texts that a file gives to `worded`, by themselves or by a name."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    named: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        for name, value in _assigned(node):
            named.setdefault(name, []).extend(_constants(value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "worded" and node.args:
            yield from _constants(node.args[0])
            names = [it.id for it in ast.walk(node.args[0]) if isinstance(it, ast.Name)]
            yield from (text for name in names for text in named.get(name, ()))


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        for name, value in zip(node.targets[0].elts, node.value.elts, strict=True):
            if isinstance(name, ast.Name):
                yield name.id, value


def _constants(node: ast.AST) -> list[str]:
    """The texts that an expression may be: a string, or one of two."""
    if isinstance(node, ast.IfExp):
        return [*_constants(node.body), *_constants(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


if __name__ == "__main__":
    language, chapter = sys.argv[1:]
    known = pairs(language, "lessons")
    print(json.dumps({text: "" for text in texts_of(chapter) if text not in known}, indent=1, ensure_ascii=False))
