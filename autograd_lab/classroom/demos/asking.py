"""At which step of a run each question is to be asked: just before the statement below it runs for the first time.

The program is run with a mark before that statement, since lines alone do not tell when a program comes by: what
happens next may happen in a function further up.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from autograd_lab.classroom.demos.questions import without_answers
from autograd_lab.display.script import Run, read_as, run_source
from autograd_lab.trace import Trace

MARK = "__ask__"


def run_asking(file: str, source: str, arguments: Sequence[str] = (), torch: bool = False) -> tuple[Run, list[int]]:
    """Run a program as the file `file` would be run, without its answers; also the step of each of its questions.

    Nobody who plays the trace is to read the answers in the program. A question that the run does not come to is asked
    at its end. Raises QuestionError and TorchMissing.
    """
    text, below = without_answers(source)
    asked: dict[int, int] = {}

    def marks(trace: Trace) -> Mapping[str, Any]:
        return {MARK: lambda number: asked.setdefault(number, trace.told)}

    with read_as(file, text):
        run = run_source(_marked(text, below), file, [file, *arguments], torch, marks)
    return run, [asked.get(number, len(run.trace)) for number in range(len(below))]


def _marked(text: str, lines: Sequence[int]) -> ast.Module | str:
    """The program with its marks; a program that is no Python as it is, so that running it says why."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    for number, line in enumerate(lines):
        _mark(tree, number, line)
    return ast.fix_missing_locations(tree)


def _mark(tree: ast.Module, number: int, line: int) -> None:
    """Put a mark before the first statement that begins at a line or below it."""
    places = [
        (statement.lineno, body, place)
        for body in _bodies(tree)
        for place, statement in enumerate(body)
        if statement.lineno >= line and not _comes_first(statement)
    ]
    if places:
        _, body, place = min(places, key=lambda found: found[0])
        mark = ast.parse(f"{MARK}({number})").body[0]
        for node in ast.walk(mark):
            ast.copy_location(node, body[place])
        body.insert(place, mark)


def _bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    fields = ("body", "orelse", "finalbody")
    lists = (getattr(node, field, None) for node in ast.walk(tree) for field in fields)
    return [body for body in lists if isinstance(body, list)]


def _comes_first(statement: ast.stmt) -> bool:
    """Whether nothing may stand before it."""
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
