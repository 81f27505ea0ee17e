"""Loops that say what they go over: the `for` of a script, and of the modules beside it, before they are run.

`for x in data` becomes `for x in __autograd_lab_loop__(data, 3)`. That function hands back a plain iterator, so a turn
of a loop costs nothing; what is left in it is asked for when somebody wants to know.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

NAME = "__autograd_lab_loop__"
"""What a marked `for` calls, with what it goes over and the number of the loop."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop in a file: its lines, whether a `break` or `return` may end it, and the comparisons that decide on it."""

    number: int
    first: int
    last: int
    is_for: bool
    breaks: bool
    ends: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """Two expressions of names and numbers; the loop ends when their difference changes its sign."""

    left: ast.expr
    right: ast.expr


def marked_program(tree: ast.Module) -> tuple[ast.Module, list[Loop]]:
    """A program with its loops marked, and these loops by their numbers."""
    marker = _Marker()
    marked: ast.Module = ast.fix_missing_locations(marker.visit(tree))
    return marked, marker.loops


class _Marker(ast.NodeTransformer):
    """Marks the loops of a program."""

    def __init__(self) -> None:
        self.loops: list[Loop] = []

    def visit_For(self, node: ast.For) -> ast.For:
        number = self._note(node, True, _breaks(node))
        given = ast.Call(ast.Name(NAME, ast.Load()), [node.iter, ast.Constant(number)], [])
        node.iter = ast.copy_location(given, node.iter)
        self.generic_visit(node)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self._note(node, False, [*_conditions(node.test), *_breaks(node)])
        self.generic_visit(node)
        return node

    def _note(self, node: ast.For | ast.While, is_for: bool, ends: list[Condition]) -> int:
        number, last = len(self.loops), node.body[-1].end_lineno or node.lineno
        breaks = any(
            isinstance(each, ast.Break | ast.Return) for statement in node.body for each in ast.walk(statement)
        )
        self.loops.append(Loop(number, node.lineno, last, is_for, breaks, tuple(ends)))
        return number


def _breaks(loop: ast.For | ast.While) -> list[Condition]:
    """The conditions of each `if …: break` of a loop itself."""
    found: list[Condition] = []
    todo: list[ast.stmt] = list(loop.body)
    while todo:
        statement = todo.pop()
        if isinstance(statement, ast.If):
            if any(isinstance(inner, ast.Break) for inner in statement.body):
                found += _conditions(statement.test)
            todo += [*statement.body, *statement.orelse]
        elif isinstance(statement, ast.With | ast.Try):
            todo += statement.body
    return found


def _conditions(test: ast.expr) -> list[Condition]:
    """The comparisons of two numbers in a condition."""
    if isinstance(test, ast.BoolOp):
        return [each for value in test.values for each in _conditions(value)]
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and not isinstance(test.ops[0], ast.In | ast.NotIn):
        return [Condition(test.left, test.comparators[0])]
    return []
