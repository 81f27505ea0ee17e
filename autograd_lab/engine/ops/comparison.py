"""Questions with yes or no for an answer, and positions: none of these has a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import recorder
from autograd_lab.engine.apply import NUMBERS, mismatch, mixed
from autograd_lab.engine.ops.shapes import checked_dim
from autograd_lab.engine.variable import Variable, wrap

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


def _compared(name: str, ufunc: Any, input: Any, other: Any) -> Tensor:
    if not isinstance(other, (Variable, *NUMBERS)):
        return NotImplemented  # type: ignore[no-any-return]
    x, y = mixed(input._array, other._array if isinstance(other, Variable) else other)
    if error := mismatch(x.shape, y.shape):
        raise error
    return _told(name, ufunc(x, y, out=...), input, other)


def _told(name: str, array: Any, *operands: Any) -> Tensor:
    out = wrap(np.asarray(array))
    if recorder.active is not None:
        recorder.active.op_applied(None, name, operands, (out,))
    return out


def eq(input: Tensor, other: Any) -> Tensor:
    """True where both are equal."""
    return _compared("eq", np.equal, input, other)


def ne(input: Tensor, other: Any) -> Tensor:
    """True where both differ."""
    return _compared("ne", np.not_equal, input, other)


def lt(input: Tensor, other: Any) -> Tensor:
    """True where the first is less."""
    return _compared("lt", np.less, input, other)


def le(input: Tensor, other: Any) -> Tensor:
    """True where the first is not greater."""
    return _compared("le", np.less_equal, input, other)


def gt(input: Tensor, other: Any) -> Tensor:
    """True where the first is greater."""
    return _compared("gt", np.greater, input, other)


def ge(input: Tensor, other: Any) -> Tensor:
    """True where the first is not less."""
    return _compared("ge", np.greater_equal, input, other)


def bitwise_and(input: Tensor, other: Any) -> Tensor:
    """Both; of integers, bit by bit."""
    return _compared("bitwise_and", np.bitwise_and, input, other)


def bitwise_or(input: Tensor, other: Any) -> Tensor:
    """At least one; of integers, bit by bit."""
    return _compared("bitwise_or", np.bitwise_or, input, other)


def bitwise_xor(input: Tensor, other: Any) -> Tensor:
    """One but not the other; of integers, bit by bit."""
    return _compared("bitwise_xor", np.bitwise_xor, input, other)


def logical_not(input: Tensor) -> Tensor:
    """True where the tensor is zero or False."""
    return _told("logical_not", np.logical_not(input._array, out=...), input)


def bitwise_not(input: Tensor) -> Tensor:
    """The opposite of truth values; of integers, of each bit."""
    return _told("bitwise_not", np.invert(input._array, out=...), input)


def isnan(input: Tensor) -> Tensor:
    """True where an element is not a number."""
    return _told("isnan", np.isnan(input._array, out=...), input)


def isinf(input: Tensor) -> Tensor:
    """True where an element is infinite."""
    return _told("isinf", np.isinf(input._array, out=...), input)


def isfinite(input: Tensor) -> Tensor:
    """True where an element is neither infinite nor NaN."""
    return _told("isfinite", np.isfinite(input._array, out=...), input)


def all(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """True if every element is, or every one along `dim`."""
    axis = None if dim is None else checked_dim(input, dim)
    return _told("all", np.all(input._array, axis=axis, keepdims=keepdim), input)


def any(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """True if some element is, or some one along `dim`."""
    axis = None if dim is None else checked_dim(input, dim)
    return _told("any", np.any(input._array, axis=axis, keepdims=keepdim), input)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The position of the greatest element, the first of several; along `dim`, or in the flattened tensor."""
    axis = None if dim is None else checked_dim(input, dim)
    return _told("argmax", np.argmax(input._array, axis=axis, keepdims=keepdim), input)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The position of the least element, the first of several; along `dim`, or in the flattened tensor."""
    axis = None if dim is None else checked_dim(input, dim)
    return _told("argmin", np.argmin(input._array, axis=axis, keepdims=keepdim), input)


def equal(input: Tensor, other: Tensor) -> bool:
    """True if both have the same shape and the same elements."""
    return np.array_equal(input._array, other._array)


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """True where two tensors differ by no more than `atol` plus `rtol` of the second."""
    close = np.isclose(input._array, other._array, rtol, atol, equal_nan)
    return _told("isclose", close, input, other)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """True if `isclose` holds everywhere."""
    return np.allclose(input._array, other._array, rtol, atol, equal_nan)
