"""Activations that are smooth: elu and its kin, gelu, silu, mish, softplus, logsigmoid, hardswish, glu."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply1, apply2, apply_keeping, only_tensors
from autograd_lab.engine.dtypes import Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.inplace import change
from autograd_lab.engine.ops.joining import cat
from autograd_lab.engine.ops.shapes import checked_dim
from autograd_lab.engine.ops.slopes import CurvedAgain, Sloped, gradient_of, only_floating
from autograd_lab.engine.special import erf
from autograd_lab.engine.variable import Variable

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor

NEGATIVE_ALPHA = (
    "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)
SELU = (1.6732632423543772, 1.0507009873554805, 1)
"""alpha, scale and input scale, with which mean 0 and variance 1 stay so from layer to layer."""


class EluBackward0(Sloped):
    """z = s x where x > 0, else s a (e^(r x) - 1), so dz/dx = s there, else s a r e^(r x) = r (z + s a)."""

    __slots__ = ("_is_result", "alpha", "input_scale", "scale")

    def forward(self, x: Array, alpha: float, scale: float = 1, input_scale: float = 1) -> Array:
        self.alpha, self.scale, self.input_scale, self._is_result = alpha, scale, input_scale, False
        z = np.minimum(x, x.dtype.type(0), out=...)
        z *= input_scale
        np.expm1(z, out=z)
        z *= alpha
        z += np.maximum(x, x.dtype.type(0))
        z *= scale
        return z

    def slope(self, x: Array) -> Array:
        low, depth, r = x <= 0, self.alpha * self.scale, self.input_scale
        bend = x + depth if self._is_result else np.exp(low * x * r) * depth
        return low * (bend * r) + ~low * x.dtype.type(self.scale)

    def curvature(self, x: Any) -> Any:
        low, r = x <= 0, self.input_scale
        if self._is_result:
            return low * r
        return either.scaled(low * either.exp(low * x * r), self.alpha * self.scale * r * r)


@gradient_of(EluBackward0)
class EluBackwardBackward0(CurvedAgain):
    """h = g s where x > 0, else g s a r e^(r x)."""

    inputs = ("grad_output", "self_or_result")
    saves = inputs

    def attributes(self) -> dict[str, Any]:
        """What elu keeps, and whether x was overwritten."""
        return {**super().attributes(), "is_result": self._first._is_result}


class EluBackward1(EluBackward0):
    """The same, written over x, with a slope that follows from z."""

    saves = ("result",)

    def backward(self, g: Any, /, *saved: Any) -> Any:
        if self.alpha < 0:
            raise RuntimeError(NEGATIVE_ALPHA)
        self._is_result = True
        return super().backward(g, *saved)


class CeluBackward0(EluBackward0):
    """z = x where x > 0, else a (e^(x / a) - 1), so dz/dx = 1 there, else e^(x / a)."""

    def forward(self, x: Array, alpha: float, scale: float = 1, input_scale: float = 1) -> Array:
        return super().forward(x, alpha, 1, 1 / alpha)

    def attributes(self) -> dict[str, Any]:
        """What follows from alpha is not kept."""
        return {"alpha": self.alpha}


class CeluBackward1(CeluBackward0, EluBackward1):
    """The same, written over x."""


class GeluBackward0(Sloped):
    """z = x P(x) with the normal distribution P, so dz/dx = P(x) + x p(x); or P is made of tanh, approximately."""

    __slots__ = ("approximate",)

    def forward(self, x: Array, approximate: str) -> Array:
        self.approximate = approximate
        return np.multiply(x, _share(x) if approximate == "none" else 0.5 + 0.5 * np.tanh(_bent(x)), out=...)

    def slope(self, x: Array) -> Array:
        if self.approximate == "none":
            return _share(x) + x * _density(x)
        t = np.tanh(_bent(x))
        return 0.5 + 0.5 * t + 0.5 * x * (1 - t * t) * (ROOT * (1 + 3 * CUBIC * x * x))

    def curvature(self, x: Any) -> Any:
        if self.approximate == "none":
            return _density(x) * (2 - x * x)
        t, steep = either.tanh(_bent(x)), ROOT * (1 + 3 * CUBIC * (x * x))
        return (1 - t * t) * (steep - x * t * steep * steep + 3 * CUBIC * ROOT * (x * x))


@gradient_of(GeluBackward0)
class GeluBackwardBackward0(CurvedAgain):
    """h = g (P(x) + x p(x))."""


ROOT, CUBIC = math.sqrt(2 / math.pi), 0.044715


def _share(x: Array) -> Array:
    """The share of a normal distribution that is below x."""
    return 0.5 * (1 + erf(x * math.sqrt(0.5)))


def _density(x: Any) -> Any:
    return either.scaled(either.exp(either.scaled(x * x, -0.5)), 1 / math.sqrt(2 * math.pi))


def _bent(x: Any) -> Any:
    """What tanh is taken of, for a distribution near to the normal one."""
    return ROOT * (x + CUBIC * (x * x * x))


def logistic(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    return x.sigmoid() if isinstance(x, Variable) else 1 / (1 + np.exp(-x))


class SiluBackward0(Node):
    """z = x s for s = 1 / (1 + e^-x), so dz/dx = s (1 + x (1 - s))."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return np.divide(x, 1 + np.exp(-x), out=...)

    def backward(self, g: Any, x: Any) -> Any:
        s = logistic(x)
        return g * s * either.raised(x * (either.one(x) - s), 1)


class MishBackward0(Node):
    """z = x t for t = tanh ln(1 + e^x), so dz/dx = t + x s (1 - t²) with s = 1 / (1 + e^-x)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return np.multiply(x, np.tanh(np.logaddexp(x, x.dtype.type(0))), out=...)

    def backward(self, g: Any, x: Any) -> Any:
        t = x.exp().log1p() if isinstance(x, Variable) else np.logaddexp(x, x.dtype.type(0))
        t = either.tanh(t)
        return g * (t + x * logistic(x) * (either.one(x) - t * t))


class SoftplusBackward0(Sloped):
    """z = ln(1 + e^(b x)) / b, and x itself where b x is above a threshold; so dz/dx = 1 / (1 + e^(-b x)), and 1."""

    __slots__ = ("beta", "threshold")

    def forward(self, x: Array, beta: float, threshold: float) -> Array:
        self.beta, self.threshold = beta, threshold
        z = np.logaddexp(x * beta, x.dtype.type(0), out=...)
        z /= beta
        np.copyto(z, x, where=x * beta > threshold)
        return z

    def slope(self, x: Array) -> Array:
        far = x * self.beta > self.threshold
        return far + ~far * logistic(x * self.beta)

    def curvature(self, x: Any) -> Any:
        near, s = x * self.beta <= self.threshold, logistic(x * self.beta)
        return either.scaled(near * s * (1 - s), self.beta)


@gradient_of(SoftplusBackward0)
class SoftplusBackwardBackward0(CurvedAgain):
    """h = g / (1 + e^(-b x)), and g where b x is above the threshold."""


class LogSigmoidBackward0(Sloped):
    """z = ln(1 / (1 + e^-x)) = min(x, 0) - ln(1 + b) for b = e^-|x|, so dz/dx = 1 / (1 + e^x)."""

    inputs = ("self", "buffer")
    saves = ("self", "buffer")
    differentiable = 1

    def forward(self, x: Array) -> tuple[Array, Array]:
        buffer = np.exp(-np.abs(x), out=...)
        return np.subtract(np.minimum(x, x.dtype.type(0)), np.log1p(buffer), out=...), buffer

    def slope(self, x: Array) -> Array:
        return logistic(-x)

    def curvature(self, x: Any) -> Any:
        s = logistic(x)
        return -s * (1 - s)


@gradient_of(LogSigmoidBackward0)
class LogSigmoidBackwardBackward0(CurvedAgain):
    """h = g / (1 + e^x)."""


class HardswishBackward0(Sloped):
    """z = x (x + 3) / 6, but 0 below -3 and x above 3; so dz/dx = x / 3 + 1 / 2, and 0, and 1."""

    def forward(self, x: Array) -> Array:
        return np.multiply(x, np.clip(x + 3, x.dtype.type(0), x.dtype.type(6)) / 6, out=...)

    def slope(self, x: Array) -> Array:
        return (np.abs(x) < 3) * (x / 3 + x.dtype.type(0.5)) + (x >= 3)

    def curvature(self, x: Any) -> Any:
        return ((x > -3) & (x < 3)) * (1 / 3)


@gradient_of(HardswishBackward0)
class HardswishBackwardBackward0(CurvedAgain):
    """h = g (x / 3 + 1 / 2) where |x| < 3, 0 below, g above."""


def _halves(x: Any, dim: int) -> tuple[Any, Any]:
    if isinstance(x, Variable):
        half = x._array.shape[dim] // 2
        return x.narrow(dim, 0, half), x.narrow(dim, half, half)
    first, second = np.split(x, 2, dim)
    return first, second


def _rejoined(first: Any, second: Any, dim: int) -> Any:
    if isinstance(first, Variable):
        return cat([first, second], dim)  # type: ignore[list-item]
    return np.concatenate([first, second], dim)


class GluBackward0(Node):
    """z = a s(b) for the halves a and b of x, s(b) = 1 / (1 + e^-b); so dz/da = s and dz/db = a s (1 - s)."""

    saves = ("self",)
    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        a, b = _halves(x, dim)
        return np.multiply(a, logistic(b), out=...)

    def backward(self, g: Any, x: Any) -> Any:
        return apply2(GluBackwardBackward0, g, x, self.dim) if isinstance(g, Variable) else _gated(g, x, self.dim)


def _gated(g: Array, x: Array, dim: int) -> Array:
    a, b = _halves(x, dim)
    s = logistic(b)
    return np.concatenate([g * s, g * a * s * (1 - s)], dim)


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


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha (e^x - 1) elsewhere."""
    only_tensors("elu", input)
    only_floating(input, "elu_cpu")
    return change("elu_", EluBackward1, input, (), alpha) if inplace else apply1(EluBackward0, input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu, scaled so that layers keep mean 0 and variance 1."""
    only_tensors("selu", input)
    only_floating(input, "elu_cpu")
    return change("selu_", EluBackward1, input, (), *SELU) if inplace else apply1(EluBackward0, input, *SELU)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha (e^(x / alpha) - 1) elsewhere."""
    only_tensors("celu", input)
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    only_floating(input, "elu_cpu")
    return change("celu_", CeluBackward1, input, (), alpha) if inplace else apply1(CeluBackward0, input, alpha)


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


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """ln(1 + e^(beta x)) / beta, a smooth relu."""
    only_tensors("softplus", input)
    only_floating(input, "softplus_cpu")
    return apply1(SoftplusBackward0, input, beta, threshold)


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of sigmoid, exact also where sigmoid underflows."""
    only_tensors("log_sigmoid", input)
    only_floating(input, "log_sigmoid_cpu")
    return apply_keeping(LogSigmoidBackward0, (input,))


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
