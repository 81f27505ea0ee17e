"""The texts in the cells of a lesson: what is read in prose, and in code. Each of them is worded by itself.

In prose a text is a paragraph, a heading or an item of a list, whatever lines it is written on. In code it is a
comment, a docstring, what `print`, `figure` and `drag` are given to say, or a name in an answer; so a cell in another
language is the same program.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from autograd_lab.lessons.worded import worded

BLOCK = re.compile(r"\n[ \t]*\n+|\n(?=\* |\d+\. |\|)")
"""What stands between two texts of prose."""
MARKER = re.compile(r"#+ |\* |\d+\. ")
SAYING = {"print", "figure", "drag"}
"""Functions whose strings are read."""
LITERAL = re.compile(r'[a-zA-Z]*(?P<quote>"""|")(?P<text>.*?)(?<!\\)(?P=quote)', re.DOTALL)
APART = re.compile(r"\{[^{}]*\}|`[^`]*`|\$[^$]*\$|<[^>]+>|\b(?:None|True|False)\b")
"""Holes, code, formulas and names of Python, in which no language stands."""
WORD = re.compile(r"(?<![\w.`/])[A-Za-z]?[a-z]+[a-z](?![\w.(/]*[\w(/])")
WIDTH = 100


class Piece(NamedTuple):
    """A text, and where it stands in a cell; a string of code has a column, below which its further lines begin."""

    start: int
    end: int
    text: str
    column: int | None = None

    def said(self, source: str) -> str:
        """What stands there in the language that is spoken."""
        other, written = worded(self.text), source[self.start : self.end]
        if other == self.text:
            return written
        if self.column is None:
            return other
        return _literal(written, other, self.column)


def prose_said(text: str) -> str:
    """The text of a cell of prose in the language that is spoken."""
    return _said(text, texts_in_prose(text))


def code_said(source: str) -> str:
    """The code of a cell with its texts in the language that is spoken."""
    return _said(source, texts_in_code(source))


def _said(source: str, pieces: list[Piece]) -> str:
    for piece in reversed(pieces):
        source = source[: piece.start] + piece.said(source) + source[piece.end :]
    return source


def texts_in_prose(text: str) -> list[Piece]:
    """The texts of a cell of prose, in their order."""
    found, start = [], 0
    for end, following in [*((it.start(), it.end()) for it in BLOCK.finditer(text)), (len(text), len(text))]:
        marker = MARKER.match(text, start, end)
        first = marker.end() if marker else start
        found.append(Piece(first, end, " ".join(text[first:end].split())))
        start = following
    return [piece for piece in found if has_words(piece.text)]


def texts_in_code(source: str) -> list[Piece]:
    """The texts of a cell of code, in their order."""
    found = [*_comments(source), *_strings(source)]
    return sorted(piece for piece in found if has_words(piece.text))


def has_words(text: str) -> bool:
    """Whether a text has words of a language, beside names and numbers.

    >>> has_words("a.grad"), has_words("{x.grad} dz/dy"), has_words(" edge to a:"), has_words("y is")
    (False, False, True, True)
    """
    return WORD.search(APART.sub(" ", text)) is not None


def _comments(source: str) -> Iterator[Piece]:
    starts = _starts(source)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("###"):
            start = starts[token.start[0] - 1] + token.start[1]
            text = token.string.lstrip("# ")
            yield Piece(start + len(token.string) - len(text), start + len(token.string), text)


def _strings(source: str) -> Iterator[Piece]:
    starts, lines = _starts(source), source.splitlines()

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for node in _read(ast.parse(source)):
        start, end = place(node.lineno, node.col_offset), place(node.end_lineno or 0, node.end_col_offset or 0)
        text = "".join(literal["text"] for literal in LITERAL.finditer(source, start, end))
        yield Piece(start, end, text, start - starts[node.lineno - 1])


def _read(tree: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The strings that are there to be read."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str()) as docstring), *_]):
                yield docstring
            case ast.Call(func=ast.Name(id=name)) if name in SAYING:
                yield from (text for argument in node.args for text in _texts_below(argument))
            case ast.Assign(value=ast.Dict(keys=keys)):
                yield from (key for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def _texts_below(node: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts_below(child)


def _starts(source: str) -> list[int]:
    """Where each line begins."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _literal(written: str, text: str, column: int) -> str:
    """A text between the quotes of the one that was written; on several lines if that one was."""
    first = LITERAL.match(written)
    assert first is not None, written
    before, after = written[: first.start("text")], first["quote"]
    if "\n" not in written or after == '"""':
        return f"{before}{text}{after}"
    lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"\n{' ' * column}".join(f"{before}{line}{' ' * (line is not lines[-1])}{after}" for line in lines)
