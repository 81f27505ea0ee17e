"""Which expression runs at an instruction, what it is assigned to, and what its operands are called.

Python 3.11 and later know, for each instruction, the exact characters of the source that it came from. So the very
expression that is being computed can be looked up in the file's syntax tree, and with it the names around it:
in `y = (a + b) * c`, the addition is known to be `a + b` with the operands `a` and `b`, and the product to become `y`.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from itertools import islice
from types import CodeType

Position = tuple[int | None, int | None, int | None, int | None]
Read = tuple[int, str, tuple[int, int] | None, str | None, tuple[str, ...], tuple[str, ...], bool, bool, int]
"""What a `Where` and a `Site` hold, as far as it is the same in each recording."""
_MOST_READ = 4096
_known: dict[tuple[int, int], tuple[CodeType, list[str], Read]] = {}
"""What was read of places: to take it from the syntax tree takes longer than a step of a small model. What is kept is
the code, whose address stays its own, so, and the lines, which are others once the file has changed."""


def read(code: CodeType, instruction: int, lines: list[str]) -> Read:
    """What is at an instruction of some code, in a file of these lines."""
    key = id(code), instruction
    known = _known.get(key)
    if known is None or known[1] is not lines:
        if len(_known) >= _MOST_READ:
            _known.clear()
        known = _known[key] = code, lines, _read_anew(code, instruction, lines)
    return known[2]


def _read_anew(code: CodeType, instruction: int, lines: list[str]) -> Read:
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
