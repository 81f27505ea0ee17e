"""Where a tensor's history was lost, read from the text of the user's program: which line took it off the graph."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import FrameType
from typing import Any

from autograd_lab.engine.errors import is_tensor
from autograd_lab.events import Where
from autograd_lab.recording.source import Sites, look_up

CUTS = frozenset(["detach", "detach_", "data", "item", "tolist", "numpy"])
"""What gives values without a history."""
SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled(False)")
Row = tuple[str, Where | None]


def lost(frame: FrameType) -> Row | None:
    """Why the tensor in the running line has no history: the line where it went, or the leaf that requires no grad.

    The names in that line are followed back to where they were last assigned; None if all that says nothing.
    """
    scope = _Scope(frame)
    waiting, seen = list(scope.running()), set()
    for statement in waiting:  # which grows on the way
        if statement in seen:
            continue
        seen.add(statement)
        where = scope.where(statement.lineno)
        if (cut := _cut(statement)) is not None:
            return f"`{cut}` takes the history off", where
        if (switch := scope.switched_off(statement)) is not None:
            return f"nothing is recorded under `{switch}`", where
        for name in _names(statement):
            if (assigned := scope.assigned(name, statement.lineno)) is not None:
                waiting.append(assigned)
    return None


def leaves_without(frame: FrameType) -> list[str]:
    """The variables which the running line leads back to that are leaves and require no gradient."""
    scope = _Scope(frame)
    waiting, seen, found = list(scope.running()), set(), []
    for statement in waiting:
        if statement in seen:
            continue
        seen.add(statement)
        for name in _names(statement):
            value = look_up(name, frame)
            assigned = scope.assigned(name, statement.lineno)
            if assigned is not None:
                waiting.append(assigned)
            if _is_made(assigned, frame) and is_tensor(value) and not value._needs and name not in found:
                found.append(name)
    return found


class _Scope:
    """The statements of a function, or of a module, that come before the line that it is at."""

    def __init__(self, frame: FrameType) -> None:
        code = frame.f_code
        self._now, self._first = frame.f_lineno, code.co_firstlineno
        self._lines = linecache.getlines(code.co_filename)
        where = Sites().at(code, frame.f_lasti).where
        self._file = "" if where is None else where.file
        try:
            tree = ast.parse("".join(self._lines))
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])
        self._statements = [
            node for node in ast.walk(tree) if isinstance(node, ast.stmt) and self._first <= node.lineno <= self._now
        ]

    def where(self, line: int) -> Where:
        """A line, as messages show it."""
        return Where(file=self._file, line=line, text=self._lines[line - 1].strip())

    def running(self) -> Iterator[ast.stmt]:
        """The statement that is running."""
        simple = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
        for node in self._statements:
            if isinstance(node, simple) and node.lineno <= self._now <= (node.end_lineno or node.lineno):
                yield node

    def assigned(self, name: str, before: int) -> ast.stmt | None:
        """The last statement before a line that assigns to a name."""
        found = [node for node in self._statements if node.lineno < before and name in _targets(node)]
        return max(found, key=lambda node: node.lineno, default=None)

    def switched_off(self, statement: ast.stmt) -> str | None:
        """What recording is switched off by around a statement."""
        for node in self._statements:
            if isinstance(node, ast.With) and node.lineno < statement.lineno <= (node.end_lineno or 0):
                texts = [ast.unparse(item.context_expr) for item in node.items]
                if (found := next((text for text in texts if any(one in text for one in SWITCHES)), None)) is not None:
                    return found
        return None


def _targets(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            found: list[Any] = list(targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            found = [target]
        case _:
            found = []
    return {node.id for each in found for node in ast.walk(each) if isinstance(node, ast.Name)}


def _names(statement: ast.stmt) -> list[str]:
    value = getattr(statement, "value", None)
    return [] if value is None else [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]


def _cut(statement: ast.stmt) -> str | None:
    value = getattr(statement, "value", None)
    for node in () if value is None else ast.walk(value):
        if isinstance(node, ast.Attribute) and node.attr in CUTS:
            return node.attr if node.attr == "data" else f"{node.attr}()"
    return None


def _is_made(statement: ast.stmt | None, frame: FrameType) -> bool:
    """Whether a statement makes a tensor from numbers: a call with no variable among its arguments, on no tensor."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Call):
        return False
    called = [node.id for node in ast.walk(value.func) if isinstance(node, ast.Name)]
    if any(is_tensor(look_up(name, frame)) for name in called):
        return False
    arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
    return not any(isinstance(node, ast.Name) for argument in arguments for node in ast.walk(argument))
