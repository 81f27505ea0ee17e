"""What a lesson notebook has to be like, beyond running."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from autograd_lab.lessons.syllabus import LESSONS
from tests.lessons.running import NOTEBOOKS

STAGES = ["predict", "run", "investigate", "says", "modify", "make", "explain", "exit"]
"""The parts of a lesson, in order; a lesson without defects has no `says`."""
KNOWN = {"after", "source", "defect", "stage", "answers", "checks", "worlds", "slideshow", "tags"}
LINES = 10
"""So many lines a function in a cell may have: what is longer belongs into the lesson's Python file."""
NEAR = 2
"""So many cells after a figure there has to be something to do."""
TASK = re.compile(r"\b(?:predict|task|check)\(")
FIGURE = re.compile(
    r'\bfigure\(\s*\w+(?:\([^()]*\))?,\s*(?P<says>"(?:[^"\\]|\\.)*(?:"\s*"(?:[^"\\]|\\.)*)*")', re.DOTALL
)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
WORDS = re.compile(r"[A-Za-z]+")


def complaints(notebook: Any) -> Iterator[str]:
    """What is wrong with a notebook, one sentence each."""
    for number, cell in enumerate(notebook.cells):
        near = notebook.cells[number : number + NEAR + 1]
        for wrong in (*_metadata(cell), *(_code(cell, near) if _is_code(cell) else _prose(cell))):
            yield f"cell {cell.id}: {wrong}"


def _is_code(cell: Any) -> bool:
    return bool(cell.cell_type == "code")


def _metadata(cell: Any) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9-]{2,64}", cell.id):
        yield "an id is small letters, digits and hyphens"
    if strange := cell.metadata.keys() - KNOWN:
        yield f"nobody reads {', '.join(strange)}"
    if cell.metadata.get("stage", "run") not in STAGES:
        yield f"there is no stage {cell.metadata['stage']}"


def _code(cell: Any, near: list[Any]) -> Iterator[str]:
    source = cell.source
    if cell.outputs or cell.execution_count is not None:
        yield "its outputs should be stripped"
    if any(lines > LINES for lines in _functions(source)):
        yield f"a function of more than {LINES} lines belongs into the lesson's Python file"
    if "figure(" in source:
        if not (found := FIGURE.search(source)) or len(found["says"]) < 20:
            yield "a figure says in words what there is to be seen, as its second argument"
        if not any(_is_code(each) and TASK.search(each.source) for each in near):
            yield f"after a figure there is something to do within {NEAR} cells"
    if cell.metadata.get("defect"):
        if "assert " not in source:
            yield "what PyTorch does is asserted"
        if not all(f"\n# {who}: " in f"\n{source}" for who in ("The article says", "PyTorch does")):
            yield 'it begins with "# The article says: …" and "# PyTorch does: …"'


def _functions(source: str) -> Iterator[int]:
    """How many lines each function in a cell has."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield (node.end_lineno or 0) - node.lineno + 1


def _prose(cell: Any) -> Iterator[str]:
    planned = {f"{lesson.name}.ipynb" for lesson in LESSONS}
    for target in LINK.findall(cell.source):
        if "://" not in target and target not in planned and not (NOTEBOOKS / target).exists():
            yield f"the link to {target} leads nowhere"
    if "![" in cell.source and "![]" in cell.source:
        yield "a picture has words for whoever does not see it"


def reading(notebook: Any) -> tuple[int, float]:
    """How many words the prose has, and the grade of school (Flesch and Kincaid) in which it can be read."""
    prose = "\n".join(cell.source for cell in notebook.cells if not _is_code(cell))
    prose = re.sub(r"</?abbr[^>]*>", "", prose)
    prose = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\|[-|]+\|", " it ", prose)
    sentences = max(1, len(re.findall(r"[.!?:;](?:\s|$)", prose)))
    words = WORDS.findall(prose)
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", word.lower().removesuffix("e")))) for word in words)
    return len(words), 0.39 * len(words) / sentences + 11.8 * syllables / max(1, len(words)) - 15.59
