"""What makes a network more than one linear map: relu, sigmoid, tanh, softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply1, apply2, function
from autograd_lab.engine.dtypes import BOOL, BY_NUMPY, Array, dtype
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.copying import to_dtype
from autograd_lab.engine.ops.pointwise import Pointwise
from autograd_lab.engine.ops.shapes import checked_dim
from autograd_lab.engine.variable import Variable

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


class Zeros(dict[Any, Array]):
    """A 0-d zero of each dtype, made when it is first asked for."""

    def __missing__(self, numpy: Any) -> Array:
        self[numpy] = np.zeros((), numpy)
        return self[numpy]


ZERO = Zeros()
"""A 0-d zero of each dtype: numpy mixes arrays with arrays twice as fast as arrays with numbers."""


class ReluBackward0(Node):
    """z = max(x, 0), so dz/dx = 1 where z > 0, else 0."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        if x.dtype is BOOL:
            raise RuntimeError("Boolean inputs not supported for relu")
        return np.maximum(x, ZERO[x.dtype], out=...)

    def backward(self, g: Any, z: Any) -> Any:
        return _passed(g, z)


def _passed(g: Any, z: Any) -> Any:
    if isinstance(g, Variable):
        return apply2(ThresholdBackwardBackward0, g, z)
    return (z > ZERO[z.dtype]).astype(z.dtype) * g  # a product with booleans takes half as long again


class ThresholdBackwardBackward0(Node):
    """h = g where z > 0, else 0: the gradient of relu, linear in g and flat in z."""

    inputs = ("grad_output", "self")
    saves = ("self",)
    __slots__ = ("threshold",)

    def forward(self, g: Array, z: Array, threshold: float = 0) -> Array:
        self.threshold = threshold
        return np.multiply(g, z > threshold, out=...)

    def backward(self, h: Any, z: Any) -> Any:
        if isinstance(h, Variable):
            return apply2(ThresholdBackwardBackward0, h, z, self.threshold), either.zeros_like(h)
        return h * (z > self.threshold), either.zeros_like(h)


relu = function(ReluBackward0)


class SigmoidBackward0(Pointwise):
    """z = 1 / (1 + e^-x), so dz/dx = z (1 - z)."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        if x.dtype.itemsize == 2:
            return self.forward(x.astype(np.float32)).astype(x.dtype)
        z = np.negative(x, out=...)
        np.exp(z, out=z)
        z += 1
        return np.reciprocal(z, out=z)

    def backward(self, g: Any, z: Any) -> Any:
        return apply2(SigmoidBackwardBackward0, g, z) if isinstance(g, Variable) else g * ((1 - z) * z)


class SigmoidBackwardBackward0(Node):
    """h = g z (1 - z), so dh/dg = z (1 - z) and dh/dz = g (1 - 2 z)."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")

    def forward(self, g: Array, z: Array) -> Array:
        return np.multiply(g, (1 - z) * z, out=...)

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        return h * ((1 - z) * z), h * g * (1 - either.scaled(z, 2))


sigmoid = function(SigmoidBackward0)


class TanhBackward0(Pointwise):
    """z = tanh x, so dz/dx = 1 - z²."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        return np.tanh(x, out=...)

    def backward(self, g: Any, z: Any) -> Any:
        return apply2(TanhBackwardBackward0, g, z) if isinstance(g, Variable) else g * (1 - z * z)


class TanhBackwardBackward0(Node):
    """h = g (1 - z²), so dh/dg = 1 - z² and dh/dz = -2 g z."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")

    def forward(self, g: Array, z: Array) -> Array:
        return np.multiply(g, 1 - z * z, out=...)

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        return h * (1 - z * z), h * either.scaled(g * z, -2)


tanh = function(TanhBackward0)


class SoftmaxBackward0(Node):
    """z_i = e^x_i / Σ e^x_j, so dL/dx_i = z_i (g_i - Σ g_j z_j)."""

    saves = ("result",)
    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        if not x.size:
            return x.copy()
        if not x.ndim:
            return np.asarray(x - x + x.dtype.type(1))  # NaN stays NaN
        z = x - x.max(axis=dim, keepdims=True, initial=-np.inf)
        np.exp(z, out=z)
        z /= _sum(z, dim)
        return z

    def backward(self, g: Any, z: Any) -> Any:
        if isinstance(g, Variable):
            return apply2(SoftmaxBackwardDataBackward0, g, z, self.dim)
        return _softmax_gradient(g, z, self.dim)


def _softmax_gradient(g: Any, z: Any, dim: int) -> Any:
    if isinstance(g, np.ndarray) and dim in (-1, g.ndim - 1) and g.dtype.itemsize >= 4:
        h = g - np.vecdot(g, z)[..., None]
        h *= z
        return h
    h = g * z
    return h - z * _sum(h, dim)


class SoftmaxBackwardDataBackward0(Node):
    """h_i = z_i (g_i - Σ g_j z_j), the gradient of softmax, itself differentiated in g and z."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")
    __slots__ = ("dim",)

    def forward(self, g: Array, z: Array, dim: int) -> Array:
        self.dim = dim
        return _softmax_gradient(g, z, dim)

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        to_g = apply2(SoftmaxBackwardDataBackward0, h, z, self.dim) if isinstance(h, Variable) else None
        to_g = _softmax_gradient(h, z, self.dim) if to_g is None else to_g
        return to_g, h * g - h * _sum(g * z, self.dim) - g * _sum(h * z, self.dim)


class LogSoftmaxBackward0(Node):
    """z_i = x_i - ln Σ e^x_j, so dL/dx_i = g_i - e^z_i Σ g_j."""

    saves = ("result",)
    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        if not x.size:
            return x.copy()
        if not x.ndim:
            return np.asarray(x - x)  # NaN stays NaN
        z = x - x.max(axis=dim, keepdims=True, initial=-np.inf)
        z -= np.log(_sum(np.exp(z), dim))
        return z

    def backward(self, g: Any, z: Any) -> Any:
        if isinstance(g, Variable):
            return apply2(LogSoftmaxBackwardDataBackward0, g, z, self.dim)
        return _log_softmax_gradient(g, z, self.dim)


def _log_softmax_gradient(g: Array, z: Array, dim: int) -> Array:
    h = np.exp(z, out=...)
    h *= _sum(g, dim)
    return np.subtract(g, h, out=h)


class LogSoftmaxBackwardDataBackward0(Node):
    """h_i = g_i - e^z_i Σ g_j, the gradient of log_softmax, itself differentiated in g and z."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")
    __slots__ = ("dim",)

    def forward(self, g: Array, z: Array, dim: int) -> Array:
        self.dim = dim
        return _log_softmax_gradient(g, z, dim)

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        p = either.exp(z)
        return h - _sum(h * p, self.dim), -h * p * _sum(g, self.dim)


def _sum(x: Any, dim: int) -> Any:
    """The sum along a dimension; of short rows as a product with ones, which is three times as fast."""
    if isinstance(x, Variable) or not x.ndim:
        return either.total(x, (dim,), True) if x.ndim else x
    if dim in (-1, x.ndim - 1) and x.dtype.itemsize >= 4 and x.shape[-1] <= either.ROWS_FOR_DOT:
        return x.dot(np.ones(x.shape[-1], x.dtype))[..., None]
    return x.sum(axis=dim, keepdims=True)


def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """Positive numbers that sum to 1 along `dim`: e^x, divided by their sum."""
    input = input if dtype is None else to_dtype(input, dtype.numpy)
    _floating(input, "softmax_lastdim_kernel_impl")
    return apply1(SoftmaxBackward0, input, checked_dim(input, dim))


def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """The logarithm of softmax, exact also where softmax underflows."""
    input = input if dtype is None else to_dtype(input, dtype.numpy)
    _floating(input, "log_softmax_lastdim_kernel_impl")
    return apply1(LogSoftmaxBackward0, input, checked_dim(input, dim))


def _floating(input: Tensor, kernel: str) -> None:
    if input._array.dtype.kind not in "fV" and input._array.size:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[input._array.dtype].title}'")
