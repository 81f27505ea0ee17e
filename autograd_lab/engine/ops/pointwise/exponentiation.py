"""Powers: `x ** k`, `x ** y`, `k ** y`, and squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.variable import Variable, is_tensor
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.kernels.precise import as_exponent, precise, precise_of_two
from autograd_lab.engine.numbers.dtypes import BOOL, F64, I64, Array, fitted, floating, mixed, of_kind, result_dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.copying import to_dtype
from autograd_lab.engine.ops.ground.kinds import Elementwise
from autograd_lab.engine.ops.pointwise.arithmetic import Number, Operand, not_of_truth_values, plain

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["float_power", "pow", "square"]


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
        else:
            k = fitted(k, x.dtype)
    if k == 2:
        return np.multiply(x, x, out=...)
    if k == 3:
        return halves.cubed(x)
    if k == 0.5 and x.dtype.itemsize > 2:
        return np.sqrt(x, out=...)
    if formulas.is_inverted(x, k):
        return formulas.inverted(x, k)
    return precise_of_two(np.power, x, as_exponent(x, k))


class PowBackward1(Elementwise):
    """z = x^y, so dz/dx = y x^(y-1) and dz/dy = z ln x."""

    inputs = ("self", "exponent")
    saves = ("self", "exponent", "result")

    def forward(self, x: Array, y: Array) -> Array:
        return _power(x, y) if x.dtype.kind not in "bui" else whole_power(x, y)

    def backward(self, g: Any, x: Any, y: Any, z: Any) -> Any:
        first, second = (edge[0] for edge in self.next_functions)
        to_y = None
        if second is not None:
            kinds = [one._array if isinstance(one, Variable) else one for one in (x, y)]
            base = x if x.dtype == y.dtype else formulas.cast(x, result_dtype(kinds))
            to_y = g * formulas.zero_where((x == 0) & (y >= 0), z * formulas.log(base))
        return None if first is None else formulas.zero_where(y == 0, g * (y * _power(x, _less_one(y)))), to_y


def whole_power(x: Array, y: Array) -> Array:
    """x^y of whole numbers: 1 / x^-y for negative y, without what comes after the point."""
    of_kind("ui", x, "pow")
    z = np.power(x, np.where(y < 0, y & 1, y), out=...)  # of 1 and -1 it is the parity that counts
    np.copyto(z, np.where(np.abs(x) == 1, z, 0), where=y < 0)
    return z


def _less_one(y: Any) -> Any:
    if (exponent := y._array if isinstance(y, Variable) else y).dtype is BOOL:
        not_of_truth_values(exponent, 1)  # for which PyTorch has no formula
    return y - 1 if exponent.dtype.kind in "ui" else formulas.minus(y, 1)


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, Variable):
        return x.pow(y)
    return precise_of_two(np.power, x, y) if x.dtype is y.dtype else np.power(x, y, out=...)


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
            return whole_power(np.asarray(k, y.dtype), y)
        return precise(np.exp2, y) if k == 2 else precise_of_two(np.power, y.dtype.type(k), y)

    def attributes(self) -> dict[str, Any]:
        """The base, which PyTorch calls `self`."""
        return {"self": self._base}

    def backward(self, g: Any, y: Any, z: Any) -> Any:
        k = self._base
        if k == 0:
            return g * formulas.zero_where(y >= 0, formulas.times(z, float(np.log(np.float64(k)))))
        return g * formulas.times(z, float(np.log(np.float64(k))))


def pow(input: Operand, exponent: Operand) -> Tensor:
    """x to the power of y; one of them may be a number."""
    if isinstance(exponent, Variable):
        return apply2(PowBackward1, input, exponent) if isinstance(input, Variable) else _exponential(input, exponent)
    return apply1(PowBackward0, input, plain(exponent, "pow", "exponent"))


def _exponential(base: Any, exponent: Any) -> Tensor:
    return apply1(PowBackward2, exponent, plain(base, "pow", "self"))


def float_power(input: Operand, exponent: Operand) -> Tensor:
    """x to the power of y, in float64."""
    operands = [to_dtype(one, F64) if is_tensor(one) else float(one) for one in (input, exponent)]
    return pow(*operands)


def square(input: Tensor) -> Tensor:
    """x²."""
    return apply1(PowBackward0, input, 2)
