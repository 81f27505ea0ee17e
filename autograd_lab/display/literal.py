"""The numbers that a script gives a name: where each stands in its text, so that it can be run with others."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograd_lab.display.target import Misuse

MAKERS = {"tensor", "as_tensor", "scalar_tensor", "Parameter", "Variable", "FloatTensor", "DoubleTensor", "float"}
"""What one calls with the number that a leaf is to have."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as it is written: `2.0` in `a = torch.tensor(2.0, requires_grad=True)`, from one byte to another."""

    name: str
    text: str
    line: int
    start: int
    end: int


def text_of(path: Path) -> str:
    """A script's text. Raises OSError, and SyntaxError for an encoding that there is not."""
    source = path.read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return io.TextIOWrapper(io.BytesIO(source), encoding).read()


def literals_in(source: str) -> list[Literal]:
    """Each number that a name is set to, by itself or as the one number of a tensor."""
    starts, encoded = [0], source.encode()
    for line in encoded.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for name, node in _assigned(ast.parse(source)):
        number = _number_in(node)
        if number is not None:
            start = starts[number.lineno - 1] + number.col_offset
            end = starts[(number.end_lineno or number.lineno) - 1] + (number.end_col_offset or 0)
            found.append(Literal(name, encoded[start:end].decode(), number.lineno, start, end))
    return sorted(found, key=lambda literal: literal.start)


def literal_of(name: str, source: str, script: str) -> Literal:
    """The number that a name is set to. Raises Misuse, which says what can be varied, if there is not one alone."""
    literals = literals_in(source)
    found = [literal for literal in literals if literal.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        lines = " and ".join(str(literal.line) for literal in found)
        why = f"{script} sets {name} to a number more than once, in lines {lines}"
    else:
        why = _why_none(name, source, script)
    once = [literal for literal in literals if sum(other.name == literal.name for other in literals) == 1]
    told = ", ".join(f"{literal.name} ({literal.text}, line {literal.line})" for literal in once)
    raise Misuse(
        f"{why}; what can be varied: {told or f'nothing; write {name} = torch.tensor(2.0, requires_grad=True)'}"
    )


def _why_none(name: str, source: str, script: str) -> str:
    node = next((node for target, node in _assigned(ast.parse(source)) if target == name), None)
    if node is None:
        return f"{script} has no {name} that is set to a number, as by {name} = torch.tensor(2.0, requires_grad=True)"
    return f"line {node.lineno} of {script} sets {name} to {ast.unparse(node)}, which is not one number"


def with_numbers(source: str, numbers: Mapping[Literal, str]) -> str:
    """The text with other numbers in the place of these."""
    text = source.encode()
    for literal in sorted(numbers, key=lambda each: -each.start):
        text = text[: literal.start] + numbers[literal].encode() + text[literal.end :]
    return text.decode()


def _assigned(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """All names that something is assigned to, and what that is; what `a, b = …` takes apart by itself, too."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[*targets], value=value):
                for target in targets:
                    yield from _pairs(target, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, its in zip(targets, values, strict=True):
                yield from _pairs(one, its)


def _number_in(node: ast.expr) -> ast.expr | None:
    """The number that an expression is, or that makes a tensor: in its call, or in one that a method is called on."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float()):
            return node
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float())):
            return node
        case ast.List(elts=[alone]):
            return _number_in(alone)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]) if name in MAKERS:
            return _number_in(first)
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner)):
            return _number_in(inner)
    return None
