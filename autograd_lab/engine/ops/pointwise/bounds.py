"""Bounds that are tensors: clamp between them, fmax and fmin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply2, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import mismatch, only_tensors, refuse
from autograd_lab.engine.numbers.dtypes import Array, of_kind, result_dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Binary, Elementwise

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["fmax", "fmin"]


def greater(x: Array, y: Array) -> Array:
    """The greater of two; x of two zeros, as PyTorch has it: numpy has the second there, but not of half precision."""
    return np.maximum(y, x, out=...) if x.dtype.itemsize > 2 else np.maximum(x, y, out=...)


def lesser(x: Array, y: Array) -> Array:
    """The lesser of two; x of two zeros."""
    return np.minimum(y, x, out=...) if x.dtype.itemsize > 2 else np.minimum(x, y, out=...)


class ClampBackward0(Elementwise):
    """z is x, kept between two tensors; the gradient goes to x within them, else to the bound that x was put to."""

    mixes = False
    inputs = ("self", "min", "max")
    saves = ("max", "min", "self")

    def forward(self, x: Array, low: Array | None, high: Array | None) -> Array:
        given = [one for one in (x, low, high) if one is not None]
        kind = x.dtype if all(one.dtype is x.dtype for one in given) else result_dtype(given)
        if low is not None and high is not None:
            of_kind("uifV", np.empty(0, kind), "clamp_cpu")
        z = x if low is None else greater(x, low)
        return np.asarray(z if high is None else lesser(z, high), kind)

    def backward(self, g: Any, high: Any, low: Any, x: Any) -> Any:
        if high is None:
            parts = (x >= low, x < low, None)
        elif low is None:
            parts = (x <= high, None, x > high)
        else:
            parts = ((x >= low) & (x <= high), (low < high) & (x < low), (x > high) | (high < low))
        sent: list[Any] = [None, None, None]
        for at in (2, 1, 0):  # PyTorch's order
            if parts[at] is not None and self.next_functions[at][0] is not None:
                sent[at] = formulas.keep_if(parts[at], g)
        return tuple(sent)


class ClampMinBackward1(Binary):
    """z is the greater of x and a bound, so the gradient goes to x from there on, else to the bound."""

    inputs = ("self", "min")
    saves = ("min", "self")
    op = "clamp_min"

    def forward(self, x: Array, low: Array) -> Array:
        return greater(x, low)

    def backward(self, g: Any, low: Any, x: Any) -> Any:
        return _shared(self, g, x >= low, x < low)


class ClampMaxBackward1(Binary):
    """z is the lesser of x and a bound, so the gradient goes to x up to there, else to the bound."""

    inputs = ("self", "max")
    saves = ("max", "self")
    op = "clamp_max"

    def forward(self, x: Array, high: Array) -> Array:
        return lesser(x, high)

    def backward(self, g: Any, high: Any, x: Any) -> Any:
        return _shared(self, g, x <= high, x > high)


def _shared(node: Node, g: Any, first: Any, second: Any) -> Any:
    """The gradient where it goes to the first operand, and where to the second, if they need it."""
    needs = node.next_functions
    to_second = None if needs[1][0] is None else formulas.keep_if(second, g)
    return None if needs[0][0] is None else formulas.keep_if(first, g), to_second


def check_bounds(input: Tensor, *bounds: Any) -> None:
    """Raise RuntimeError for a bound that does not broadcast with the tensor."""
    for one in bounds:
        if isinstance(one, Variable):
            refuse(mismatch(input._array.shape, one._array.shape))


def clamp_between(input: Tensor, low: Any, high: Any) -> Tensor:
    """x, but at least one tensor and at most another; either may be None."""
    check_bounds(input, low, high)
    return applyn(ClampBackward0, (input, low, high))


class FmaxBackward0(Binary):
    """z is the greater of x and y, or the one that is not NaN, so the gradient goes to that one; to x if equal."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        return np.fmax(x, y, out=...)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return _dropped(self, g, (x >= y) | (y != y))


class FminBackward0(Binary):
    """z is the lesser of x and y, or the one that is not NaN, so the gradient goes to that one; to x if equal."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        return np.fmin(x, y, out=...)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return _dropped(self, g, (x <= y) | (y != y))


def _dropped(node: Node, g: Any, first: Any) -> Any:
    """The gradient where it goes to the first operand, and elsewhere, if they need it."""
    needs = node.next_functions
    to_second = None if needs[1][0] is None else formulas.drop_if(first, g)
    return None if needs[0][0] is None else formulas.drop_if(~first, g), to_second


def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The greater of two, element by element, NaN left out."""
    only_tensors("fmax", input, other)
    return apply2(FmaxBackward0, input, other)


def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The lesser of two, element by element, NaN left out."""
    only_tensors("fmin", input, other)
    return apply2(FminBackward0, input, other)
