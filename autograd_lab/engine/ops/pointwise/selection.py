"""Ops that choose between elements: where, clamp, maximum, minimum, masked_fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import NUMBERS, apply1, apply2, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import first_mismatch, mismatch, only_tensors, refuse
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, alone, fitted, mixed, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import in_rows
from autograd_lab.engine.ops.ground.kinds import Binary, Elementwise
from autograd_lab.engine.ops.index.gathering import nonzero
from autograd_lab.engine.ops.pointwise.bounds import (
    ClampMaxBackward1,
    ClampMinBackward1,
    clamp_between,
    greater,
    lesser,
)

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

BYTES = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)

__all__ = ["clamp", "clamp_max", "clamp_min", "clip", "masked_fill", "maximum", "minimum", "where"]


class WhereBackward0(Elementwise):
    """z = x where the condition holds, else y; so the gradient goes to x there, to y elsewhere."""

    inputs = ("self", "other", "condition")
    saves = ("condition",)
    differentiable = 2

    def forward(self, x: Array, y: Array, condition: Array) -> Array:
        return np.where(condition, *((x, y) if x.dtype is y.dtype else mixed(x, y)))

    def backward(self, g: Any, condition: Any) -> Any:
        needs = self.next_functions
        if isinstance(g, Variable):
            to_other = None if needs[1][0] is None else where(condition, 0, g)
            return None if needs[0][0] is None else where(condition, g, 0), to_other
        return (
            None if needs[0][0] is None else formulas.keep_if(condition, g),
            None if needs[1][0] is None else formulas.drop_if(condition, g),
        )


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """The elements of `input` where the condition holds, of `other` elsewhere; without them, where it holds."""
    if input is None and other is None:
        mapping.refuse(mapping.DYNAMIC.format("where"), condition)
        return nonzero(condition, as_tuple=True)
    if condition._array.dtype == np.uint8:
        warn_once(BYTES)
        condition = wrap(condition._array.astype(np.bool_))
    if condition._array.dtype.kind != "b":
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.title}"
        )
    operands = [one if isinstance(one, Variable) else wrap(np.asarray(_number(one))) for one in (input, other)]
    plain = [o._array if isinstance(one, Variable) else one for o, one in zip(operands, (input, other), strict=True)]
    arrays = mixed(*plain)
    if not all(isinstance(one, Variable) for one in (input, other)):
        _check_numbers(arrays[0].dtype, input, other)
    refuse(first_mismatch([condition._array.shape, arrays[0].shape, arrays[1].shape]))
    cast = [
        one if one._needs or one._array.dtype is array.dtype else wrap(array)
        for one, array in zip(operands, arrays, strict=True)
    ]
    return applyn(WhereBackward0, (*cast, condition))


def _check_numbers(kind: NumpyDtype, *operands: Any) -> None:
    """Raise RuntimeError for a number that the dtype of the result does not hold."""
    for one in operands:
        if not isinstance(one, Variable):
            alone(one, kind)


def _number(value: Any) -> Any:
    if not isinstance(value, NUMBERS):
        raise TypeError(f"where(): argument 'input' must be Tensor, not {type(value).__name__}")
    return value


class MaximumBackward0(Binary):
    """z is the greater of x and y, so the gradient goes to that one; half to each where they are equal."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        return greater(x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        x, y = formulas.cast(x, self.dtype), formulas.cast(y, self.dtype)
        return _to_winner(self, g, x == y, x < y, y < x)


class MinimumBackward0(Binary):
    """z is the lesser of x and y, so the gradient goes to that one; half to each where they are equal."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        return lesser(x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        x, y = formulas.cast(x, self.dtype), formulas.cast(y, self.dtype)
        return _to_winner(self, g, x == y, x > y, y > x)


def _to_winner(node: Node, g: Any, tied: Any, first_loses: Any, second_loses: Any) -> Any:
    needs = node.next_functions  # NaN neither ties nor loses
    to_second = None if needs[1][0] is None else formulas.drop_if(second_loses, formulas.halved_if(tied, g))
    return None if needs[0][0] is None else formulas.drop_if(first_loses, formulas.halved_if(tied, g)), to_second


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The greater of two, element by element."""
    only_tensors("maximum", input, other)
    only_tensors("maximum", input, other)
    return apply2(MaximumBackward0, input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The lesser of two, element by element."""
    only_tensors("minimum", input, other)
    only_tensors("minimum", input, other)
    return apply2(MinimumBackward0, input, other)


class ClampBackward1(Elementwise):
    """z is x, kept between two numbers, so dz/dx = 1 within them (at them, too), else 0."""

    saves = ("self",)
    __slots__ = ("max", "min")

    def forward(self, x: Array, low: Any, high: Any) -> Array:
        self.min, self.max = low, high
        x = mixed(x, *(one for one in (low, high) if one is not None))[0]
        which = "" if None not in (low, high) else "_max" if low is None else "_min"
        of_kind("uifV", x, f"clamp{which}_scalar_cpu")
        low, high = (None if one is None else np.array(fitted(one, x.dtype), x.dtype) for one in (low, high))
        x = x if low is None else greater(x, low)
        return x if high is None else lesser(x, high)

    def backward(self, g: Any, x: Any) -> Any:
        return formulas.keep_if(_within(x, self.min, self.max), g)


def _within(x: Any, low: Any, high: Any) -> Any:
    if low is None or high is None:
        return x <= high if low is None else x >= low
    return (x >= low) & (x <= high)


class ClampMinBackward0(Elementwise):
    """z is x, but at least a number, so dz/dx = 1 from there on, else 0."""

    saves = ("self",)
    __slots__ = ("min",)

    def forward(self, x: Array, low: Any) -> Array:
        self.min = low
        x = mixed(x, low)[0]
        return greater(of_kind("uifV", x, "clamp_min_scalar_cpu"), np.array(fitted(low, x.dtype), x.dtype))

    def backward(self, g: Any, x: Any) -> Any:
        return formulas.keep_if(x >= self.min, g)


class ClampMaxBackward0(Elementwise):
    """z is x, but at most a number, so dz/dx = 1 up to there, else 0."""

    saves = ("self",)
    __slots__ = ("max",)

    def forward(self, x: Array, high: Any) -> Array:
        self.max = high
        x = mixed(x, high)[0]
        return lesser(of_kind("uifV", x, "clamp_max_scalar_cpu"), np.array(fitted(high, x.dtype), x.dtype))

    def backward(self, g: Any, x: Any) -> Any:
        return formulas.keep_if(x <= self.max, g)


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """x, but at least `min` and at most `max`; either may be left out."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Variable) or isinstance(max, Variable):
        return clamp_between(input, min, max)
    return apply1(ClampBackward1, input, min, max)


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """x, but at least `min`."""
    return apply2(ClampMinBackward1, input, min) if isinstance(min, Variable) else apply1(ClampMinBackward0, input, min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """x, but at most `max`."""
    return apply2(ClampMaxBackward1, input, max) if isinstance(max, Variable) else apply1(ClampMaxBackward0, input, max)


class MaskedFillBackward0(Elementwise):
    """z is a number where the mask holds, else x; so dz/dx = 0 where it holds, else 1."""

    mixes = False
    inputs = ("self", "mask")
    saves = ("mask",)
    differentiable = 1

    def forward(self, x: Array, mask: Array, value: Any) -> Array:
        return in_rows(np.where(mask, x.dtype.type(fitted(value, x.dtype)), x))

    def backward(self, g: Any, mask: Any) -> Any:
        return formulas.drop_if(mask, g)


def check_mask(mask: Tensor) -> None:
    """Raise RuntimeError unless the mask is one of truth values."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.cpp}")


class MaskedFillBackward1(Node):
    """z is a 0-d tensor's value where the mask holds, else x; the sum of the gradients there goes to that value."""

    mixes = False
    inputs = ("self", "value", "mask")
    saves = ("mask",)
    differentiable = 2
    tangent = "filled"

    def forward(self, x: Array, value: Array, mask: Array) -> Array:
        return in_rows(np.where(mask, x.dtype.type(fitted(value.item(), x.dtype)), x))

    def backward(self, g: Any, mask: Any) -> Any:
        needs = self.next_functions
        return (
            None if needs[0][0] is None else formulas.drop_if(mask, g),
            None if needs[1][0] is None else _kept(g, mask).sum(),
        )


def _kept(g: Any, mask: Any) -> Any:
    return g.masked_select(mask) if isinstance(g, Variable) else np.where(mask, g, g.dtype.type(0))


def filling(input: Tensor, mask: Tensor, value: Any) -> Any:
    """The op that `masked_fill` is for these arguments, its operands and its plain arguments."""
    check_mask(mask)
    if not isinstance(value, Variable):
        return MaskedFillBackward0, (input, mask), value
    if value._array.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} "
            "dimension(s)."
        )
    return MaskedFillBackward1, (input, value, mask)


def check_filling(name: str, *operands: Any) -> None:
    """Raise TypeError unless they end with a mask and a tensor or number."""
    *tensors, value = operands
    if not (all(isinstance(one, Variable) for one in tensors) and isinstance(value, (Variable, *NUMBERS))):
        kinds = ", ".join(type(one).__name__ for one in operands)
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:")


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """One value where the mask holds, the tensor's own elements elsewhere."""
    check_filling("masked_fill", input, mask, value)
    refuse(mismatch(mask._array.shape, input._array.shape))
    cls, tensors, *args = filling(input, mask, value)
    return applyn(cls, tensors, *args)


clip = clamp
