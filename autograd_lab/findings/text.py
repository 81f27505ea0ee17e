"""The text of a program as a tree, which is parsed and walked once for all who look for something in it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

from autograd_lab.events import Where

Kind = TypeVar("Kind", bound=ast.AST)


def nodes(text: str, kind: type[Kind]) -> list[Kind]:
    """All nodes of a kind, in the order of the tree; none if the text is no Python.

    >>> [ast.unparse(node) for node in nodes("loss = f(x)", ast.Call)], nodes("not Python", ast.Call)
    (['f(x)'], [])
    """
    return [node for node in _by_kind(text).get(kind, ()) if isinstance(node, kind)]


def place(file: str, text: str, node: ast.expr | ast.stmt) -> Where:
    """The line that a node begins on."""
    return Where(file=file, line=node.lineno, text=text.splitlines()[node.lineno - 1].strip())


@lru_cache(maxsize=32)
def _by_kind(text: str) -> Mapping[type[ast.AST], list[ast.AST]]:
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return found
    for node in ast.walk(tree):
        found[type(node)].append(node)
    return found
