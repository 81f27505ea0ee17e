"""Functions of one tensor, element by element: exp, log, sqrt, ..."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import BOOL, Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.kinds import Elementwise, Pointwise

__all__ = [
    "abs",
    "absolute",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "neg",
    "negative",
    "reciprocal",
    "rsqrt",
    "sqrt",
]


class NegBackward0(Elementwise):
    """z = -x, so dz/dx = -1."""

    def forward(self, x: Array) -> Array:
        if x.dtype.kind == "b":
            raise RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                "mask, use the `~` or `logical_not()` operator instead."
            )
        return np.negative(x, out=...)

    def backward(self, g: Any) -> Any:
        return -g


neg = function(NegBackward0)


class AbsBackward0(Elementwise):
    """z = |x|, so dz/dx = sign(x), which is 0 at 0."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        if x.dtype is BOOL:
            raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
        return np.absolute(x, out=...)

    def backward(self, g: Any, x: Any) -> Any:
        return g * formulas.sgn(x)


abs = function(AbsBackward0)


class ExpBackward0(Pointwise):
    """z = e^x, so dz/dx = z."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return precise(np.exp, x)

    def backward(self, g: Any, z: Any) -> Any:
        return g * z


exp = function(ExpBackward0)


class Expm1Backward0(Pointwise):
    """z = e^x - 1, so dz/dx = z + 1."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return precise(np.expm1, x)

    def backward(self, g: Any, z: Any) -> Any:
        return g * formulas.plus(z, 1)


expm1 = function(Expm1Backward0)


class LogBackward0(Pointwise):
    """z = ln x, so dz/dx = 1 / x."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.log, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g / x


log = function(LogBackward0)


class Log2Backward0(Pointwise):
    """z = log₂ x = ln x / ln 2, so dz/dx = 1 / (x ln 2)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.log2, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g / formulas.times(x, math.log(2))


log2 = function(Log2Backward0)


class Log10Backward0(Pointwise):
    """z = log₁₀ x = ln x / ln 10, so dz/dx = 1 / (x ln 10)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.log10, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g / formulas.times(x, math.log(10))


log10 = function(Log10Backward0)


class Log1PBackward0(Pointwise):
    """z = ln(1 + x), so dz/dx = 1 / (1 + x)."""

    op = "log1p"
    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return precise(np.log1p, x)

    def backward(self, g: Any, x: Any) -> Any:
        return g / formulas.plus(x, 1)


log1p = function(Log1PBackward0)


class SqrtBackward0(Pointwise):
    """z = √x, so dz/dx = 1 / (2 z)."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return np.sqrt(x, out=...)

    def backward(self, g: Any, z: Any) -> Any:
        return g / formulas.times(z, 2)


sqrt = function(SqrtBackward0)


class RsqrtBackward0(Pointwise):
    """z = 1 / √x, so dz/dx = -z³ / 2."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        if x.dtype.itemsize == 2:
            return self.forward(x.astype(np.float32)).astype(x.dtype)
        return np.divide(x.dtype.type(1), np.sqrt(x), out=...)

    def backward(self, g: Any, z: Any) -> Any:
        cube = formulas.power(z, 3)
        return formulas.times(g, -0.5) * cube


rsqrt = function(RsqrtBackward0)


class ReciprocalBackward0(Pointwise):
    """z = 1 / x, so dz/dx = -z²."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return np.reciprocal(x, out=...)

    def backward(self, g: Any, z: Any) -> Any:
        square = z * z
        return -g * square


reciprocal = function(ReciprocalBackward0)


absolute = abs
negative = neg
