"""Smooth steps and ramps: sigmoid and tanh, the logarithm of sigmoid, and softplus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels.fused import above_one
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import F32, Array
from autograd_lab.engine.ops.activation.slopes import CurvedAgain, Sloped, gradient_of, once, only_floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import apply_keeping, function
from autograd_lab.engine.ops.ground.kinds import Pointwise

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["sigmoid", "tanh"]


def _up(g: Array, z: Array) -> Array:
    if z.dtype.itemsize != 2 or z.dtype.kind == "f":  # PyTorch rounds float16 at each step, and bfloat16 once
        return g * (1 - z) * z
    return once(_up, g, z)


def _over(g: Array, z: Array) -> Array:
    return g * above_one(-z, z)


class SigmoidBackward0(Pointwise):
    """z = 1 / (1 + e^-x), so dz/dx = z (1 - z)."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        if x.dtype.itemsize == 2:
            return self.forward(x.astype(np.float32)).astype(x.dtype)
        z = np.negative(x, out=...)
        z = precise(np.exp, z)
        z += 1
        return np.reciprocal(z, out=z)

    def backward(self, g: Any, z: Any) -> Any:
        return apply2(SigmoidBackwardBackward0, g, z) if isinstance(g, Variable) else _up(g, z)


class SigmoidBackwardBackward0(Node):
    """h = g z (1 - z), so dh/dg = z (1 - z) and dh/dz = g (1 - 2 z)."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")
    tangent = "slope"

    def forward(self, g: Array, z: Array) -> Array:
        return np.multiply(g, (1 - z) * z, out=...)

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        return h * ((1 - z) * z), h * g * formulas.plus(formulas.times(z, -2), 1)


sigmoid = function(SigmoidBackward0)


class TanhBackward0(Pointwise):
    """z = tanh x, so dz/dx = 1 - z²."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return precise(np.tanh, x)

    def backward(self, g: Any, z: Any) -> Any:
        return apply2(TanhBackwardBackward0, g, z) if isinstance(g, Variable) else once(_over, g, z)


class TanhBackwardBackward0(Node):
    """h = g (1 - z²), so dh/dg = 1 - z² and dh/dz = -2 g z."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")
    tangent = "slope"

    def forward(self, g: Array, z: Array) -> Array:
        return np.multiply(g, 1 - z * z, out=...)

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        return h * (1 - z * z), h * (formulas.times(z, -2) * g)


tanh = function(TanhBackward0)


def logistic(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    return x.sigmoid() if isinstance(x, Variable) else narrowed(lambda x: 1 / (1 + precise(np.exp, -x)), x)


class SoftplusBackward0(Sloped):
    """z = ln(1 + e^(b x)) / b, and x itself where b x is above a threshold; so dz/dx = 1 / (1 + e^(-b x)), and 1."""

    __slots__ = ("beta", "threshold")

    def forward(self, x: Array, beta: float, threshold: float) -> Array:
        self.beta, self.threshold = beta, threshold
        if x.dtype.itemsize == 2:
            return self.forward(x.astype(F32), beta, threshold).astype(x.dtype)
        with np.errstate(over="ignore"):
            z = precise(np.log1p, precise(np.exp, x * beta))
        z /= beta
        np.copyto(z, x, where=x * beta > threshold)
        return z

    def slope(self, x: Array) -> Array:
        far = x * self.beta > self.threshold
        return far + ~far * logistic(x * self.beta)

    def along(self, g: Array, x: Array) -> Array:
        """G b / (b + 1) for b = e^(beta x): with e^-x last digits would not be PyTorch's."""
        x = x * self.beta
        with np.errstate(over="ignore"):
            b = precise(np.exp, np.minimum(x, x.dtype.type(self.threshold)))
        return np.where(x > self.threshold, g, g * b / (b + 1))

    def curvature(self, x: Any) -> Any:
        near, s = x * self.beta < self.threshold, logistic(x * self.beta)
        return formulas.times(near * s * (1 - s), self.beta)


@gradient_of(SoftplusBackward0)
class SoftplusBackwardBackward0(CurvedAgain):
    """h = g / (1 + e^(-b x)), and g where b x is above the threshold."""


def log_logistic(x: Array) -> Array:
    """ln(1 / (1 + e^-x)), of float32 and float64."""
    return LogSigmoidBackward0().forward(x)[0]


def _down(g: Array, x: Array, b: Array) -> Array:
    share = b / (1 + b)
    return g * np.where(x < 0, 1 - share, share)


class LogSigmoidBackward0(Sloped):
    """z = ln(1 / (1 + e^-x)) = min(x, 0) - ln(1 + b) for b = e^-|x|, so dz/dx = 1 / (1 + e^x)."""

    inputs = ("self", "buffer")
    saves = ("self", "buffer")
    differentiable = 1

    def forward(self, x: Array) -> tuple[Array, Array]:
        if x.dtype.itemsize == 2:
            wide = self.forward(x.astype(F32))
            return wide[0].astype(x.dtype), wide[1].astype(x.dtype)
        buffer = precise(np.exp, -np.abs(x))
        return np.subtract(np.minimum(x, x.dtype.type(0)), precise(np.log1p, buffer), out=...), buffer

    def backward(self, g: Any, /, *saved: Any) -> Any:
        return super().backward(g, *saved) if isinstance(g, Variable) else once(_down, g, *saved)

    def slope(self, x: Array) -> Array:
        return logistic(-x)

    def curvature(self, x: Any) -> Any:
        s = logistic(x)
        return -s * (1 - s)


@gradient_of(LogSigmoidBackward0)
class LogSigmoidBackwardBackward0(CurvedAgain):
    """h = g / (1 + e^x)."""


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
