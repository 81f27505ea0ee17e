"""Arithmetic of two tensors, or of a tensor and a number: + - * /."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import NUMBERS, apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import check_alpha, mismatch, refuse
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.numbers.dtypes import BOOL, F32, Array, fitted, floating, mixed, own_number
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Binary, Elementwise
from autograd_lab.engine.ops.ground.older_order import again
from autograd_lab.engine.ops.pointwise.elementary import reciprocal

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["add", "mul", "multiply", "positive", "rsub", "sub", "subtract"]

Number = Any
"""An int or a float, or numpy's."""
Operand = Any
"""A tensor or a number."""


class AddBackward0(Binary):
    """z = x + alpha y, so dz/dx = 1 and dz/dy = alpha."""

    writes = True
    __slots__ = ("alpha",)

    def forward(self, x: Array, y: Array, alpha: Number = 1, out: Any = ...) -> Array:
        self.alpha = alpha
        if alpha != 1:
            return plus(x, y, alpha, out)
        return x + y if out is ... and x.ndim else np.add(x, y, out=out)

    def backward(self, g: Any) -> Any:
        return g, g if self.alpha == 1 else formulas.times(g, self.alpha)


def plus(x: Array, y: Array, alpha: Number, out: Any, sign: int = 1) -> Array:
    """x + alpha y, or x - alpha y, rounded once in float32."""
    if x.dtype is not F32 or y.dtype is not F32:
        ufunc: Any = np.add if sign > 0 else np.subtract
        return np.asarray(ufunc(x, times(y, alpha), out=out)).astype(x.dtype, copy=False)
    alpha = fitted(alpha._array.item() if isinstance(alpha, Variable) else alpha, F32)
    found = fused(x, sign * F32.type(alpha), y)
    if out is ...:
        return found
    out[...] = found
    return np.asarray(out)


def times(y: Array, alpha: Number) -> Array:
    """alpha y, not yet rounded to half precision. Raises RuntimeError for integers and an alpha that is a float."""
    if isinstance(alpha, Variable):
        alpha = alpha._array.item()
    if y.dtype.kind in "bui" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    wide = F32 if y.dtype.itemsize == 2 and y.dtype.kind in "fV" else y.dtype
    return np.multiply(y, y.dtype.type(fitted(alpha, y.dtype)), dtype=wide)


class AddBackward1(Elementwise):
    """z = x + k for a number k, inside the graph of a gradient, so dz/dx = 1."""

    takes_number = floats = True

    def forward(self, x: Array, k: Number) -> Array:
        return np.add(x, x.dtype.type(k), out=...)

    def backward(self, g: Any) -> Any:
        return g


def not_of_truth_values(*operands: Any) -> list[Array]:
    """The operands of a subtraction in one dtype. Raises RuntimeError if one of them is of truth values."""
    truths = [type(one) is bool or getattr(one, "dtype", None) == BOOL for one in operands]
    if all(truths):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if any(truths):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )
    return mixed(*operands)


class SubBackward0(Binary):
    """z = x - alpha y, so dz/dx = 1 and dz/dy = -alpha."""

    mix = staticmethod(not_of_truth_values)

    writes = True
    __slots__ = ("alpha",)

    def forward(self, x: Array, y: Array, alpha: Number = 1, out: Any = ...) -> Array:
        self.alpha = alpha
        if x.dtype is BOOL:
            not_of_truth_values(x, y)
        if alpha != 1:
            return plus(x, y, alpha, out, -1)
        return x - y if out is ... and x.ndim else np.subtract(x, y, out=out)

    def backward(self, g: Any) -> Any:
        if self.next_functions[1][0] is None:
            return g, None
        return g, -g if self.alpha == 1 else formulas.times(-g, self.alpha)


class SubBackward1(Elementwise):
    """z = x - k for a number k, inside the graph of a gradient, so dz/dx = 1."""

    takes_number = floats = True

    def forward(self, x: Array, k: Number) -> Array:
        return np.subtract(x, x.dtype.type(k), out=...)

    def backward(self, g: Any) -> Any:
        return g


class RsubBackward0(Binary):
    """z = y - alpha x, so dz/dx = -alpha and dz/dy = 1."""

    mix = staticmethod(not_of_truth_values)

    __slots__ = ("alpha",)

    def forward(self, x: Array, y: Array, alpha: Number = 1) -> Array:
        self.alpha = alpha
        if x.dtype.kind == "b":
            not_of_truth_values(x, y)
        return np.subtract(y, x, out=...).astype(y.dtype, copy=False) if alpha == 1 else plus(y, x, alpha, ..., -1)

    def backward(self, g: Any) -> Any:
        needs = self.next_functions
        return None if needs[0][0] is None else -g if self.alpha == 1 else formulas.times(-g, self.alpha), g


class RsubBackward1(Elementwise):
    """z = k - alpha x for a number k, so dz/dx = -alpha."""

    takes_number = True
    __slots__ = ("alpha",)
    op = "rsub"

    def forward(self, x: Array, k: Any, alpha: Number = 1) -> Array:
        self.alpha = alpha
        x, y = not_of_truth_values(x, k)
        return np.subtract(y, x if alpha == 1 else times(x, alpha), out=...).astype(x.dtype, copy=False)

    def backward(self, g: Any) -> Any:
        return -g if self.alpha == 1 else formulas.times(-g, self.alpha)


class MulBackward0(Binary):
    """z = x y, so dz/dx = y and dz/dy = x."""

    mix = staticmethod(halves.by_number)
    writes = True
    saves = Binary.inputs
    only_for = (("self", 1), ("other", 0))

    def forward(self, x: Array, y: Array, out: Any = ...) -> Array:
        if x.dtype is not y.dtype:
            return halves.rounded(np.multiply, x, y, out)
        return x * y if out is ... and x.ndim else np.multiply(x, y, out=out)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        to_y = None if x is None else g * x
        return None if y is None else g * y, to_y


class MulBackward1(Elementwise):
    """z = k x for a number k, inside the graph of a gradient, so dz/dx = k."""

    takes_number = floats = True
    __slots__ = ("other",)

    def forward(self, x: Array, k: Number) -> Array:
        self.other = k
        return np.multiply(x, x.dtype.type(k), out=...)

    def backward(self, g: Any) -> Any:
        return formulas.times(g, self.other)


class DivBackward0(Binary):
    """z = x / y, so dz/dx = 1 / y and dz/dy = -x / y²."""

    mix = staticmethod(halves.by_number)
    writes = True
    saves = Binary.inputs
    only_for = (("self", 1),)

    def forward(self, x: Array, y: Array, out: Any = ...) -> Array:
        if x.dtype.kind not in "fV":
            x, y = floating(x), floating(y)
        if x.dtype is not y.dtype:
            return halves.rounded(np.divide, x, y, out)
        return np.divide(x, y, out=out)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        to_y = None
        if x is not None:
            slope = x / y / y
            to_y = -g * slope
        return None if self.next_functions[0][0] is None else g / y, to_y


class DivBackward1(Elementwise):
    """z = x / k for a number k, inside the graph of a gradient, so dz/dx = 1 / k."""

    takes_number = floats = True
    __slots__ = ("other",)

    def forward(self, x: Array, k: Number) -> Array:
        self.other = k
        return np.divide(x, x.dtype.type(k), out=...)

    def backward(self, g: Any) -> Any:
        return formulas.over(g, self.other)


def add(input: Tensor, other: Operand, *older: Tensor, alpha: Number = 1) -> Tensor:
    """x + alpha y."""
    if older:
        return again(add, input, other, *older)
    if alpha != 1 or alpha is True:
        check_alpha(alpha, input, other)
    return with_operands("add", AddBackward0, input, other, alpha)


def sub(input: Tensor, other: Operand, *older: Tensor, alpha: Number = 1) -> Tensor:
    """x - alpha y."""
    if older:
        return again(sub, input, other, *older)
    if alpha != 1 or alpha is True:
        not_of_truth_values(*(one._array if isinstance(one, Variable) else one for one in (input, other)))
        check_alpha(alpha, input, other)
    return with_operands("sub", SubBackward0, input, other, alpha)


def mul(input: Tensor, other: Operand) -> Tensor:
    """x y."""
    return with_operands("mul", MulBackward0, input, other)


def positive(input: Tensor) -> Tensor:
    """The tensor itself: +x."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def with_operands(name: str, cls: type[Node], input: Any, other: Any, *args: Any) -> Tensor:
    """The op on any mix of tensors and numbers, both of which may be numbers."""
    if not isinstance(input, Variable):
        number = plain(input, name, "input")
        own = isinstance(other, Variable)
        input = wrap(np.asarray(number, cls.mix(other._array, number)[1].dtype if own else None))
    result = apply2(cls, input, other, *args)
    if result is NotImplemented:
        raise TypeError(f"{name}(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return result


def plain(number: Any, op: str, argument: str) -> Any:
    """The number as Python's own. Raises TypeError if it is none."""
    if isinstance(number, NUMBERS):
        return number if not isinstance(number, np.generic) else own_number(number)
    raise TypeError(f"{op}(): argument '{argument}' must be Tensor, not {type(number).__name__}")


def rsub(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """y - alpha x."""
    if isinstance(other, Variable):
        if isinstance(input, Variable):
            not_of_truth_values(input._array, other._array)
            refuse(mismatch(other._array.shape, input._array.shape))
        return apply2(RsubBackward0, input, other, alpha)
    return apply1(RsubBackward1, input, plain(other, "rsub", "other"), alpha)


def rdiv(k: Number, x: Tensor) -> Tensor:
    """k / x: PyTorch takes the reciprocal, then multiplies."""
    return apply2(MulBackward0, reciprocal(x), k)


multiply, subtract = mul, sub
