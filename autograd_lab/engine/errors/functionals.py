"""What is wrong with the arguments of a function that PyTorch has in Python: told by what that does with them.

`functionals.txt` has a line for each: expressions that are looked at in turn, once a call has failed. In them `c.name`
is a function in C++ and `t.name` a method, of which only the signature is looked at; an error of any expression, as
that an int has no `dim`, is what PyTorch says.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from autograd_lab.engine.errors import is_tensor
from autograd_lab.engine.errors.signatures import refusal

TABLE = Path(__file__).with_name("functionals.txt")
REDUCTIONS = ("none", "mean", "elementwise_mean", "sum")


class _Called:
    """Functions by their names, of which only the signatures are looked at: each returns its first argument."""

    def __init__(self, before: str) -> None:
        self._before = before

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **named: self._look(name, args, named)

    def _look(self, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        operands = args
        if self._before:
            getattr(args[0], name)
            operands = args[1:]
        if (error := refusal(self._before + name, operands, named)) is not None:
            raise error
        return args[0]


def reduced(size_average: Any, reduce: Any, reduction: Any) -> int:
    """What stands for a way to reduce. Raises ValueError for one that is not known."""
    if size_average is None and reduce is None and not any(reduction == one for one in REDUCTIONS):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return 0


def pair(size: Any) -> Any:
    """A size twice, or two of them."""
    return tuple(size) if hasattr(size, "__iter__") else (size, size)


def negative(operand: Any) -> Any:
    """An operand with the other sign, as far as it is no tensor: those can do that."""
    return operand if is_tensor(operand) else -operand


def is_sized(size: Any) -> bool:
    """Whether a size has several numbers. Raises TypeError for what has no length, and is no number."""
    return not isinstance(size, int) and len(size) > 0


def refused(told: str) -> None:
    """Raise ValueError."""
    raise ValueError(told)


KNOWN: dict[str, Any] = {
    "c": _Called(""), "t": _Called("Tensor."), "reduced": reduced, "pair": pair, "negative": negative,
    "is_sized": is_sized, "refused": refused,
}  # fmt: skip


def misuse(function: Callable[..., Any], name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Exception | None:
    """PyTorch's error for arguments that a function in Python cannot use; None if nothing is wrong with them."""
    try:
        given = inspect.signature(function).bind(*args, **named)
    except TypeError:
        return None  # Python's own says it
    given.apply_defaults()
    try:
        for step in steps()[name]:
            eval(step, {**KNOWN, **given.arguments})
    except Exception as error:
        return error.with_traceback(None)
    return None


@cache
def steps() -> dict[str, list[Any]]:
    """What each function does with its arguments first."""
    found = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, _, told = line.partition(": ")
        found[name] = [compile(step.strip(), name, "eval") for step in told.split(";")]
    return found
