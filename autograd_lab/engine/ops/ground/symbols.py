"""What of PyTorch works on sizes that may be unknown, and here on Python's numbers; and `torch.cond`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autograd_lab.engine.core.variable import Variable

__all__ = [
    "SymBool", "SymFloat", "SymInt", "cond", "sym_float", "sym_fresh_size", "sym_int", "sym_ite", "sym_max", "sym_min",
    "sym_not", "sym_sqrt", "sym_sum",
]  # fmt: skip


class _Symbol:
    """A number that is not known before a program runs; here all are."""

    __module__ = "torch"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("all sizes are numbers here: programs run as they are written")


class SymInt(_Symbol):
    """A whole number that is not known; nothing is one."""

    __module__ = "torch"


class SymFloat(_Symbol):
    """A number that is not known; nothing is one."""

    __module__ = "torch"


class SymBool(_Symbol):
    """A truth value that is not known; nothing is one."""

    __module__ = "torch"


def sym_int(a: Any) -> int:
    """`int`."""
    return int(a)


def sym_float(a: Any) -> float:
    """`float`."""
    return float(a)


def sym_not(a: Any) -> bool:
    """`not`."""
    return not a


def sym_sqrt(a: Any) -> float:
    """`math.sqrt`."""
    return math.sqrt(a)


def _picked(pick: Callable[..., Any], a: Any, b: Any) -> Any:
    for one in (a, b):
        if not isinstance(one, int | float):
            raise AssertionError(f"expected (<class 'int'>, <class 'float'>), got {type(one)}")
    found = pick(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_max(a: Any, b: Any) -> Any:
    """The greater of two numbers; a float, if one of them is."""
    return _picked(max, a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The lesser of two numbers; a float, if one of them is."""
    return _picked(min, a, b)


def sym_sum(*args: Any) -> Any:
    """The sum of numbers, or of those in a list."""
    return sum(args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """`t` if `b`, else `f`, which is of the same type."""
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def sym_fresh_size(expr: Any) -> Any:
    """The number itself: it is known."""
    return expr


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()) -> Any:
    """What one of two functions gives: the program runs as it is written, and that one alone is called."""
    if isinstance(pred, Variable):
        if pred._array.size != 1:
            raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
        if not isinstance(operands, tuple | list):
            raise RuntimeError(
                "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, "
                f"but got {operands}."
            )
        pred = bool(pred._array.item())
    return (true_fn if pred else false_fn)(*operands)
