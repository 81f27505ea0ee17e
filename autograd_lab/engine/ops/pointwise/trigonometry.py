"""Angles and their hyperbolic kin: sin, cos, tan, sinh, cosh, and their inverses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply2
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.kernels.precise import precise, precise_of_two
from autograd_lab.engine.numbers.dtypes import F32, Array, both_of_kind, floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.kinds import Binary, Pointwise

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "hypot",
    "rad2deg",
    "sin",
    "sinc",
    "sinh",
    "tan",
]


class SinBackward0(Pointwise):
    """z = sin x, so dz/dx = cos x."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.sin, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * formulas.cos(x)


sin = function(SinBackward0)


class CosBackward0(Pointwise):
    """z = cos x, so dz/dx = -sin x."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.cos, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * -formulas.sin(x)


cos = function(CosBackward0)


class TanBackward0(Pointwise):
    """z = tan x, so dz/dx = 1 + z²."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return precise(np.tan, x)

    def backward(self, g: Any, z: Any) -> Any:
        return g * formulas.plus(formulas.power(z, 2), 1)


tan = function(TanBackward0)


class AtanBackward0(Pointwise):
    """z = arctan x, so dz/dx = 1 / (1 + x²)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.arctan, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g / formulas.plus(x * x, 1)


atan = function(AtanBackward0)


class SinhBackward0(Pointwise):
    """z = sinh x, so dz/dx = cosh x."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.sinh, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * formulas.cosh(x)


sinh = function(SinhBackward0)


class CoshBackward0(Pointwise):
    """z = cosh x, so dz/dx = sinh x."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.cosh, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * formulas.sinh(x)


cosh = function(CoshBackward0)


class AsinBackward0(Pointwise):
    """z = arcsin x, so dz/dx = 1 / √(1 - x²)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.arcsin, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * formulas.rsqrt(formulas.plus(-x * x, 1))


asin = function(AsinBackward0)


class AcosBackward0(Pointwise):
    """z = arccos x, so dz/dx = -1 / √(1 - x²)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.arccos, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * -formulas.rsqrt(formulas.plus(-x * x, 1))


acos = function(AcosBackward0)


class AsinhBackward0(Pointwise):
    """z = arsinh x, so dz/dx = 1 / √(x² + 1)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.arcsinh, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * formulas.rsqrt(formulas.plus(formulas.power(x, 2), 1))


asinh = function(AsinhBackward0)


class AcoshBackward0(Pointwise):
    """z = arcosh x, so dz/dx = 1 / √(x² - 1)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.arccosh, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g * formulas.rsqrt(formulas.minus(x * x, 1))


acosh = function(AcoshBackward0)


class AtanhBackward0(Pointwise):
    """z = artanh x, so dz/dx = 1 / (1 - x²)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.arctanh, x)

    def backward(self, g: Any, x: Any) -> Any:
        rest = formulas.one(x) - formulas.power(x, 2)
        return formulas.times(g, 1) / rest


atanh = function(AtanhBackward0)


class Atan2Backward0(Binary):
    """z is the angle of the point (y, x), so dz/dx = y / (x² + y²) and dz/dy = -x / (x² + y²)."""

    saves = Binary.inputs

    def forward(self, x: Array, y: Array) -> Array:
        return precise_of_two(np.arctan2, floating(x), floating(y))

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        other = y * y
        square = x * x + other
        scale = formulas.drop_if(square == 0, formulas.reciprocal(square))
        needs = self.next_functions
        return None if needs[0][0] is None else g * y * scale, None if needs[1][0] is None else g * -x * scale


def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (`other`, `input`), from -π to π."""
    only_tensors("atan2", input, other)
    return apply2(Atan2Backward0, input, other)


class HypotBackward0(Binary):
    """z = √(x² + y²), so dz/dx = x / z and dz/dy = y / z."""

    saves = (*Binary.inputs, "result")
    only_for = (("self", 0), ("other", 1))

    def forward(self, x: Array, y: Array) -> Array:
        both_of_kind("fV", x, y, "hypot_cpu")
        if x.dtype.kind == "V":
            return np.asarray(np.hypot(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype))
        return np.hypot(x, y, out=...)

    def backward(self, g: Any, x: Any, y: Any, z: Any) -> Any:
        needs = self.next_functions
        to_y = None if needs[1][0] is None else g * y / z
        return None if needs[0][0] is None else g * x / z, to_y


def hypot(input: Tensor, other: Tensor) -> Tensor:
    """The length of the hypotenuse over two legs."""
    only_tensors("hypot", input, other)
    return apply2(HypotBackward0, input, other)


class Deg2RadBackward0(Pointwise):
    """z = x π / 180, so dz/dx = π / 180."""

    op = "deg2rad"
    _factor: ClassVar[float] = math.pi / 180

    def forward(self, x: Array) -> Array:
        return narrowed(self._turned, x)

    def _turned(self, x: Array) -> Array:
        return np.multiply(x, x.dtype.type(self._factor), out=...)

    def backward(self, g: Any) -> Any:
        return formulas.times(g, self._factor) if isinstance(g, Variable) else narrowed(self._turned, g)


deg2rad = function(Deg2RadBackward0)


class Rad2DegBackward0(Deg2RadBackward0):
    """z = x 180 / π, so dz/dx = 180 / π."""

    op = "rad2deg"
    _factor = 180 / math.pi


rad2deg = function(Rad2DegBackward0)


class SincBackward0(Pointwise):
    """z = sin πx / πx, so dz/dx = (πx cos πx - sin πx) / πx², and 0 at 0."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        with np.errstate(invalid="ignore"):  # at infinity; numpy's function is no ufunc, which would say so from here
            return np.asarray(np.sinc(x.astype(F32) if x.dtype.itemsize == 2 else x), x.dtype)

    def backward(self, g: Any, x: Any) -> Any:
        turn = formulas.times(x, math.pi)
        square = formulas.times(x * x, math.pi)
        sine = formulas.sin(turn)
        slope = (turn * formulas.cos(turn) - sine) / square
        return formulas.zero_where(x == 0, g * slope)


sinc = function(SincBackward0)


arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
