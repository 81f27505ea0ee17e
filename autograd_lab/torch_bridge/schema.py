"""What torch's schemas say of its ops: which arguments there are, and which of them are written to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

NUMBERS = {"other", "exponent", "self", "weight"}
"""Arguments that are operands of an op also when they are plain numbers."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of an op, as its schema has it."""

    name: str
    position: int
    has_tensors: bool
    writes: bool
    is_output: bool


@cache
def plan_of(op: Any) -> tuple[str, tuple[Parameter, ...]]:
    """An op's name and its arguments."""
    schema = op._schema
    space, _, name = schema.name.rpartition("::")
    return name, tuple(
        Parameter(
            name=one.name,
            position=at,
            has_tensors="Tensor" in str(one.type),
            writes=(one.alias_info is not None and one.alias_info.is_write) or (space == "c10d" and at == 0),
            is_output=one.is_out,
        )
        for at, one in enumerate(schema.arguments)
    )


def arguments_of(plan: tuple[Parameter, ...], args: Any, kwargs: Any) -> Iterator[tuple[Parameter, Any]]:
    """Each argument that is given, with what is given for it."""
    for one in plan:
        if one.position < len(args):
            yield one, args[one.position]
        elif one.name in kwargs:
            yield one, kwargs[one.name]


def operands_in(one: Parameter, value: Any) -> Iterator[Any]:
    """The operands in one argument."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, torch.Tensor))
    elif isinstance(value, int | float) and (one.has_tensors or one.name in NUMBERS):
        yield value


def tensors_in(result: Any) -> Iterator[Any]:
    """The tensors in what an op gives or takes."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, list | tuple):
        for one in result:
            yield from tensors_in(one)


def written_first(op: Any, args: Any) -> list[Any]:
    """The tensors in an op's first argument, if it writes to that."""
    plan = plan_of(op)[1]
    return list(tensors_in(args[0])) if plan and plan[0].writes and args else []
