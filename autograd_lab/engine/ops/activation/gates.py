"""Activations that let x through by how large it is: gelu, silu, mish, hardswish; and glu."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import chebyshev

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels import gelu_slope
from autograd_lab.engine.kernels.fused import above_one, fused
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import F32, Array
from autograd_lab.engine.ops.activation.sigmoids import logistic
from autograd_lab.engine.ops.activation.slopes import CurvedAgain, Sloped, gradient_of, once, only_floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import checked_dim
from autograd_lab.engine.ops.ground.kinds import Elementwise
from autograd_lab.engine.ops.ground.writing import change
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.special.special_functions import erf

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor

REACH = 6
"""Beyond it, nothing is left of a normal distribution in float32."""


ROOT, CUBIC = math.sqrt(2 / math.pi), 0.044715


class GeluBackward0(Sloped):
    """z = x P(x) with the normal distribution P, so dz/dx = P(x) + x p(x); or P is made of tanh, approximately."""

    __slots__ = ("approximate",)

    def forward(self, x: Array, approximate: str) -> Array:
        self.approximate = approximate
        wide, is_half = _wide(x), x.dtype.itemsize == 2
        if approximate != "none":
            bent = _bent(wide).astype(np.float64) if is_half else _bent(wide)  # -1 is near, where digits get lost
            share = 0.5 + 0.5 * precise(np.tanh, bent).astype(wide.dtype)
        else:
            share = _plain_share(wide) if is_half else _share(wide)
        return np.multiply(wide, share, out=...).astype(x.dtype, copy=False)

    def backward(self, g: Any, /, *saved: Any) -> Any:
        if isinstance(g, Variable) or g.dtype.itemsize != 2 or self.approximate != "none":
            return super().backward(g, *saved)
        return once(lambda g, x: g * (_plain_share(x) + x * _density(x)), g, *saved)

    def slope(self, x: Array) -> Array:
        x = _wide(x)
        if self.approximate == "none":
            return gelu_slope.slope(x) if gelu_slope.suits(x) else _share(x) + x * _density(x)
        t, cubic = precise(np.tanh, _bent(x)), np.multiply(x.dtype.type(CUBIC), 3, dtype=x.dtype)
        return 0.5 * (1 + t) + 0.5 * x * above_one(-t, t) * (ROOT * above_one(cubic, x * x))

    def curvature(self, x: Any) -> Any:
        if self.approximate == "none":
            return _density(x) * (2 - x * x)
        t, steep = formulas.tanh(_bent(x)), ROOT * (1 + 3 * CUBIC * (x * x))
        return (1 - t * t) * (steep - x * t * steep * steep + 3 * CUBIC * ROOT * (x * x))


@gradient_of(GeluBackward0)
class GeluBackwardBackward0(CurvedAgain):
    """h = g (P(x) + x p(x))."""


def _wide(x: Array) -> Array:
    """Half precision in more digits, as it is rounded in the end only."""
    return x.astype(F32) if x.dtype.itemsize == 2 else x


def _plain_share(x: Array) -> Array:
    """The share of a normal distribution that is below x, by the error function."""
    share: Array = 0.5 * (1 + erf(x * math.sqrt(0.5)))
    return share


def _share(x: Array) -> Array:
    """The share of a normal distribution that is below x; in float32 by a polynomial, four times as fast."""
    if x.dtype is not F32 or not x.ndim:
        return _plain_share(x)
    size = np.abs(x) * math.sqrt(0.5)
    tail = np.full_like(size, _coefficients()[0])
    place = np.where(size < np.inf, np.minimum(size, REACH), np.nan)  # no number comes of infinity, as in PyTorch
    place = (place - REACH / 2) / (place + REACH / 2) * 1.5 + 0.5
    for coefficient in _coefficients()[1:]:
        tail *= place
        tail += coefficient
    size *= size
    tail *= np.exp(np.negative(size, out=size), out=size)
    return tail + (x > 0) * (1 - 2 * tail)


@cache
def _coefficients() -> tuple[float, ...]:
    """Of e^y² erfc(y) / 2 as a polynomial in (y - 3) / (y + 3), stretched to -1 ... 1; the highest power first."""

    def scaled_tail(place: Array) -> Array:
        t = (place - 0.5) / 1.5
        return np.array([math.exp(y * y) * math.erfc(y) / 2 for y in 3 * (1 + t) / (1 - t)])

    return tuple(chebyshev.cheb2poly(chebyshev.chebinterpolate(scaled_tail, 9))[::-1].tolist())


def _density(x: Any) -> Any:
    return formulas.times(formulas.exp(formulas.times(x * x, -0.5)), 1 / math.sqrt(2 * math.pi))


def _bent(x: Any) -> Any:
    """What tanh is taken of, for a distribution near to the normal one."""
    cube = x * x * x
    return ROOT * (x + CUBIC * cube if isinstance(x, Variable) else fused(x, CUBIC, cube))


class SiluBackward0(Elementwise):
    """z = x s for s = 1 / (1 + e^-x), so dz/dx = s (1 + x (1 - s))."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        if x.dtype.itemsize == 2:
            return self.forward(x.astype(F32)).astype(x.dtype)
        return np.divide(x, 1 + precise(np.exp, -x), out=...)

    def backward(self, g: Any, x: Any) -> Any:
        if isinstance(g, np.ndarray) and g.dtype.itemsize == 2:
            return once(self.backward, g, x)
        s = logistic(x)
        if isinstance(g, Variable):
            return g * s * formulas.plus(x * (formulas.one(x) - s), 1)
        return g * s * above_one(x, 1 - s)


class MishBackward0(Elementwise):
    """z = x t for t = tanh ln(1 + e^x), so dz/dx = t + x s (1 - t²) with s = 1 / (1 + e^-x)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        if x.dtype.itemsize == 2:
            return self.forward(x.astype(F32)).astype(x.dtype)
        return np.multiply(x, _softly(x), out=...)

    def backward(self, g: Any, x: Any) -> Any:
        if isinstance(g, np.ndarray) and g.dtype.itemsize == 2:
            return once(self.backward, g, x)
        s = logistic(x)
        if not isinstance(x, Variable):
            t = _softly(x)
            return g * fused(t, above_one(-t, t), x * s)
        t = formulas.tanh(x.exp().log1p())
        rest = formulas.one(x) - t * t
        return g * (t + x * s * rest)


def _softly(x: Array) -> Array:
    """Tanh ln(1 + e^x)."""
    with np.errstate(over="ignore"):
        return precise(np.tanh, precise(np.log1p, precise(np.exp, x)))


class HardswishBackward0(Sloped):
    """z = x (x + 3) / 6, but 0 below -3 and x above 3; so dz/dx = x / 3 + 1 / 2, and 0, and 1."""

    flat = True

    def forward(self, x: Array) -> Array:
        if x.dtype.itemsize == 2:
            return self.forward(x.astype(F32)).astype(x.dtype)
        within = np.clip(x + 3, x.dtype.type(0), x.dtype.type(6))
        return np.divide(x * within, 6, out=...).astype(x.dtype, copy=False)

    def slope(self, x: Array) -> Array:
        within = np.clip(np.nan_to_num(x), -3, 3)
        return (np.abs(x) < 3) * (within / 3 + x.dtype.type(0.5)) + ~(x < 3)  # 1 also where x is no number

    def curvature(self, x: Any) -> Any:
        return ((x > -3) & (x < 3)) * (1 / 3)


@gradient_of(HardswishBackward0)
class HardswishBackwardBackward0(CurvedAgain):
    """h = g (x / 3 + 1 / 2) where |x| < 3, 0 below, g above."""


def _halves(x: Any, dim: int) -> tuple[Any, Any]:
    if isinstance(x, Variable):
        half = x._array.shape[dim] // 2
        return x.narrow(dim, 0, half), x.narrow(dim, half, half)
    half, before = x.shape[dim] // 2, (slice(None),) * (dim % x.ndim)
    return x[*before, :half], x[*before, half:]


def _rejoined(first: Any, second: Any, dim: int) -> Any:
    if isinstance(first, Variable):
        return cat([first, second], dim)  # type: ignore[list-item]  # a half of a Variable is one
    return np.concatenate([first, second], dim)


class GluBackward0(Node):
    """z = a s(b) for the halves a and b of x, s(b) = 1 / (1 + e^-b); so dz/da = s and dz/db = a s (1 - s)."""

    saves = ("self",)
    __slots__ = ("dim",)
    tangent = "own"

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        a, b = _halves(x, dim)
        return once(lambda a, b: np.multiply(a, logistic(b), out=...), a, b)

    def backward(self, g: Any, x: Any) -> Any:
        return apply2(GluBackwardBackward0, g, x, self.dim) if isinstance(g, Variable) else _gated(g, x, self.dim)

    def pushed(self, push: Push) -> Sequence[Any]:
        """For z = a s(b): dz = da s + a s (1 - s) db."""
        (a, b), (da, db) = (one.chunk(2, self.dim) for one in (push.operands[0], push.tangents[0]))
        s = b.sigmoid()
        return (da * s + a * s * (1 - s) * db,)


def _gated(g: Array, x: Array, dim: int) -> Array:
    a, b = _halves(x, dim)
    s = logistic(b)
    return np.concatenate([g * s, once(lambda g, a, s: (1 - s) * s * a * g, g, a, s)], dim)


class GluBackwardBackward0(Node):
    """h = (g s, g a s (1 - s)): the gradient of glu, itself differentiated in g and x."""

    inputs = ("grad_output", "self")
    saves = inputs
    __slots__ = ("dim",)

    def forward(self, g: Array, x: Array, dim: int) -> Array:
        self.dim = dim
        return _gated(g, x, dim)

    def backward(self, h: Any, g: Any, x: Any) -> Any:
        (a, b), (ha, hb) = _halves(x, self.dim), _halves(h, self.dim)
        s = logistic(b)
        rise = s * (1 - s)
        return ha * s + hb * a * rise, _rejoined(hb * g * rise, g * rise * (ha + hb * a * (1 - 2 * s)), self.dim)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """x times the share of a normal distribution that is below x; with "tanh", nearly that."""
    only_tensors("gelu", input)
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    only_floating(input, "GeluKernelImpl")
    return apply1(GeluBackward0, input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x / (1 + e^-x), also called swish."""
    only_tensors("silu", input)
    only_floating(input, "silu_cpu")
    return change("silu_", SiluBackward0, input) if inplace else apply1(SiluBackward0, input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh ln(1 + e^x)."""
    only_tensors("mish", input)
    only_floating(input, "mish_cpu")
    return change("mish_", MishBackward0, input) if inplace else apply1(MishBackward0, input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """silu, made of straight pieces and a parabola."""
    only_tensors("hardswish", input)
    only_floating(input, "hardswish_cpu")
    return change("hardswish_", HardswishBackward0, input) if inplace else apply1(HardswishBackward0, input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """One half of x, let through as the sigmoid of the other half says."""
    only_tensors("glu", input)
    if not input._array.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = checked_dim(input, dim)
    size = input._array.shape[dim]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input._array.ndim} is size {size}")
    only_floating(input, "glu_cpu")
    return apply1(GluBackward0, input, dim)
