"""Whether a notebook tells what it asks: in the cells after a question, or above what is to be filled in."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Any

from autograd_lab.lessons.fill import Filling, plain
from autograd_lab.lessons.question import Question, shown
from autograd_lab.lessons.registry import find
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.world import world
from tests.lessons.running import printed

CELLS = 4
"""So many cells around a question must not tell its truth."""
ASKS = re.compile(r'\b(?:predict|task|check)\("((?:L\d+|Q)\.[A-Z]\d+)"')
HARMLESS = {
    "L12.P3": "a difference quotient has 2 ε below its line",
    "L0.P1": "c is 5, which says nothing of how many nodes there are",
    "L1.P2": "d is 4, which says nothing of how many operations there are",
}
"""Where the same word or number stands near a question and means something else, by its id."""


def spoilers(notebook: Any) -> Iterator[str]:
    """What an executed notebook, in which nothing has been answered, tells too early."""
    cells = [cell for cell in notebook.cells if cell.source]
    for place, cell in enumerate(cells):
        for id in ASKS.findall(cell.source) if cell.cell_type == "code" else ():
            asked = find(id)
            if id in HARMLESS:
                continue
            if isinstance(asked, Question):
                yield from _told(asked, cells[max(0, place - 1) : place], captions=True)
                yield from _told(asked, cells[place + 1 : place + 1 + CELLS])
            elif isinstance(asked, Filling) and f'task("{id}")' in cell.source:
                yield from _printed_above(asked, cells[max(0, place - CELLS) : place])


def _told(asked: Question, cells: list[Any], *, captions: bool = False) -> Iterator[str]:
    truth = worded(asked.choices[asked.right()].text)
    for cell in cells:
        if ASKS.search(cell.source):
            continue
        for text in [*_strings(cell)] if captions and cell.cell_type == "code" else [] if captions else said_by(cell):
            if found := re.search(rf"(?<![\w.]){re.escape(truth)}(?:\.0)?(?!\w|\.\d)", text):
                yield f"{asked.id}: the truth, {truth}, stands in cell {cell.id}: {text[: found.end() + 20]!r}"


def _printed_above(asked: Filling, cells: list[Any]) -> Iterator[str]:
    truth = [round(each, 4) if isinstance(each, float) else each for each in _values(plain(asked.truth(_engine())))]
    wanted = {shown(each) for each in truth if not isinstance(each, bool)} - {"0", "1", "None"}
    wanted = {each for each in wanted if each not in asked.text}
    text = "\n".join(line for cell in cells if not ASKS.search(cell.source) for line in said_by(cell))
    stand = {each for each in wanted if re.search(rf"(?<![\w.-]){re.escape(each)}(?!\w|\.\d)", text)}
    if len(wanted) > 1 and stand == wanted:
        yield f"{asked.id}: all of {sorted(wanted)} stand above it"


def _engine() -> Any:
    return world("autograd_lab")


def _values(value: Any) -> Iterator[Any]:
    match value:
        case dict():
            for each in value.values():
                yield from _values(each)
        case list():
            for each in value:
                yield from _values(each)
        case _:
            yield value


def said_by(cell: Any) -> Iterator[str]:
    """What a cell says to whoever reads it: prose; of code its texts, comments, asserts, and what it printed."""
    if cell.cell_type != "code":
        yield cell.source
        return
    yield from _strings(cell)
    yield from (token.string for token in _tokens(cell.source) if token.type == tokenize.COMMENT)
    tree = ast.parse(cell.source)
    yield from (ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Assert))
    yield printed(cell)


def _strings(cell: Any) -> Iterator[str]:
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(source).readline))
