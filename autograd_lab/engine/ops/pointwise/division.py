"""Division that leaves whole numbers, and what is left of it: //, %, fmod, and `div` with a rounding mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import mismatch, only_tensors, refuse
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.numbers.dtypes import F32, Array, mixed, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.answers import answered, ask_history
from autograd_lab.engine.ops.ground.kinds import Binary, Elementwise, Undifferentiable
from autograd_lab.engine.ops.pointwise.arithmetic import DivBackward0, Number, Operand, plain, with_operands

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["div", "divide", "floor_divide", "fmod", "gcd", "lcm", "remainder", "true_divide"]


def _checked(y: Array, x: Array, kernel: str) -> Array:
    """The divisor of what is there to be divided, of a kind that PyTorch's kernel has, and not 0."""
    if y.shape != x.shape:
        refuse(mismatch(x.shape, y.shape))
    of_kind("uifV", x, kernel)
    if y.dtype.kind in "bui" and x.size and not y.all():
        raise RuntimeError("ZeroDivisionError")
    return y


def _floored(x: Array, y: Array) -> Array:
    """The next whole number below x / y, exact also where x / y itself would be rounded up to one."""
    return np.floor_divide(x, _checked(y, x, "div_floor_cpu"), out=...)


def _truncated(x: Array, y: Array) -> Array:
    if x.dtype.kind in "bui":
        return (x - np.fmod(x, _checked(y, x, "div_trunc_cpu"))) // y
    if x.dtype.itemsize == 2:  # the quotient is rounded before, but by one number it is not
        quotient = x.astype(F32) / y.astype(F32)
        return np.trunc(quotient if y.size == 1 else quotient.astype(x.dtype).astype(F32), out=...).astype(x.dtype)
    return np.trunc(x / y, out=...)


def _remainder(x: Array, y: Array) -> Array:
    """x - y floor(x / y); where nothing is left, 0 has the sign of x, as in C."""
    z = np.mod(x, _checked(y, x, "remainder_cpu"), out=...)
    if z.dtype.kind not in "bui":
        np.copyto(z, np.copysign(z, x), where=z == 0)
    return z


QUOTIENTS = {"floor": _floored, "trunc": _truncated}


class RemainderBackward0(Elementwise):
    """z = x - k floor(x / k) for a number k, so dz/dx = 1."""

    takes_number = True

    def forward(self, x: Array, k: Number) -> Array:
        if x.dtype.kind in "bui":
            x, k = mixed(x, k)
        return _remainder(x, np.asarray(k, x.dtype))

    def backward(self, g: Any) -> Any:
        return g


def _shrunk(g: Any, quotient: Any) -> Any:
    """-g times a quotient that is known by now: PyTorch computes the right factor first."""
    return -g * quotient


class RemainderBackward1(Binary):
    """z = x - y floor(x / y), so dz/dx = 1 and dz/dy = -floor(x / y)."""

    saves = Binary.inputs
    only_for = (("self", 1), ("other", 1))

    def forward(self, x: Array, y: Array) -> Array:
        return _remainder(x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return g, None if x is None else _shrunk(g, rounded_quotient(x, y, "floor"))


def remainder(input: Operand, other: Operand) -> Tensor:
    """What is left of x after whole multiples of y; it has the sign of y."""
    if not isinstance(other, Variable):
        return apply1(RemainderBackward0, input, plain(other, "remainder", "other"))
    if not isinstance(input, Variable):
        return apply1(RemainderOfNumber, other, plain(input, "remainder", "input"))
    return apply2(RemainderBackward1, input, other)


class FmodBackward0(RemainderBackward0):
    """z = x - k trunc(x / k) for a number k, so dz/dx = 1."""

    def forward(self, x: Array, k: Number) -> Array:
        if x.dtype.kind in "bui":
            x, k = mixed(x, k)
        return np.fmod(x, _checked(np.asarray(k, x.dtype), x, "fmod_cpu"), out=...)


class FmodBackward1(Binary):
    """z = x - y trunc(x / y), so dz/dx = 1 and dz/dy = -trunc(x / y)."""

    saves = Binary.inputs
    only_for = (("self", 1), ("other", 1))

    def forward(self, x: Array, y: Array) -> Array:
        return np.fmod(x, _checked(y, x, "fmod_cpu"), out=...)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return g, None if x is None else _shrunk(g, rounded_quotient(x, y, "trunc"))


def fmod(input: Tensor, other: Operand) -> Tensor:
    """What is left of x after whole multiples of y; it has the sign of x."""
    if isinstance(other, Variable):
        return apply2(FmodBackward1, input, other)
    return apply1(FmodBackward0, input, plain(other, "fmod", "other"))


def rounded_quotient(x: Any, y: Any, mode: str) -> Any:
    """x / y, rounded down ("floor") or towards 0 ("trunc")."""
    return div(x, y, rounding_mode=mode) if isinstance(x, Variable) else QUOTIENTS[mode](*mixed(x, y))


class DivBackward2(DivBackward0):
    """z = x / y, rounded to a whole number: flat almost everywhere, so nothing flows back."""

    op = "div"
    writes = False
    __slots__ = ("rounding_mode",)

    def forward(self, x: Array, y: Array, mode: str = "floor") -> Array:
        self.rounding_mode = mode
        return QUOTIENTS[mode](x, y) if x.dtype is y.dtype else halves.rounded(QUOTIENTS[mode], x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        needs = self.next_functions
        blank = formulas.zeros_like(g)
        return None if needs[0][0] is None else blank, None if needs[1][0] is None else blank


def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """x / y; rounded down for the mode "floor", towards 0 for "trunc"."""
    if rounding_mode is None:
        return with_operands("div", DivBackward0, input, other)
    check_mode(rounding_mode)
    return with_operands("div", DivBackward2, input, other, rounding_mode)


def true_divide(input: Operand, other: Operand) -> Tensor:
    """x / y."""
    return div(input, other)


def check_mode(rounding_mode: Any) -> None:
    """Raise RuntimeError unless it is a way to round."""
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )


class FloorDivide(Undifferentiable):
    """z is the next whole number below x / y."""

    inputs = ("self", "other")
    op = "floor_divide"
    mix = staticmethod(halves.by_number)

    def forward(self, x: Array, y: Array) -> Array:
        return _floored(x, y) if x.dtype is y.dtype else halves.rounded(_floored, x, y)


class FloorDivideByNumber(Undifferentiable):
    """z is the next whole number below x / k, or below k / x, for a number k."""

    takes_number = True
    op = "floor_divide"

    def forward(self, x: Array, k: Number, turned: bool = False) -> Array:
        x, y = mixed(k, x) if turned else halves.by_number(x, k)
        return _floored(x, y) if x.dtype is y.dtype else halves.rounded(_floored, x, y)


class FloorDivided(FloorDivide):
    """The same, written over x."""

    op = "floor_divide_"


class FloorDividedByNumber(FloorDivideByNumber):
    """The same, written over x."""

    op = "floor_divide_"


def floor_divide(input: Operand, other: Operand) -> Tensor:
    """x / y, rounded down: x // y."""
    if not isinstance(other, Variable):
        return apply1(FloorDivideByNumber, input, plain(other, "floor_divide", "other"))
    if not isinstance(input, Variable):
        return apply1(FloorDivideByNumber, other, plain(input, "floor_divide", "input"), True)
    return apply2(FloorDivide, input, other)


class RemainderOfNumber(Undifferentiable):
    """z = k - x floor(k / x) for a number k."""

    takes_number = True
    op = "remainder"

    def forward(self, x: Array, k: Number) -> Array:
        x, y = mixed(x, k)
        return _remainder(y, x)


divide = div


def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest whole number that divides both."""
    return _of_whole_numbers("gcd", np.gcd, input, other)


def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least whole number that both divide."""
    return _of_whole_numbers("lcm", np.lcm, input, other)


def _of_whole_numbers(name: str, ufunc: Any, input: Tensor, other: Tensor) -> Tensor:
    only_tensors(name, input, other)
    ask_history(input, other)
    refuse(mismatch(input._array.shape, other._array.shape))
    x, y = (of_kind("ui", one, f"{name}_cpu") for one in mixed(input._array, other._array))
    return answered(name, ufunc(x, y, out=...), input, other)
