"""softmax: numbers made into probabilities; and its logarithm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.kernels import cascaded as sums
from autograd_lab.engine.kernels import vectors
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, Array, dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.copying import to_dtype
from autograd_lab.engine.ops.ground.dims import checked_dim, in_rows
from autograd_lab.engine.ops.ground.kinds import Elementwise

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["log_softmax", "softmax"]


class SoftmaxBackward0(Elementwise):
    """z_i = e^x_i / Σ e^x_j, so dL/dx_i = z_i (g_i - Σ g_j z_j)."""

    saves = ("result",)
    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        if not x.size:
            return x.copy()
        if not x.ndim:
            return np.asarray(x - x + x.dtype.type(1))  # NaN stays NaN
        if x.dtype.itemsize == 2:
            return _softmax_of_halves(x, dim)
        z = x - x.max(axis=dim, keepdims=True, initial=-np.inf)
        z = vectors.exp_along(z, dim)
        if dim % x.ndim == x.ndim - 1:
            z *= 1 / vectors.summed(z)
        else:
            z /= _sum(z, dim)
        return in_rows(z)

    def backward(self, g: Any, z: Any) -> Any:
        if isinstance(g, Variable):
            return apply2(SoftmaxBackwardDataBackward0, g, z, self.dim)
        return _softmax_gradient(g, z, self.dim)


class SafeSoftmaxBackward0(SoftmaxBackward0):
    """The same, but that what is nowhere more than -∞ is 0 everywhere, and no NaN: attention that is masked whole."""

    def forward(self, x: Array, dim: int) -> Array:
        masked = (x == -np.inf).all(axis=dim, keepdims=True)
        return np.where(masked, x.dtype.type(0), super().forward(x, dim))


VECTOR = 32
"""As many numbers of half precision are computed at once (AVX-512)."""


def _softmax_of_halves(x: Array, dim: int) -> Array:
    """In float32; along a dimension that is not the last PyTorch rounds e^x, but of what fills a vector."""
    wide = np.exp(x.astype(F32) - x.max(axis=dim, keepdims=True, initial=-np.inf).astype(F32))
    total, inner = _sum(wide, dim), math.prod(x.shape[dim % x.ndim + 1 :])
    if dim % x.ndim < x.ndim - 1 and (rest := inner % VECTOR):
        rows = wide.reshape(-1, inner)
        rows[:, inner - rest :] = rows[:, inner - rest :].astype(x.dtype)
    return in_rows(np.divide(wide, total).astype(x.dtype))


def _softmax_gradient(g: Any, z: Any, dim: int) -> Any:
    if isinstance(g, np.ndarray) and g.dtype.itemsize == 2:
        return _softmax_gradient(g.astype(F32), z.astype(F32), dim).astype(g.dtype)
    if isinstance(g, np.ndarray) and g.ndim and z.size:
        is_last = dim % g.ndim == g.ndim - 1
        h = g - (vectors.dotted(g, z) if is_last else vectors.products_summed(g, z, dim))
        h *= z
        return h
    h = g * z
    return h - z * _sum(h, dim)


class SoftmaxBackwardDataBackward0(Node):
    """h_i = z_i (g_i - Σ g_j z_j), the gradient of softmax, itself differentiated in g and z."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")
    __slots__ = ("dim",)
    tangent = "own"

    def forward(self, g: Array, z: Array, dim: int) -> Array:
        self.dim = dim
        return np.asarray(_softmax_gradient(g, z, dim))

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        to_g = apply2(SoftmaxBackwardDataBackward0, h, z, self.dim) if isinstance(h, Variable) else None
        to_g = _softmax_gradient(h, z, self.dim) if to_g is None else to_g
        last = g * _sum(z * h, self.dim)  # PyTorch takes the terms from the last to the first
        middle = _sum(z * g, self.dim) * h
        return to_g, g * h - middle - last

    def pushed(self, push: Push) -> Sequence[Any]:
        """For h = z (g - Σ g z): dh = z (dg - Σ dg z) + dz (g - Σ g z) - z Σ g dz."""
        (g, z), (dg, dz), dim = push.operands[:2], push.tangents[:2], self.dim
        parts = [] if dg is None else [push.put(0, dg)[0]]
        if dz is not None:
            parts += [dz * (g - (g * z).sum(dim, True)), -z * (g * dz).sum(dim, True)]
        return (formulas.added(parts),)


class LogSoftmaxBackward0(Node):
    """z_i = x_i - ln Σ e^x_j, so dL/dx_i = g_i - e^z_i Σ g_j."""

    saves = ("result",)
    __slots__ = ("dim",)
    tangent = "own"

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        if not x.size:
            return x.copy()
        if not x.ndim:
            return np.asarray(x - x)  # NaN stays NaN
        if x.dtype.itemsize == 2:
            return in_rows(_log_softmax_of_halves(x, dim))
        z = x - x.max(axis=dim, keepdims=True, initial=-np.inf)
        h = vectors.exp_along(z, dim)
        z -= precise(np.log, vectors.summed(h) if dim % x.ndim == x.ndim - 1 else _sum(h, dim))
        return in_rows(z)

    def backward(self, g: Any, z: Any) -> Any:
        if isinstance(g, Variable):
            return apply2(LogSoftmaxBackwardDataBackward0, g, z, self.dim)
        return _log_softmax_gradient(g, z, self.dim)

    def pushed(self, push: Push) -> Sequence[Any]:
        """dz = dx - Σ e^z dx."""
        tangent, out = push.tangents[0], push.outputs[0]
        return (tangent - (tangent * out.exp()).sum(self.dim, True),)


def _log_softmax_of_halves(x: Array, dim: int) -> Array:
    """In float32; along the last dimension PyTorch rounds the sum, and its logarithm."""
    wide = x.astype(F32)
    wide -= wide.max(axis=dim, keepdims=True, initial=-np.inf)
    total, is_last = _sum(np.exp(wide), dim), dim % x.ndim == x.ndim - 1
    rounded = np.log(total.astype(x.dtype).astype(F32)).astype(x.dtype).astype(F32) if is_last else np.log(total)
    return np.subtract(wide, rounded, out=wide).astype(x.dtype)


def _log_softmax_gradient(g: Array, z: Array, dim: int) -> Array:
    if g.dtype.itemsize == 2:
        return _log_softmax_gradient(g.astype(F32), z.astype(F32), dim).astype(g.dtype)
    if not g.ndim or not g.size:
        return g - precise(np.exp, z) * _sum(g, dim)
    total = vectors.summed(g) if dim % g.ndim == g.ndim - 1 else _sum(g, dim)
    return fused(g, -total, vectors.exp_along(z, dim))


class LogSoftmaxBackwardDataBackward0(Node):
    """h_i = g_i - e^z_i Σ g_j, the gradient of log_softmax, itself differentiated in g and z."""

    inputs = ("grad_output", "output")
    saves = ("grad_output", "output")
    __slots__ = ("dim",)
    tangent = "slope"

    def forward(self, g: Array, z: Array, dim: int) -> Array:
        self.dim = dim
        return np.asarray(_log_softmax_gradient(g, z, dim))

    def backward(self, h: Any, g: Any, z: Any) -> Any:
        p = formulas.exp(z)
        return h - _sum(h * p, self.dim), -h * p * _sum(g, self.dim)


def _sum(x: Any, dim: int) -> Any:
    """The sum along a dimension; of short rows as a product with ones, which is three times as fast."""
    if isinstance(x, Variable) or not x.ndim:
        return formulas.total(x, (dim,), True) if x.ndim else x
    if dim in (-1, x.ndim - 1) and x.dtype.itemsize >= 4 and x.shape[-1] <= sums.ROWS_FOR_DOT:
        return x.dot(np.ones(x.shape[-1], x.dtype))[..., None]
    return x.sum(axis=dim, keepdims=True)


def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """Positive numbers that sum to 1 along `dim`: e^x, divided by their sum."""
    input = input if dtype is None else to_dtype(input, dtype.numpy)
    _check("softmax", input, dim)
    return apply1(SoftmaxBackward0, input, dim)


def safe_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """`softmax`, but 0 where everything along `dim` is -∞."""
    input = input if dtype is None else to_dtype(input, dtype.numpy)
    _check("softmax", input, dim)
    return apply1(SafeSoftmaxBackward0, input, dim)


def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """The logarithm of softmax, exact also where softmax underflows."""
    input = input if dtype is None else to_dtype(input, dtype.numpy)
    _check("log_softmax", input, dim)
    return apply1(LogSoftmaxBackward0, input, dim)


def _check(name: str, input: Tensor, dim: int) -> None:
    """Raise PyTorch's error for a dimension that is not there, and for whole numbers; the last dimension has a loop."""
    last = checked_dim(input, dim) % max(input._array.ndim, 1) == max(input._array.ndim, 1) - 1
    if input._array.dtype.kind not in "fV" and input._array.size:
        kernel = f"{name}_lastdim_kernel_impl" if last else f"{name}_kernel_impl"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[input._array.dtype].title}'")
