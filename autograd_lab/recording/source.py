"""Which line of the user's program is running, what it assigns to, and what its operands are called.

Python 3.11 and later know, for each instruction, the exact characters of the source that it came from. So the very
expression that is being computed can be looked up in the file's syntax tree, and with it the names around it:
in `y = (a + b) * c`, the addition is known to be `a + b` with the operands `a` and `b`, and the product to become `y`.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from types import CodeType, FrameType

from autograd_lab.events import CELL, Where
from autograd_lab.whose import PACKAGE, users_frame

Position = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the user's program: its line, the expression there, the targets it is assigned to, its operands.

    `number` is its place in `Sites.wheres`; what is there may be a call, or what compares with many things, or whose
    result is none of what happens there: `max(a, b)`. `instruction` is where in its function it stands.
    """

    where: Where | None
    expression: str | None = None
    targets: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    number: int = 0
    is_call: bool = False
    is_aside: bool = False
    instruction: int = -1

    def step(self, op: str) -> Site:
        """The same place, for what an op gives there on the way to what the expression means."""
        return replace(self, expression=f"{op}(…)", targets=())

    def assignment(self) -> Site:
        """The same place, where what is written is an attribute that something is assigned to: `m.weight = w`."""
        name = self.expression or ""
        is_path = "." in name and name.replace(".", "").isidentifier()
        return replace(self, targets=(name,) if is_path else ())


NOWHERE = Site(None)

COMPOSING = {os.path.join(PACKAGE, "func", ""), os.path.join(PACKAGE, "autograd", "functional.py")}
"""Files, or folders, of an engine whose functions do several things, of which the last is not what the call means."""
FOR_ITSELF = {os.path.join(PACKAGE, name, "") for name in ("nn", "utils", "distributions")} | COMPOSING
"""Those whose functions make tensors for their own use; save for `nn.Parameter`."""


@cache
def composes(file: str) -> bool:
    """Whether the ops that a call into this file of an engine does are steps on the way of that call."""
    return file.startswith(tuple(COMPOSING))


MODULES = {os.path.join(PACKAGE, "nn", "module.py")}
"""Where what all modules can do is written: `m.double()`, which means the module; and their call itself."""


def is_of_modules(file: str) -> bool:
    """Whether a file is one of those."""
    return file in MODULES


@cache
def makes_for_itself(file: str) -> bool:
    """Whether the tensors that a call into this file of an engine makes are no result of that call."""
    return file.startswith(tuple(FOR_ITSELF)) and os.path.basename(file) != "parameter.py"


def entered_file(deepest: FrameType, users: FrameType | None) -> str:
    """The file of the function that a user's frame has called, and that has come as deep as this."""
    while deepest.f_back is not None and deepest.f_back is not users:
        deepest = deepest.f_back
    return deepest.f_code.co_filename


def code_of(frame: FrameType | None) -> CodeType | None:
    """The code that a frame runs, if there is one."""
    return None if frame is None else frame.f_code


class Sites:
    """The places a program ran through: `wheres`, and in `texts` the source of each file, by the name shown for it."""

    def __init__(self) -> None:
        self.notice: Callable[[FrameType | None], None] | None = None
        self.texts: dict[str, str] = {}
        self.wheres: list[Where | None] = [None]
        self._names: dict[str, str] = {}
        self._found: dict[tuple[int, int], tuple[CodeType, Site]] = {}

    def here(self, frame: FrameType | None) -> tuple[Site, FrameType | None]:
        """The nearest place at or above `frame` that is not this package's own code, and its frame."""
        return self.of(users_frame(frame))

    def of(self, frame: FrameType | None) -> tuple[Site, FrameType | None]:
        """The place of a frame of the program, and that frame; nowhere, if there is none."""
        if self.notice is not None:
            self.notice(frame)
        if frame is None:
            return NOWHERE, None
        code, instruction = frame.f_code, frame.f_lasti
        found = self._found.get((id(code), instruction))
        return self.at(code, instruction) if found is None else found[1], frame

    def at(self, code: CodeType, instruction: int) -> Site:
        """The place of one instruction (a byte offset, as in `frame.f_lasti`)."""
        key = (id(code), instruction)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = (code, self._look(code, instruction))  # keeping `code` keeps its id its own
        return found[1]

    def _look(self, code: CodeType, instruction: int) -> Site:
        lines = linecache.getlines(code.co_filename)
        line, text, columns, expression, targets, operands, is_call, is_aside, at = _read(code, instruction, lines)
        where = Where(file=self._shown(code.co_filename, lines), line=line, text=text, columns=columns)
        self.wheres.append(where)
        return Site(where, expression, targets, operands, len(self.wheres) - 1, is_call, is_aside, at)

    def _shown(self, filename: str, lines: list[str]) -> str:
        """A name for the file that does not tell where on this machine it lies, unless two would share it."""
        if filename not in self._names:
            name = _cell(filename) or _path_from_here(filename)
            self._names[filename] = filename if name in self.texts else name
            self.texts[self._names[filename]] = "".join(lines)
        return self._names[filename]


def _cell(filename: str) -> str | None:
    """What a notebook calls the cell that IPython has compiled as this file, if it is one: by its execution count."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = find() if find is not None else None
    ask = getattr(getattr(shell, "compile", None), "format_code_name", None)
    called = ask(filename) if ask is not None else None  # ("Cell", "In[2]")
    return None if called is None else CELL + called[1].removeprefix("In[")


def _path_from_here(filename: str) -> str:
    """The path as seen from the current folder, if it lies in there; else the file's name alone."""
    relative = os.path.relpath(filename) if os.path.isabs(filename) and _same_drive(filename) else filename
    return (os.path.basename(filename) if relative.startswith("..") else relative).replace(os.sep, "/")


def _same_drive(filename: str) -> bool:
    return os.path.splitdrive(filename)[0] == os.path.splitdrive(os.getcwd())[0]


_Read = tuple[int, str, tuple[int, int] | None, str | None, tuple[str, ...], tuple[str, ...], bool, bool, int]
"""What a `Where` and a `Site` hold, as far as it is the same in each recording."""
_MOST_READ = 4096
_known: dict[tuple[int, int], tuple[CodeType, list[str], _Read]] = {}
"""What was read of places: to take it from the syntax tree takes longer than a step of a small model. What is kept is
the code, whose address stays its own, so, and the lines, which are others once the file has changed."""


def _read(code: CodeType, instruction: int, lines: list[str]) -> _Read:
    """What is at an instruction of some code, in a file of these lines."""
    key = id(code), instruction
    known = _known.get(key)
    if known is None or known[1] is not lines:
        if len(_known) >= _MOST_READ:
            _known.clear()
        known = _known[key] = code, lines, _read_anew(code, instruction, lines)
    return known[2]


def _read_anew(code: CodeType, instruction: int, lines: list[str]) -> _Read:
    position = next(islice(code.co_positions(), max(instruction, 0) // 2, None), (None, None, None, None))
    line = position[0] or code.co_firstlineno
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    found = _index("".join(lines)).get(position)
    if found is None:
        return line, text, None, None, (), (), False, False, -1
    node, targets, operands = found
    is_shown = isinstance(node, _SHOWN)
    columns, expression = (_columns(position, lines[line - 1]), ast.unparse(node)) if is_shown else (None, None)
    kinds = isinstance(node, ast.Call), _only_compares(node)
    return line, text, columns, expression, targets, operands, *kinds, instruction


_SHOWN = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Compare, ast.Subscript, ast.Attribute, ast.AugAssign)
Around = tuple[ast.AST, tuple[str, ...], tuple[str, ...]]


@lru_cache(maxsize=64)
def _index(text: str) -> dict[Position, Around]:
    """For each expression's exact position: itself, the targets it is assigned to, the names of its operands."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    index: dict[Position, Around] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            index[_position(node)] = (node, (), _operands(node))
        elif isinstance(node, ast.AugAssign):
            index[_position(node)] = (node, _path(node.target), _path(node.target) + _path(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            target = node.targets[-1] if isinstance(node, ast.Assign) else node.target
            expression, _, operands = index[_position(node.value)]
            index[_position(node.value)] = (expression, _targets(target), operands)
    return index


def _columns(position: Position, line: str) -> tuple[int, int] | None:
    """From which to which character of its line an expression reaches, but for what that is indented by; to the end of
    it, if the expression goes on below. Nothing, if that is all of the line: Python counts bytes.

    >>> _columns((7, 7, 4, 10), "c = é * b"), _columns((7, 9, 6, 1), "  c = max(a,"), _columns((7, 7, 0, 4), "f(a)")
    ((4, 9), (4, 10), None)
    """
    first, last, start, end = position
    text, indent = line.strip(), len(line) - len(line.lstrip())
    if start is None or end is None:
        return None
    data = line.encode("utf-8", "replace")
    begin, stop = (len(data[:column].decode(errors="ignore")) - indent for column in (start, end))
    found = max(begin, 0), stop if first == last else len(text)
    return found if 0 < found[1] - found[0] < len(text) else None


def _only_compares(node: ast.AST) -> bool:
    """Whether what runs at an expression, though it is not what that gives, are comparisons: `max(a, b)`, `a in b`."""
    match node:
        case ast.Call(func=ast.Name(id="max" | "min" | "sorted")):
            return True
        case ast.Compare(ops=operators):
            return any(isinstance(one, ast.In | ast.NotIn) for one in operators)
    return False


def _position(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _targets(target: ast.expr) -> tuple[str, ...]:
    if isinstance(target, ast.Tuple | ast.List):
        names = [_path(element) for element in target.elts]
        return tuple(name[0] for name in names) if all(names) else ()
    return _path(target)


def _path(node: ast.expr) -> tuple[str, ...]:
    """The one name or dotted path that an expression is, or nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (".".join([node.id, *reversed(parts)]),) if isinstance(node, ast.Name) else ()


def _operands(node: ast.expr) -> tuple[str, ...]:
    match node:
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Compare(left=left, comparators=comparators):
            parts = [left, *comparators]
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            parts = [value]
        case ast.Call(func=func, args=args, keywords=keywords):
            parts = [getattr(func, "value", func), *args, *(keyword.value for keyword in keywords)]
            parts += [element for part in args if isinstance(part, ast.List | ast.Tuple) for element in part.elts]
        case _:
            parts = []
    held = [part.value for part in parts if isinstance(part, ast.Subscript)]  # a weight may be an item of a dict
    return tuple(name for part in (*parts, *held) for name in _path(part))
