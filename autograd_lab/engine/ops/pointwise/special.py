"""Functions that statistics and information theory need: erf, lgamma, xlogy, logaddexp, logit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.variable import Variable, is_tensor, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import F32, Array, both_of_kind, floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.kinds import Binary, Pointwise
from autograd_lab.engine.ops.pointwise.arithmetic import Number, Operand, not_of_truth_values, plain
from autograd_lab.engine.special import special_functions as special

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "exp2", "lgamma", "logaddexp", "logaddexp2", "logit", "polygamma", "xlogy",
]  # fmt: skip


class ErfBackward0(Pointwise):
    """z = 2 / √π ∫ e^-t² dt from 0 to x, so dz/dx = 2 / √π e^-x²."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return special.erf(x)

    def backward(self, g: Any, x: Any) -> Any:
        return formulas.times(formulas.exp(-formulas.power(x, 2)), 2 / math.sqrt(math.pi)) * g


erf = function(ErfBackward0)


class ErfcBackward0(Pointwise):
    """z = 1 - erf x, so dz/dx = -2 / √π e^-x²."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return special.erfc(x)

    def backward(self, g: Any, x: Any) -> Any:
        return formulas.times(formulas.exp(-formulas.power(x, 2)), -2 / math.sqrt(math.pi)) * g


erfc = function(ErfcBackward0)


class ErfinvBackward0(Pointwise):
    """erf z = x, so dz/dx = √π / 2 e^z²."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return special.erfinv(x)

    def backward(self, g: Any, x: Any) -> Any:
        z = x.erfinv() if isinstance(x, Variable) else special.erfinv(np.asarray(x))
        return formulas.times(formulas.exp(formulas.power(z, 2)), math.sqrt(math.pi) / 2) * g


erfinv = function(ErfinvBackward0)


class LgammaBackward0(Pointwise):
    """z = ln |Γ(x)|, so dz/dx is digamma of x."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return special.lgamma(x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * (x.digamma() if isinstance(x, Variable) else special.polygamma(0, np.asarray(x)))


lgamma = function(LgammaBackward0)


class PolygammaBackward0(Pointwise):
    """z is the derivative number n + 1 of ln Γ(x), so dz/dx is the next one."""

    saves = ("self",)
    __slots__ = ("n",)

    def forward(self, x: Array, n: int) -> Array:
        self.n = n
        return special.polygamma(n, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * _polygamma(self.n + 1, x)


class PolygammaBackward1(PolygammaBackward0):
    """The same, in place."""


class DigammaBackward0(Pointwise):
    """z is the slope of ln Γ at x, so dz/dx is the next derivative, polygamma."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return special.polygamma(0, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * _polygamma(1, x)


def _polygamma(n: int, x: Any) -> Any:
    return polygamma(n, x) if is_tensor(x) else special.polygamma(n, np.asarray(x))


digamma = function(DigammaBackward0)


def polygamma(n: int, input: Tensor) -> Tensor:
    """The derivative number `n` of digamma."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return apply1(PolygammaBackward0, input, n) if n else digamma(input)


class Exp2Backward0(Pointwise):
    """z = 2^x, so dz/dx = z ln 2."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return precise(np.exp2, x)

    def backward(self, g: Any, z: Any) -> Any:
        return formulas.times(g * z, math.log(2))


exp2 = function(Exp2Backward0)


class XlogyBackward0(Binary):
    """z = x ln y, and 0 where x is 0, so dz/dx = ln y (0 where both are 0 or below) and dz/dy = x / y."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        return _xlogy(floating(x), floating(y))

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        needs = self.next_functions
        to_x, to_y = None, None if needs[1][0] is None else g * x / y
        if needs[0][0] is not None:
            if isinstance(g, Variable):
                to_x = xlogy(g, y)
            else:
                to_x = _xlogy(np.asarray(g), np.asarray(y if y.dtype == g.dtype else formulas.cast(y, self.dtype)))
            to_x = formulas.drop_if((x == 0) & (y <= 0), to_x)
        return to_x, to_y


def _xlogy(x: Array, y: Array) -> Array:
    with np.errstate(all="ignore"):
        z = np.multiply(x, precise(np.log, y), out=...)
    np.copyto(z, z.dtype.type(0), where=(x == 0) & ~np.isnan(y))
    return z


class XlogyBackward1(Pointwise):
    """z = k ln x for a number k, so dz/dx = k / x."""

    takes_number = True
    inputs = ("other",)
    saves = ("other",)
    __slots__ = ("_number",)

    def forward(self, x: Array, k: Number) -> Array:
        self._number = k
        return _xlogy(np.asarray(k, x.dtype), x)

    def attributes(self) -> dict[str, Any]:
        """The factor, which PyTorch calls `self`."""
        return {"self": self._number}

    def backward(self, g: Any, x: Any) -> Any:
        return formulas.times(g, self._number) / x


class XlogyBackward2(Pointwise):
    """z = x ln k for a number k, so dz/dx = ln k (0 where x is 0 and k not above it)."""

    takes_number = True
    saves = ("self",)
    __slots__ = ("other",)

    def forward(self, x: Array, k: Number) -> Array:
        self.other = k
        return _xlogy(x, np.asarray(k, x.dtype))

    def backward(self, g: Any, x: Any) -> Any:
        if is_tensor(g):
            slope: Any = apply1(XlogyBackward2, g, self.other)
        else:
            slope = _xlogy(np.asarray(g), np.asarray(self.other, g.dtype))
        return slope if self.other > 0 else formulas.drop_if(x == 0, slope)


def xlogy(input: Operand, other: Operand) -> Tensor:
    """x ln y, and 0 where x is 0; one of them may be a number."""
    if not isinstance(other, Variable):
        return apply1(XlogyBackward2, input, plain(other, "xlogy", "other"))
    if not isinstance(input, Variable):
        return apply1(XlogyBackward1, other, plain(input, "xlogy", "input"))
    return apply2(XlogyBackward0, input, other)


def _from_the_higher(power: np.ufunc, factor: Any, x: Array, y: Array) -> Array:
    """The higher one and more: a logarithm of 1 and what the lower one is to it."""
    high = np.maximum(x, y)
    more = precise(np.log1p, precise(power, -np.abs(x - y)))
    return np.where((x == y) & np.isinf(x), x, fused(high, factor, more))


class LogaddexpBackward0(Binary):
    """z = ln(e^x + e^y), so dz/dx = 1 / (1 + e^(y-x)) and dz/dy = 1 / (1 + e^(x-y))."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        both_of_kind("fV", x, y, "logaddexp_cpu")
        return np.logaddexp(x, y, out=...) if x.dtype is not F32 else _from_the_higher(np.exp, 1, x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        needs = self.next_functions
        if not isinstance(x, Variable):
            not_of_truth_values(x, y)
        to_y = None if needs[1][0] is None else g / formulas.plus(formulas.exp(x - y), 1)
        return None if needs[0][0] is None else g / formulas.plus(formulas.exp(y - x), 1), to_y


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """ln(e^x + e^y), without overflow."""
    only_tensors("logaddexp", input, other)
    return apply2(LogaddexpBackward0, input, other)


class Logaddexp2Backward0(Binary):
    """z = log₂(2^x + 2^y), so dz/dx = 1 / (1 + 2^(y-x)) and dz/dy = 1 / (1 + 2^(x-y))."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        both_of_kind("fV", x, y, "logaddexp2_cpu")
        if x.dtype is not F32:
            return np.logaddexp2(x, y, out=...)
        return _from_the_higher(np.exp2, F32.type(1 / math.log(2)), x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        needs = self.next_functions
        if not isinstance(x, Variable):
            not_of_truth_values(x, y)
        to_y = None if needs[1][0] is None else g / formulas.plus(_two_to(x - y), 1)
        return None if needs[0][0] is None else g / formulas.plus(_two_to(y - x), 1), to_y


def _two_to(x: Any) -> Any:
    """2^x, of a number by numpy's scalars: those come closest to PyTorch."""
    return np.full_like(x, 2)[()] ** x if isinstance(x, np.ndarray | np.generic) else 2**x


def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log₂(2^x + 2^y), without overflow."""
    only_tensors("logaddexp2", input, other)
    return apply2(Logaddexp2Backward0, input, other)


class LogitBackward0(Pointwise):
    """z = ln(x / (1 - x)), so dz/dx = 1 / (x (1 - x)); with `eps`, x is kept that far from 0 and 1."""

    saves = ("self",)
    __slots__ = ("eps",)

    def forward(self, x: Array, eps: float | None) -> Array:
        self.eps = eps
        kept = x if eps is None else np.clip(x, x.dtype.type(eps), x.dtype.type(1 - eps))
        with np.errstate(all="ignore"):
            return precise(np.log, kept / (1 - kept))

    def backward(self, g: Any, x: Any) -> Any:
        low = 0 if self.eps is None else self.eps
        slope = g / (x * (formulas.one(x) - x))
        inside = (x >= low) & (x <= 1 - low)
        if self.eps is not None and not isinstance(x, Variable):  # for PyTorch's kernel what is no number is inside
            inside |= x != x
        blank = math.nan if self.eps is None else 0.0
        if isinstance(slope, Variable):
            return slope.where(inside, wrap(np.full((), blank, slope._array.dtype)))
        return np.where(inside, slope, slope.dtype.type(blank))


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """ln(x / (1 - x)), the inverse of sigmoid."""
    return apply1(LogitBackward0, input, eps)
