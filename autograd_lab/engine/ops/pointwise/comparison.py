"""Comparisons, element by element or of whole tensors: yes or no, which has no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import NUMBERS
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import mismatch, only_tensors, refuse, type_name
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, dtype, mixed, result_dtype
from autograd_lab.engine.ops.ground.answers import answered, from_history

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "_assert", "_assert_async", "allclose", "eq", "equal", "ge", "greater", "greater_equal", "gt", "is_complex",
    "is_floating_point", "is_nonzero", "is_signed", "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf",
    "isposinf", "isreal", "le", "less", "less_equal", "lt", "ne", "not_equal", "numel", "result_type", "signbit",
]  # fmt: skip


def compared(name: str, ufunc: Any, input: Any, other: Any) -> Tensor:
    """What a ufunc of two arrays answers about two tensors, or a tensor and a number."""
    if not isinstance(other, (Variable, *NUMBERS)):
        raise TypeError(f"{name}(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    only_tensors(name, input)
    x, y = mixed(input._array, other._array if isinstance(other, Variable) else other)
    refuse(mismatch(x.shape, y.shape))
    return answered(name, ufunc(x, y, out=...), input, other)


def eq(input: Tensor, other: Any) -> Tensor:
    """True where both are equal."""
    return compared("eq", np.equal, input, other)


def ne(input: Tensor, other: Any) -> Tensor:
    """True where both differ."""
    return compared("ne", np.not_equal, input, other)


def lt(input: Tensor, other: Any) -> Tensor:
    """True where the first is less."""
    return compared("lt", np.less, input, other)


def le(input: Tensor, other: Any) -> Tensor:
    """True where the first is not greater."""
    return compared("le", np.less_equal, input, other)


def gt(input: Tensor, other: Any) -> Tensor:
    """True where the first is greater."""
    return compared("gt", np.greater, input, other)


def ge(input: Tensor, other: Any) -> Tensor:
    """True where the first is not less."""
    return compared("ge", np.greater_equal, input, other)


def isnan(input: Tensor) -> Tensor:
    """True where an element is not a number."""
    return answered("isnan", np.isnan(input._array, out=...), input)


def isinf(input: Tensor) -> Tensor:
    """True where an element is infinite."""
    return answered("isinf", np.isinf(input._array, out=...), input)


def isfinite(input: Tensor) -> Tensor:
    """True where an element is neither infinite nor NaN."""
    return from_history("isfinite", np.isfinite(input._array, out=...), input)


def equal(input: Tensor, other: Tensor) -> bool:
    """True if both have the same shape and the same elements."""
    only_tensors("equal", input, other)
    mapping.refuse(mapping.UNRULED.format("equal"), input, other)
    return np.array_equal(input._array, other._array)


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """True where two tensors differ by no more than `atol` plus `rtol` of the second."""
    _check_limits("isclose", rtol, atol)
    only_tensors("isclose", input, other)
    return from_history("isclose", _close(input, other, rtol, atol, equal_nan), input, other)


def _check_limits(function: str, rtol: Any, atol: Any) -> None:
    for position, (name, limit) in enumerate({"rtol": rtol, "atol": atol}.items(), 3):
        if isinstance(limit, Variable) and limit._needs:
            where = f"argument '{name}' (position {position})"
            raise TypeError(f"{function}(): {where} must be float, not Tensor")
        if limit < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {float(limit):g}")


def _close(input: Tensor, other: Tensor, *limits: Any) -> Array:
    x, y = input._array, other._array
    if x.dtype != y.dtype:
        raise RuntimeError(f"{input.dtype.title} did not match {other.dtype.title}")
    refuse(mismatch(x.shape, y.shape))
    return np.asarray(np.isclose(x, y, *limits))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """True if `isclose` holds everywhere."""
    only_tensors("allclose", input, other)
    mapping.refuse(mapping.UNSUPPORTED.format("allclose"), input, other)
    _check_limits("allclose", rtol, atol)
    return bool(_close(input, other, rtol, atol, equal_nan).all())


def isposinf(input: Tensor) -> Tensor:
    """True where an element is ∞."""
    return answered("isposinf", np.equal(input._array, np.inf, out=...), input)


def isneginf(input: Tensor) -> Tensor:
    """True where an element is -∞."""
    return answered("isneginf", np.equal(input._array, -np.inf, out=...), input)


def isreal(input: Tensor) -> Tensor:
    """True everywhere: no tensor here is complex."""
    return answered("isreal", np.ones(input._array.shape, np.bool_), input)


def signbit(input: Tensor) -> Tensor:
    """True where an element is negative; also for -0."""
    x = input._array
    return answered("signbit", np.less(x, 0, out=...) if x.dtype.kind in "bui" else np.signbit(x, out=...), input)


def isin(elements: Any, test_elements: Any, *, invert: bool = False) -> Tensor:
    """True where an element is among the others."""
    x, among = (one._array if isinstance(one, Variable) else np.asarray(one) for one in (elements, test_elements))
    if "b" in (x.dtype.kind, among.dtype.kind):
        raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    return answered("isin", np.isin(x, among, invert=invert), elements, test_elements)


def numel(input: Tensor) -> int:
    """How many elements it has."""
    return int(input._array.size)


def is_floating_point(input: Tensor) -> bool:
    """True for tensors of floats."""
    return input._array.dtype.kind not in "bui"


def is_complex(input: Tensor) -> bool:
    """False: no tensor here is complex."""
    return False


def is_signed(input: Tensor) -> bool:
    """True if the dtype has negative numbers."""
    return input._array.dtype.kind not in "bu"


def is_nonzero(input: Tensor) -> bool:
    """True if the only element is not 0."""
    return bool(input)


def _assert_async(input: Tensor, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """Check that the only element is not 0. Raises RuntimeError with the message."""
    if not input:
        raise RuntimeError(assert_msg)


def _assert(condition: Any, message: str) -> None:
    """Check what may be a tensor. Raises AssertionError with the message."""
    if not condition:
        raise AssertionError(message)


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of what mixes two tensors, or a tensor and a number."""
    for one in (tensor1, tensor2):
        if not isinstance(one, (Variable, *NUMBERS)):
            raise TypeError(f"{type_name(one)} has no dtype")
    return BY_NUMPY[result_dtype([one._array if isinstance(one, Variable) else one for one in (tensor1, tensor2)])]


greater_equal = ge
greater = gt
less_equal = le
less = lt
not_equal = ne
