"""Truth values and bits: and, or, xor, not, shifts, all, any. None of these has a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import NUMBERS
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import mismatch, only_tensors, refuse
from autograd_lab.engine.numbers.dtypes import mixed, of_kind
from autograd_lab.engine.ops.ground.answers import answered, ask_history
from autograd_lab.engine.ops.ground.dims import along, axes, in_rows, numpy_names

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "all", "any", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "count_nonzero", "logical_and", "logical_not", "logical_or", "logical_xor",
]  # fmt: skip

OPERANDS = (Variable, *NUMBERS)


def _bitwise(name: str, kernel: str, kinds: str, ufunc: Any, input: Any, other: Any) -> Tensor:
    ask_history(input, other)
    for place, one in enumerate((input, other)):
        if not isinstance(one, OPERANDS):
            what = f"'{('input', 'other')[place]}' (position {place + 1})"
            raise TypeError(f"{name}(): argument {what} must be Tensor, not {type(one).__name__}")
    x, y = mixed(*(one._array if isinstance(one, Variable) else one for one in (input, other)))
    refuse(mismatch(x.shape, y.shape))
    of_kind(kinds, x, kernel)
    return answered(name, ufunc(x, y, out=...), input, other)


def bitwise_and(input: Tensor, other: Any) -> Tensor:
    """Both; of integers, bit by bit."""
    return _bitwise("bitwise_and", "bitwise_and_cpu", "bui", np.bitwise_and, input, other)


def bitwise_or(input: Tensor, other: Any) -> Tensor:
    """At least one; of integers, bit by bit."""
    return _bitwise("bitwise_or", "bitwise_or_cpu", "bui", np.bitwise_or, input, other)


def bitwise_xor(input: Tensor, other: Any) -> Tensor:
    """One but not the other; of integers, bit by bit."""
    return _bitwise("bitwise_xor", "bitwise_xor_cpu", "bui", np.bitwise_xor, input, other)


def bitwise_left_shift(input: Tensor, other: Any) -> Tensor:
    """The bits moved up: x 2^y."""
    return _bitwise("bitwise_left_shift", "lshift_cpu", "ui", np.left_shift, input, other)


def bitwise_right_shift(input: Tensor, other: Any) -> Tensor:
    """The bits moved down: x / 2^y, rounded down."""
    return _bitwise("bitwise_right_shift", "rshift_cpu", "ui", np.right_shift, input, other)


def bitwise_not(input: Tensor) -> Tensor:
    """The opposite of truth values; of integers, of each bit."""
    ask_history(input)
    return answered("bitwise_not", np.invert(of_kind("bui", input._array, "bitwise_not_cpu"), out=...), input)


def invert(input: Tensor) -> Tensor:
    """The opposite of truth values; of integers, of each bit: ~x."""
    if input._array.dtype.kind not in "bui":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(input)


def _logical(name: str, ufunc: Any, input: Tensor, other: Tensor) -> Tensor:
    only_tensors(name, input, other)
    refuse(mismatch(input._array.shape, other._array.shape))
    return answered(name, ufunc(input._array, other._array, out=...), input, other)


def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """True where both are not zero."""
    return _logical("logical_and", np.logical_and, input, other)


def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """True where at least one is not zero."""
    return _logical("logical_or", np.logical_or, input, other)


def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """True where one is zero and the other is not."""
    return _logical("logical_xor", np.logical_xor, input, other)


def logical_not(input: Tensor) -> Tensor:
    """True where the tensor is zero or False."""
    return answered("logical_not", np.logical_not(input._array, out=...), input)


@numpy_names
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """True if every element is, or every one along `dim`, one dimension or several."""
    return _asked("all", np.logical_and, input, dim, keepdim)


@numpy_names
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """True if some element is, or some one along `dim`, one dimension or several."""
    return _asked("any", np.logical_or, input, dim, keepdim)


def _asked(name: str, ufunc: Any, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """What a reduction says of truth; along no dimensions that is each element's own, and of uint8 it is of uint8."""
    x = input._array
    axis = None if dim is None else along(input, dim)
    if dim is not None and not x.ndim:
        axis = None
    found = ufunc.reduce(x, axis=axis, dtype=np.bool_, keepdims=keepdim)
    found = in_rows(found)
    return answered(name, np.asarray(found, np.uint8) if x.dtype == np.uint8 else found, input)


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero, of all or along dimensions."""
    axis = None if dim is None else axes(input._array, along(input, dim))
    return answered("count_nonzero", in_rows(np.asanyarray(np.count_nonzero(input._array, axis=axis))), input)
