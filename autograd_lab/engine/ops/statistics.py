"""Reductions that are not plain sums: prod, var and std, norms, logsumexp; and running sums."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply1
from autograd_lab.engine.dtypes import I64, Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.joining import cat
from autograd_lab.engine.ops.reduction import Dims, along, axes, count
from autograd_lab.engine.ops.shapes import checked_dim
from autograd_lab.engine.variable import Variable

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


class ProdBackward0(Node):
    """z = Π x_i, so dz/dx_i is the product of all the others: z / x_i where no x is 0."""

    saves = ("self", "result")

    def forward(self, x: Array) -> Array:
        return np.multiply.reduce(x, axis=None, out=..., dtype=I64 if x.dtype.kind in "bui" else None)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        if not _has_zero(x):
            return g * z / x
        others = _others(x.reshape((-1,)), 0)
        return g * others.reshape(x.shape)


def _has_zero(x: Any) -> bool:
    return bool(np.any((x._array if isinstance(x, Variable) else x) == 0))


def _others(x: Any, dim: int) -> Any:
    """For each element along a dimension the product of the others, without division."""
    if isinstance(x, Variable):
        ones = x.narrow(dim, 0, 1) * 0 + 1
        size = x._array.shape[dim]
        before, after = [ones], [ones]
        for at in range(size - 1):
            before.append(before[-1] * x.narrow(dim, at, 1))
            after.append(after[-1] * x.narrow(dim, size - 1 - at, 1))
        rows = [one * other for one, other in zip(before, reversed(after), strict=True)]
        return cat(rows, dim)
    ahead = np.moveaxis(x, dim, 0)
    result = np.ones_like(ahead)
    result[1:] *= np.cumprod(ahead[:-1], axis=0)
    result[:-1] *= np.cumprod(ahead[:0:-1], axis=0)[::-1]
    return np.moveaxis(result, 0, dim)


class ProdBackward1(Node):
    """z = Π x_i along a dimension, so dz/dx_i is the product of the others along it."""

    saves = ("self", "result")
    __slots__ = ("dim", "keepdim")

    def forward(self, x: Array, dim: int, keepdim: bool) -> Array:
        self.dim, self.keepdim = dim, keepdim
        axis = dim if x.ndim else None
        return np.multiply.reduce(x, axis=axis, keepdims=keepdim, out=..., dtype=I64 if x.dtype.kind in "bui" else None)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        g, z = (either.unsqueezed(one, (self.dim,), x.ndim, self.keepdim) for one in (g, z))
        return g * (_others(x, self.dim) if x.ndim and _has_zero(x) else z / x)


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """All elements multiplied, or those along `dim`."""
    if dim is None:
        return apply1(ProdBackward0, input)
    return apply1(ProdBackward1, input, checked_dim(input, dim), keepdim)


class VarBackward0(Node):
    """z = Σ (x_i - m)² / (n - correction) with m the mean, so dz/dx_i = 2 (x_i - m) / (n - correction)."""

    saves = ("self",)
    __slots__ = ("correction", "dim", "keepdim")

    def forward(self, x: Array, dim: Dims | None, correction: float | None, keepdim: bool) -> Array:
        self.dim, self.correction, self.keepdim = dim, correction, keepdim
        return np.asarray(_variance(x, dim, correction, keepdim))

    def backward(self, g: Any, x: Any) -> Any:
        return _variance_gradient(self, g, x)


def _variance(x: Array, dim: Dims | None, correction: float | None, keepdim: bool) -> Any:
    return np.var(x, axis=axes(x, dim or ()), ddof=1 if correction is None else correction, keepdims=keepdim)


def _variance_gradient(node: Any, g: Any, x: Any) -> Any:
    dims = node.dim or tuple(range(x.ndim))
    degrees = count(x.shape, dims) - (1 if node.correction is None else node.correction)
    scale = 2 / degrees if degrees > 0 else math.nan if degrees == 0 else math.inf
    if isinstance(x, Variable):
        centre: Any = x.mean() if node.dim is None else x.mean(dims, True)
    else:
        centre = np.mean(x, axis=axes(np.asarray(x), dims), keepdims=True)
    distance = x - centre
    return either.scaled(either.unsqueezed(g, dims, x.ndim, node.keepdim), scale) * distance


class StdBackward0(Node):
    """z = √var, so dz/dx = dvar/dx / (2 z)."""

    saves = ("self", "result")
    __slots__ = ("correction", "dim", "keepdim")

    def forward(self, x: Array, dim: Dims | None, correction: float | None, keepdim: bool) -> Array:
        self.dim, self.correction, self.keepdim = dim, correction, keepdim
        return np.sqrt(_variance(x, dim, correction, keepdim), out=...)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return _variance_gradient(self, either.drop_if(z == 0, g / either.scaled(z, 2)), x)


def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The variance of all elements, or along dimensions: squared distances from the mean over n - `correction`."""
    return _spread(VarBackward0, input, dim, unbiased, keepdim, correction)


def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The standard deviation of all elements, or along dimensions: the root of the variance."""
    return _spread(StdBackward0, input, dim, unbiased, keepdim, correction)


def _spread(cls: type[Node], input: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Tensor:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        correction = int(unbiased)
    elif dim is not None and correction is None:
        correction = 1
    if input._array.dtype.kind != "f":
        raise RuntimeError(f"{cls.op} and {cls.op}_mean only support floating point and complex dtypes")
    return apply1(cls, input, None if dim is None else along(input, dim), correction, keepdim)


class LinalgVectorNormBackward0(Node):
    """z = (Σ |x_i|^p)^(1/p), so dz/dx_i = sign(x_i) (|x_i| / z)^(p-1), and 0 where z is 0."""

    saves = ("self", "result")
    __slots__ = ("dim", "keepdim", "ord")
    op = "norm"

    def forward(self, x: Array, p: float, dim: Dims | None, keepdim: bool) -> Array:
        self.ord, self.dim, self.keepdim = p, dim, keepdim
        axis, size = axes(x, dim or ()), np.abs(x)
        if math.isinf(p):
            found: Array = (np.max if p > 0 else np.min)(size, axis=axis, keepdims=keepdim)
        elif p == 0:
            found = np.count_nonzero(x, axis=axis, keepdims=keepdim)
        elif p == 1:
            found = np.sum(size, axis=axis, keepdims=keepdim)
        elif p == 2:
            found = np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdim))
        else:
            found = np.power(np.sum(size ** x.dtype.type(p), axis=axis, keepdims=keepdim), x.dtype.type(1 / p))
        return np.asarray(found, x.dtype)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        p, dims = self.ord, self.dim or tuple(range(x.ndim))
        g, z = (either.unsqueezed(one, dims, x.ndim, self.keepdim) for one in (g, z))
        if p == 0:
            return either.zeros_like(x)
        if p == 1:
            return either.sgn(x) * g
        if p == 2:
            return x * either.drop_if(z == 0, g / z)
        if math.isinf(p):
            hit = abs(x) == z
            parts = (
                hit.sum(dims, True)
                if isinstance(x, Variable)
                else np.add.reduce(hit, axis=dims, keepdims=True, dtype=g.dtype)
            )
            return either.sgn(x) * (g / parts) * hit
        if p < 1 or p < 2:
            scale = either.drop_if(z == 0, g / either.power(z, p - 1))
            return either.sgn(x) * either.drop_if(x == 0, either.power(abs(x), p - 1)) * scale
        return x * either.power(abs(x), p - 2) * either.drop_if(z == 0, g / either.power(z, p - 1))


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """The length of a tensor as one vector, or of the vectors along `dim`; Euclidean unless `p` says otherwise."""
    order = 2 if p in ("fro", None) else p
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got " + input.dtype.title
        )
    dims = None if dim is None else along(input, dim)
    return apply1(LinalgVectorNormBackward0, input, order, dims, keepdim)


class LogsumexpBackward0(Node):
    """z = ln Σ e^x_i, so dz/dx_i = e^(x_i - z)."""

    saves = ("self", "result")
    __slots__ = ("dim", "keepdim")

    def forward(self, x: Array, dim: Dims, keepdim: bool) -> Array:
        self.dim, self.keepdim = dim, keepdim
        axis = axes(x, dim)
        highest = np.asarray(np.max(x, axis=axis, keepdims=True))
        highest = np.where(np.isfinite(highest), highest, x.dtype.type(0))
        z = np.log(np.add.reduce(np.exp(x - highest), axis=axis, keepdims=True)) + highest
        return np.asarray(z if keepdim or not x.ndim else z.squeeze(axis))

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        dims = self.dim or tuple(range(x.ndim))
        g, z = (either.unsqueezed(one, dims, x.ndim, self.keepdim) for one in (g, z))
        return g * either.exp(x - z)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of e^x along dimensions, without overflow."""
    return apply1(LogsumexpBackward0, input, along(input, dim), keepdim)


class CumsumBackward0(Node):
    """z_i = x_1 + ... + x_i, so each x_i gets the gradients of all sums that it is in."""

    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        wide = I64 if x.dtype.kind in "bui" else None
        return np.cumsum(x, axis=dim, dtype=wide) if x.ndim else x.astype(wide or x.dtype)

    def backward(self, g: Any) -> Any:
        return either.reversed_sum(g, self.dim)


def cumsum(input: Tensor, dim: int) -> Tensor:
    """Running totals along `dim`."""
    return apply1(CumsumBackward0, input, checked_dim(input, dim))
