"""Arithmetic of two tensors, or of a tensor and a number: + - * / **."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import NUMBERS, apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, is_tensor, wrap
from autograd_lab.engine.errors.operands import check_alpha, mismatch, refuse
from autograd_lab.engine.numbers.dtypes import BOOL, F64, I64, Array, floating, mixed, of_kind, result_dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.copying import to_dtype
from autograd_lab.engine.ops.ground.kinds import Binary, Elementwise
from autograd_lab.engine.ops.ground.older_order import again
from autograd_lab.engine.ops.pointwise.elementary import reciprocal

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["add", "float_power", "mul", "multiply", "positive", "pow", "rsub", "square", "sub", "subtract"]

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
            y = times(y, alpha)
        return x + y if out is ... and x.ndim else np.add(x, y, out=out)

    def backward(self, g: Any) -> Any:
        return g, g if self.alpha == 1 else formulas.times(g, self.alpha)


def times(y: Array, alpha: Number) -> Array:
    """alpha y in the dtype of y. Raises RuntimeError for integers and an alpha that is a float."""
    if isinstance(alpha, Variable):
        alpha = alpha._array.item()
    if y.dtype.kind in "bui" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return np.multiply(y, y.dtype.type(alpha))


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
            y = times(y, alpha)
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
        return np.subtract(y, x if alpha == 1 else times(x, alpha), out=...)

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
        return np.subtract(y, x if alpha == 1 else times(x, alpha), out=...)

    def backward(self, g: Any) -> Any:
        return -g if self.alpha == 1 else formulas.times(-g, self.alpha)


class MulBackward0(Binary):
    """z = x y, so dz/dx = y and dz/dy = x."""

    writes = True
    saves = Binary.inputs
    only_for = (("self", 1), ("other", 0))

    def forward(self, x: Array, y: Array, out: Any = ...) -> Array:
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

    writes = True
    saves = Binary.inputs
    only_for = (("self", 1),)

    def forward(self, x: Array, y: Array, out: Any = ...) -> Array:
        if x.dtype.kind not in "fV":
            x, y = floating(x), floating(y)
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


class PowBackward0(Elementwise):
    """z = x^k for a number k, so dz/dx = k x^(k-1)."""

    takes_number = True
    saves = ("self",)
    __slots__ = ("exponent",)

    def forward(self, x: Array, k: Number) -> Array:
        self.exponent = k
        return _raised(x, k)

    def backward(self, g: Any, x: Any) -> Any:
        k = float(self.exponent)
        return formulas.zeros_like(g) if k == 0 else g * formulas.times(formulas.power(x, k - 1), k)


def _raised(x: Array, k: Number) -> Array:
    if x.dtype.kind not in "fV":
        if x.dtype is BOOL:
            if isinstance(k, bool):
                return np.logical_or(x, not k, out=...)
            x = x.astype(I64)
        if isinstance(k, float):
            x = floating(x)
        elif k < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
    if k == 2:
        return np.multiply(x, x, out=...)
    if k == 3:
        return np.multiply(x * x, x, out=...)
    if k == 0.5 and x.dtype.itemsize != 2:  # PyTorch takes no roots of half precision: of -∞ a power is ∞
        return np.sqrt(x, out=...)
    return np.power(x, x.dtype.type(k), out=...)


class PowBackward1(Elementwise):
    """z = x^y, so dz/dx = y x^(y-1) and dz/dy = z ln x."""

    inputs = ("self", "exponent")
    saves = ("self", "exponent", "result")

    def forward(self, x: Array, y: Array) -> Array:
        return np.power(x, y, out=...) if x.dtype.kind not in "bui" else _whole_power(x, y)

    def backward(self, g: Any, x: Any, y: Any, z: Any) -> Any:
        first, second = (edge[0] for edge in self.next_functions)
        to_y = None
        if second is not None:
            arrays = [np.asarray(one._array if isinstance(one, Variable) else one) for one in (x, y)]
            base = x if (kind := result_dtype(arrays)) == arrays[0].dtype else formulas.cast(x, kind)
            to_y = g * formulas.zero_where((x == 0) & (y >= 0), z * formulas.log(base))
        return None if first is None else formulas.zero_where(y == 0, g * (y * _power(x, _less_one(y)))), to_y


def _whole_power(x: Array, y: Array) -> Array:
    """x^y of whole numbers: 1 / x^-y for negative y, without what comes after the point."""
    of_kind("ui", x, "pow")
    z = np.power(x, np.abs(y), out=...)
    np.copyto(z, np.where(np.abs(x) == 1, z, 0), where=y < 0)
    return z


def _less_one(y: Any) -> Any:
    if (exponent := y._array if isinstance(y, Variable) else y).dtype is BOOL:
        not_of_truth_values(exponent, 1)  # for which PyTorch has no formula
    if isinstance(y, Variable) and exponent.dtype.kind in "ui":
        return wrap(exponent - 1)  # which stays whole
    return formulas.minus(y, 1)


def _power(x: Any, y: Any) -> Any:
    return x.pow(y) if isinstance(x, Variable) else np.power(x, y)


class PowBackward2(Elementwise):
    """z = k^y for a number k, so dz/dy = z ln k."""

    takes_number = True
    inputs = ("exponent",)
    saves = ("exponent", "result")
    __slots__ = ("_base",)

    def forward(self, y: Array, k: Number) -> Array:
        self._base = k
        if y.dtype.kind not in "fV" and isinstance(k, float):
            y = floating(y)
        if y.dtype is BOOL:
            y = of_kind("uifV", mixed(y, k)[0], "pow")
        if y.dtype.kind in "ui":
            return _whole_power(np.asarray(k, y.dtype), y)
        return np.power(y.dtype.type(k), y, out=...)

    def attributes(self) -> dict[str, Any]:
        """The base, which PyTorch calls `self`."""
        return {"self": self._base}

    def backward(self, g: Any, y: Any, z: Any) -> Any:
        k = self._base
        if k == 0:
            return g * formulas.zero_where(y >= 0, formulas.times(z, float(np.log(np.float64(k)))))
        return g * formulas.times(z, float(np.log(np.float64(k))))


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


def pow(input: Operand, exponent: Operand) -> Tensor:
    """x to the power of y; one of them may be a number."""
    if not isinstance(exponent, Variable):
        return apply1(PowBackward0, input, plain(exponent, "pow", "exponent"))
    if not isinstance(input, Variable):
        return apply1(PowBackward2, exponent, plain(input, "pow", "self"))
    return apply2(PowBackward1, input, exponent)


def float_power(input: Operand, exponent: Operand) -> Tensor:
    """x to the power of y, in float64."""
    operands = [to_dtype(one, F64) if is_tensor(one) else float(one) for one in (input, exponent)]
    return pow(*operands)


def positive(input: Tensor) -> Tensor:
    """The tensor itself: +x."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def square(input: Tensor) -> Tensor:
    """x²."""
    return apply1(PowBackward0, input, 2)


def with_operands(name: str, cls: type[Node], input: Any, other: Any, *args: Any) -> Tensor:
    """The op on any mix of tensors and numbers, both of which may be numbers."""
    if not isinstance(input, Variable):
        input = wrap(np.asarray(plain(input, name, "input")))
    result = apply2(cls, input, other, *args)
    if result is NotImplemented:
        raise TypeError(f"{name}(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return result


def plain(number: Any, op: str, argument: str) -> Any:
    """The number as Python's own. Raises TypeError if it is none."""
    if isinstance(number, NUMBERS):
        return number.item() if isinstance(number, np.generic) else number
    raise TypeError(f"{op}(): argument '{argument}' must be Tensor, not {type(number).__name__}")


def rsub(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """y - alpha x."""
    if isinstance(other, Variable):
        if isinstance(input, Variable):
            refuse(mismatch(other._array.shape, input._array.shape))
        return apply2(RsubBackward0, input, other, alpha)
    return apply1(RsubBackward1, input, plain(other, "rsub", "other"), alpha)


def rdiv(k: Number, x: Tensor) -> Tensor:
    """k / x: PyTorch takes the reciprocal, then multiplies."""
    return apply2(MulBackward0, reciprocal(x), k)


multiply, subtract = mul, sub
