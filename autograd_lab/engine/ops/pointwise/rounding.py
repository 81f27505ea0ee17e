"""Steps: the sign of a number, and whole numbers near it. They are flat nearly everywhere, so gradients end here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import WIDE, Array, both_of_kind, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.kinds import Binary, Elementwise

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["angle", "ceil", "fix", "floor", "frac", "nextafter", "round", "sgn", "sign", "trunc"]


class Flat(Elementwise):
    """An op whose result stays as it is when its operand changes a little."""

    def backward(self, g: Any) -> Any:
        return formulas.zeros_like(g)


def _sign(x: Array) -> Array:
    if x.dtype.kind == "b":
        return x.copy()
    z = np.sign(x, out=...)
    np.copyto(z, z.dtype.type(0), where=np.isnan(z))  # PyTorch's sign of NaN
    return z


def _rounded(ufunc: Any, x: Array, kernel: str) -> Array:
    return x.copy() if of_kind("fVui", x, kernel).dtype.kind in "ui" else ufunc(x, out=...)


class SgnBackward0(Elementwise):
    """z = sign(x), flat everywhere, so dz/dx = 0."""

    saves = ("self", "result")

    def forward(self, x: Array) -> Array:
        return _sign(x)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return formulas.zeros_like(g)


sgn = function(SgnBackward0)


class AngleBackward0(Elementwise):
    """The angle of a number in the complex plane: π, if it is negative, or 0."""

    floats = True
    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return np.asarray(np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(math.pi), x.dtype.type(0))))

    def backward(self, g: Any, x: Any) -> Any:
        return formulas.zeros_like(g)


angle = function(AngleBackward0)


class ConjPhysicalBackward1(Elementwise):
    """z is x, which is not complex, written over x, so dz/dx = 1."""

    op = "conj_physical"

    def forward(self, x: Array) -> Array:
        return x.copy()

    def backward(self, g: Any) -> Any:
        return g


class SignBackward0(Flat):
    """z = sign(x), flat everywhere, so dz/dx = 0."""

    def forward(self, x: Array) -> Array:
        return _sign(x)


sign = function(SignBackward0)


class FloorBackward0(Flat):
    """z is the next whole number below x, flat almost everywhere, so dz/dx = 0."""

    def forward(self, x: Array) -> Array:
        return _rounded(np.floor, x, "floor_vml_cpu")


floor = function(FloorBackward0)


class CeilBackward0(Flat):
    """z is the next whole number above x, flat almost everywhere, so dz/dx = 0."""

    def forward(self, x: Array) -> Array:
        return _rounded(np.ceil, x, "ceil_vml_cpu")


ceil = function(CeilBackward0)


class TruncBackward0(Flat):
    """z is the next whole number towards 0, flat almost everywhere, so dz/dx = 0."""

    def forward(self, x: Array) -> Array:
        return _rounded(np.trunc, x, "trunc_vml_cpu")


trunc = fix = function(TruncBackward0)


class RoundBackward0(Flat):
    """z is the nearest whole number, the even one of two, flat almost everywhere, so dz/dx = 0."""

    def forward(self, x: Array) -> Array:
        return _rounded(np.rint, x, "round_vml_cpu")


class RoundBackward1(Flat):
    """z is the nearest number of so many decimals, flat almost everywhere, so dz/dx = 0."""

    __slots__ = ("_decimals",)

    def forward(self, x: Array, decimals: int) -> Array:
        self._decimals = decimals
        wide = of_kind("fV", x, "round_cpu").astype(WIDE.get(x.dtype, x.dtype), copy=False)
        ten = wide.dtype.type(10.0 ** abs(decimals))
        return np.asarray(np.rint(wide * ten) / ten if decimals > 0 else np.rint(wide / ten) * ten, x.dtype)


def round(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """The nearest numbers of so many decimals, the even one of two; none by default."""
    return apply1(RoundBackward1, input, decimals) if decimals is not None else apply1(RoundBackward0, input)


class FracBackward0(Elementwise):
    """z = x - trunc(x), what follows the decimal point, so dz/dx = 1."""

    def forward(self, x: Array) -> Array:
        return np.subtract(of_kind("fV", x, "frac_cpu"), np.trunc(x), out=...)

    def backward(self, g: Any) -> Any:
        return g


frac = function(FracBackward0)


class NextafterBackward0(Binary):
    """z is the next number of the dtype after x on the way to y, so dz/dx = 1 where there is one."""

    saves = ("self", "other")

    def forward(self, x: Array, y: Array) -> Array:
        both_of_kind("fV", x, y, "nextafter_cpu")
        return _next_half(x, y) if x.dtype.kind == "V" else np.nextafter(x, y, out=...)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        needs = self.next_functions
        to_x = formulas.drop_if(x == y, g) if needs[0][0] is not None else None
        return to_x, formulas.zeros_like(g) if needs[1][0] is not None else None


def _next_half(x: Array, y: Array) -> Array:
    """The same of bfloat16, half of the bits of a float32: a number's neighbours have the bits beside its own."""
    wide, goal = np.broadcast_arrays(x.astype(np.float32), y.astype(np.float32))
    bits = np.broadcast_to(x, wide.shape).view(np.int16)
    smallest = np.where(goal > 0, 1, -0x7FFF).astype(np.int16)
    moved = np.where(wide == 0, smallest, bits + np.where((goal > wide) == (wide > 0), 1, -1).astype(np.int16))
    settled = np.where(np.isnan(wide), bits, np.broadcast_to(y, wide.shape).view(np.int16))
    stays = (wide == goal) | np.isnan(wide) | np.isnan(goal)
    return np.asarray(np.where(stays, settled, moved).view(x.dtype))


def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next number of the dtype, on the way to another."""
    only_tensors("nextafter", input, other)
    return apply2(NextafterBackward0, input, other)
