"""More of `torch.special`: shares of the normal distribution, entropies, and what is computed by them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.variable import Variable, is_tensor
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import Array, floating, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.kinds import Binary, Pointwise
from autograd_lab.engine.ops.pointwise.arithmetic import Number, Operand, plain
from autograd_lab.engine.ops.pointwise.special import erf
from autograd_lab.engine.special import scaled_erfc

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class SpecialEntrBackward0(Pointwise):
    """z = -x ln x, and 0 where x is 0, so dz/dx = -(1 + ln x)."""

    saves = ("self",)
    op = "special_entr"

    def forward(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            z = -x * precise(np.log, x)
            z = np.where(x == 0, x.dtype.type(0), np.where(x < 0, x.dtype.type(-math.inf), z))
        return np.asarray(z)

    def backward(self, g: Any, x: Any) -> Any:
        return g * -formulas.plus(formulas.log(x), 1)


class SpecialErfcxBackward0(Pointwise):
    """z = e^x² erfc x, so dz/dx = 2 x z - 2 / √π."""

    saves = ("self", "result")
    op = "special_erfcx"

    def forward(self, x: Array) -> Array:
        return np.asarray(scaled_erfc.erfcx(of_kind("f", x, "erfcx_cpu", least=4)), x.dtype)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return formulas.minus(formulas.times(x, 2.0) * z, 2 / math.sqrt(math.pi)) * g


class SpecialLogNdtrBackward0(Pointwise):
    """z is the logarithm of the normal distribution's share below x, so dz/dx = e^-(z + x² / 2) / √(2π)."""

    saves = ("self", "result")
    op = "special_log_ndtr"

    def forward(self, x: Array) -> Array:
        return np.asarray(scaled_erfc.log_ndtr(of_kind("f", x, "log_ndtr_cpu", least=4)), x.dtype)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        inside = formulas.exp(-(z + formulas.over(formulas.power(x, 2), 2)))
        return formulas.over(g, math.sqrt(2 * math.pi)) * inside


entr, erfcx, log_ndtr = map(function, (SpecialEntrBackward0, SpecialErfcxBackward0, SpecialLogNdtrBackward0))


@composed
def ndtr(input: Tensor) -> Tensor:
    """The share of the normal distribution below x."""
    return erf(input._times(math.sqrt(0.5)))._plus(1)._times(0.5)


def _product(x: Array, y: Array) -> Array:
    """x ln(1 + y), and 0 where x is 0."""
    with np.errstate(all="ignore"):
        z = np.multiply(x, np.log1p(y), out=...)
    np.copyto(z, z.dtype.type(0), where=(x == 0) & ~np.isnan(y))
    return z


def _over(y: Any, g: Any, x: Any) -> Any:
    """g x / (1 + y): PyTorch computes the divisor first."""
    below = formulas.plus(y, 1)
    return (formulas.times(g, x) if isinstance(x, int | float) else g * x) / below


class SpecialXlog1PyBackward0(Binary):
    """z = x ln(1 + y), and 0 where x is 0: dz/dx = ln(1 + y) (0 where x is 0 and y at most -1), dz/dy = x / (1 + y)."""

    saves = Binary.inputs
    op = "special_xlog1py"

    def forward(self, x: Array, y: Array) -> Array:
        return _product(floating(x), floating(y))

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        needs = self.next_functions
        to_y = None if needs[1][0] is None else _over(y, g, x)
        if needs[0][0] is None:
            return None, to_y
        to_x = xlog1py(g, y) if isinstance(g, Variable) else _product(np.asarray(g), floating(np.asarray(y)))
        return formulas.drop_if((x == 0) & (y <= -1), to_x), to_y


class SpecialXlog1PyBackward1(Pointwise):
    """z = k ln(1 + y) for a number k, so dz/dy = k / (1 + y)."""

    takes_number = True
    inputs = ("other",)
    saves = ("other",)
    op = "special_xlog1py"
    __slots__ = ("_number",)

    def forward(self, y: Array, k: Number) -> Array:
        self._number = k
        return _product(np.asarray(k, y.dtype), y)

    def attributes(self) -> dict[str, Any]:
        """The factor, which PyTorch calls `self`."""
        return {"self": self._number}

    def backward(self, g: Any, y: Any) -> Any:
        return _over(y, g, self._number)


class SpecialXlog1PyBackward2(Pointwise):
    """z = x ln(1 + k) for a number k, so dz/dx = ln(1 + k) (0 where x is 0 and k at most -1)."""

    takes_number = True
    saves = ("self",)
    op = "special_xlog1py"
    __slots__ = ("other",)

    def forward(self, x: Array, k: Number) -> Array:
        self.other = k
        return _product(x, np.asarray(k, x.dtype))

    def backward(self, g: Any, x: Any) -> Any:
        slope: Any = (
            apply1(SpecialXlog1PyBackward2, g, self.other)
            if is_tensor(g)
            else _product(np.asarray(g), np.asarray(self.other, g.dtype))
        )
        return slope if self.other > -1 else formulas.drop_if(x == 0, slope)


def xlog1py(input: Operand, other: Operand) -> Tensor:
    """x ln(1 + y), and 0 where x is 0; one of them may be a number."""
    if not isinstance(other, Variable):
        return apply1(SpecialXlog1PyBackward2, input, plain(other, "special_xlog1py", "other"))
    if not isinstance(input, Variable):
        return apply1(SpecialXlog1PyBackward1, other, plain(input, "special_xlog1py", "input"))
    return apply2(SpecialXlog1PyBackward0, input, other)
