"""Where a tensor's history was lost, read from the text of the user's program: which line took it off the graph."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from types import FrameType
from typing import Any

from autograd_lab.engine.errors import is_tensor
from autograd_lab.events import Where
from autograd_lab.recording.program.source import Sites
from autograd_lab.recording.program.variables import look_up

CUTS = frozenset(["detach", "detach_", "data", "item", "tolist", "numpy"])
"""What gives values without a history."""
CHOICES = frozenset(["argmax", "argmin", "argsort", "nonzero", "long", "int", "bool", "bincount"])
"""What gives whole numbers or truth values, which carry no gradient."""
COPIES = frozenset(["tensor", "as_tensor", "Tensor", "FloatTensor"])
"""What makes a tensor of numbers, also if these are tensors: `torch.stack` joins them instead."""
DATA = re.compile(r"(x|y|xs|ys|inputs?|data|targets?|labels?|features?|images?|batch)\d*", re.I)
"""What one calls what is given and not learnt."""
SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled(False)")
Row = tuple[str, Where | None]


def lost(frame: FrameType) -> Row | None:
    """Why the tensor in the running line has no history: the line where it went, or the leaf that requires no grad.

    The names in that line are followed back to where they were last assigned; None if all that says nothing, and no
    words if what is followed back does ask for a gradient.
    """
    scope = _Scope(frame)
    waiting, seen = list(scope.running()), set()
    running = tuple(waiting)
    for statement in waiting:  # which grows on the way
        if statement in seen:
            continue
        seen.add(statement)
        where = scope.where(statement.lineno)
        if (cut := _cut(statement, statement in running) or scope.choice(statement)) is not None:
            return cut, where
        if (switch := scope.switched_off(statement)) is not None:
            return f"nothing is recorded under `{switch}`", where
        for name in _names(statement):
            if (assigned := scope.assigned(name, statement.lineno)) is not None:
                waiting.append(assigned)
    return ("", None) if any(map(scope.asks, seen)) else None


def leaves_without(frame: FrameType) -> list[str]:
    """The variables which the running line leads back to that are leaves and require no gradient: those that may be
    meant to be learnt, if their names tell."""
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
    return [name for name in found if not DATA.fullmatch(name)] or found


class _Scope:
    """The statements of a function, or of a module, that come before the line that it is at."""

    def __init__(self, frame: FrameType) -> None:
        code = frame.f_code
        self._frame, self._now, self._first = frame, frame.f_lineno, code.co_firstlineno
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

    def choice(self, statement: ast.stmt) -> str | None:
        """What in a statement gives whole numbers or truth values of tensors that ask for a gradient."""
        value = getattr(statement, "value", None)
        for node in () if value is None else ast.walk(value):
            if isinstance(node, ast.Compare) and self._asks(node):
                return f"`{ast.unparse(node)}` gives truth values, which carry no gradient"
            if not isinstance(node, ast.Call):
                continue
            if _name_of(node.func) in CHOICES and self._asks(node):
                return f"`{_name_of(node.func)}()` gives whole numbers, which carry no gradient"
            if _name_of(node.func) in COPIES and any(self._asks(each) for each in node.args):
                return f"`{_name_of(node.func)}()` copies numbers, and no history"
        return None

    def asks(self, statement: ast.stmt) -> bool:
        """Whether a statement names a tensor that asks for a gradient."""
        return self._asks(statement)

    def _asks(self, node: ast.AST) -> bool:
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        return any(_needs(look_up(name, self._frame)) for name in names)


def _needs(value: Any) -> bool:
    """Whether a tensor asks for a gradient, or any parameter of a module, or of a list of tensors any."""
    if type(value) in (list, tuple):
        return any(is_tensor(each) and bool(each._needs) for each in value)
    parameters = getattr(value, "__dict__", {}).get("_parameters", {})
    return any(is_tensor(each) and bool(each._needs) for each in (value, *parameters.values()))


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


def _cut(statement: ast.stmt, is_running: bool = False) -> str | None:
    """What takes off a history in a statement, as far as its text says so; a `grad` that is running does not."""
    value = getattr(statement, "value", None)
    nodes = [] if value is None else list(ast.walk(value))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Call) and _is_grad(node) and not _creates(node) and not is_running:
            return "`grad()` records nothing unless it is told to by `create_graph=True`"
        if isinstance(node, ast.Attribute) and node.attr == "grad" and id(node) not in called:
            return f"`{ast.unparse(node)}` has no history unless backward() was told to record: `create_graph=True`"
        if isinstance(node, ast.Call) and _name_of(node.func) == "checkpoint":
            return "`checkpoint` records only what its inputs ask for, unless `use_reentrant=False`"
        if isinstance(node, ast.Attribute) and node.attr in CUTS:
            return f"`{node.attr if node.attr == 'data' else f'{node.attr}()'}` takes the history off"
    return None


def _name_of(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _is_grad(call: ast.Call) -> bool:
    return _name_of(call.func) == "grad" and len(call.args) >= 1


def _creates(call: ast.Call) -> bool:
    """Whether a pass is recorded itself."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    return "create_graph" in given and ast.unparse(given["create_graph"]) != "False"


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
