"""`Tensor`: everything that a user can do with one. What it does is in ops/, and listed here."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine import variable
from autograd_lab.engine.apply import NUMBERS, apply1, apply2
from autograd_lab.engine.dtypes import default
from autograd_lab.engine.ops import activation, arithmetic, copying, pointwise, products, reduction, shapes
from autograd_lab.engine.ops.arithmetic import (
    AddBackward0,
    AddBackward1,
    DivBackward0,
    DivBackward1,
    MulBackward0,
    MulBackward1,
    SubBackward0,
)
from autograd_lab.engine.state import TensorState
from autograd_lab.engine.variable import Variable, wrap


class Tensor(TensorState):
    """An array of numbers that remembers how it was computed, so that gradients can be taken."""

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __new__(cls, *data: Any) -> Tensor:
        """`Tensor(2, 3)` has that shape, all zeros; `Tensor([2, 3])` those elements, as default floats."""
        if data and all(isinstance(size, int) for size in data):
            return wrap(np.zeros(data, default))  # type: ignore[no-any-return]
        return wrap(np.array(data[0] if data else (), default))  # type: ignore[no-any-return]

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Tensor:
        return apply2(AddBackward0, self, other)  # type: ignore[no-any-return]

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        return apply2(SubBackward0, self, other)  # type: ignore[no-any-return]

    def __rsub__(self, other: Any) -> Tensor:
        return arithmetic.rsub(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __mul__(self, other: Any) -> Tensor:
        return apply2(MulBackward0, self, other)  # type: ignore[no-any-return]

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        return apply2(DivBackward0, self, other)  # type: ignore[no-any-return]

    def __rtruediv__(self, other: Any) -> Tensor:
        return arithmetic.rdiv(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __pow__(self, other: Any) -> Tensor:
        return arithmetic.pow(self, other) if isinstance(other, (Variable, *NUMBERS)) else NotImplemented

    def __rpow__(self, other: Any) -> Tensor:
        return arithmetic.pow(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __mod__(self, other: Any) -> Tensor:
        return arithmetic.remainder(self, other) if isinstance(other, (Variable, *NUMBERS)) else NotImplemented

    def __matmul__(self, other: Any) -> Tensor:
        return products.matmul(self, other) if isinstance(other, Variable) else NotImplemented  # type: ignore[arg-type]

    def __neg__(self) -> Tensor:
        return pointwise.neg(self)  # type: ignore[no-any-return]

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return pointwise.abs_(self)  # type: ignore[no-any-return]

    add = arithmetic.add
    sub = subtract = arithmetic.sub
    mul = multiply = arithmetic.mul
    div = divide = true_divide = arithmetic.div
    pow = arithmetic.pow
    square = arithmetic.square
    remainder = arithmetic.remainder

    def _scaled(self, factor: Any) -> Tensor:
        return apply1(MulBackward1, self, factor)  # type: ignore[no-any-return]

    def _raised(self, number: Any) -> Tensor:
        return apply1(AddBackward1, self, number)  # type: ignore[no-any-return]

    def _divided(self, number: Any) -> Tensor:
        return apply1(DivBackward1, self, number)  # type: ignore[no-any-return]

    # --- element by element ----------------------------------------------------------------------------------------

    neg = negative = pointwise.neg
    abs = absolute = pointwise.abs_
    sgn = pointwise.sgn
    sign = pointwise.sign
    floor = pointwise.floor
    ceil = pointwise.ceil
    exp = pointwise.exp
    expm1 = pointwise.expm1
    log = pointwise.log
    log2 = pointwise.log2
    log10 = pointwise.log10
    log1p = pointwise.log1p
    sqrt = pointwise.sqrt
    rsqrt = pointwise.rsqrt
    reciprocal = pointwise.reciprocal
    sin = pointwise.sin
    cos = pointwise.cos
    tan = pointwise.tan
    atan = arctan = pointwise.atan
    sinh = pointwise.sinh
    cosh = pointwise.cosh
    tanh = activation.tanh
    sigmoid = activation.sigmoid
    relu = activation.relu
    softmax = activation.softmax
    log_softmax = activation.log_softmax

    # --- reductions and products -----------------------------------------------------------------------------------

    sum = reduction.sum
    mean = reduction.mean
    matmul = products.matmul
    mm = products.mm
    mv = products.mv
    dot = products.dot
    bmm = products.bmm
    addmm = products.addmm
    outer = products.outer

    # --- shapes ----------------------------------------------------------------------------------------------------

    view = shapes.view
    view_as = shapes.view_as
    reshape = shapes.reshape
    reshape_as = shapes.reshape_as
    flatten = shapes.flatten
    ravel = shapes.ravel
    t = shapes.t
    transpose = swapaxes = swapdims = shapes.transpose
    permute = shapes.permute
    expand = broadcast_to = shapes.expand
    expand_as = shapes.expand_as
    unsqueeze = shapes.unsqueeze
    squeeze = shapes.squeeze
    contiguous = shapes.contiguous
    clone = copying.clone


variable.Tensor = Tensor
