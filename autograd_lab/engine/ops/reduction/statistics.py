"""Reductions that are not plain sums: prod, var and std, logsumexp, and sums without NaN."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.kernels import lengths
from autograd_lab.engine.kernels.cascaded import cascade_sum
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import F32, F64, I64, WIDE, Array, NumpyDtype, dtype, floating, order_of
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import Dims, along, axes, checked_dim, in_rows, numpy_names
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.reduction.sums import added, count
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["logsumexp", "nanmean", "nansum", "prod", "std", "std_mean", "var", "var_mean"]


TOO_FEW = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel)."
)


def multiplied(x: Array, axis: Any, keepdims: bool, dtype: NumpyDtype | None) -> Array:
    """Products along axes, taken in a dtype with room for them."""
    wide: Any = dtype or WIDE.get(x.dtype)
    if wide is F32 and dtype is None and axis and x.shape[axis[0]]:  # each product is rounded
        z = np.multiply.accumulate(x, axis=axis[0]).take([-1], axis[0])
        return in_rows(z if keepdims else z.squeeze(axis))
    if wide is None and x.dtype is F32:
        return in_rows(lengths.product(x, axis, keepdims))
    z = in_rows(np.multiply.reduce(x, axis=axis, keepdims=keepdims, out=..., dtype=wide))
    return z.astype(x.dtype) if wide is F32 and dtype is None else z


class ProdBackward0(Node):
    """z = Π x_i, so dz/dx_i is the product of all the others: z / x_i where no x is 0."""

    saves = ("self", "result")
    tangent = "reduction"

    def forward(self, x: Array, dtype: NumpyDtype | None = None) -> Array:
        return multiplied(x, None, False, dtype)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        if not x.ndim:
            return g
        zeros = _zeros(x)
        if not zeros:
            return g * (z / x)
        if zeros > 1 and not isinstance(g, Variable):
            return np.zeros_like(x)
        flat = x.reshape((-1,))
        return (g.reshape((1,)) if flat.shape[0] == 1 else g * _others(flat, 0)).reshape(x.shape)


def _zeros(x: Any) -> int:
    """How many elements are 0."""
    array = x._array if isinstance(x, Variable) else x
    return array.size - np.count_nonzero(array)


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
    with np.errstate(all="ignore"):
        result[1:] *= np.cumprod(ahead[:-1], axis=0)
        result[:-1] *= np.cumprod(ahead[:0:-1], axis=0)[::-1]
    return np.moveaxis(result, 0, dim)


class ProdBackward1(Node):
    """z = Π x_i along a dimension, so dz/dx_i is the product of the others along it."""

    saves = ("self", "result")
    __slots__ = ("dim", "keepdim")
    tangent = "reduction"

    def forward(self, x: Array, dim: int, keepdim: bool, dtype: NumpyDtype | None = None) -> Array:
        self.dim, self.keepdim = dim, keepdim
        return multiplied(x, (dim,) if x.ndim else None, keepdim, dtype)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        if not x.ndim:
            return g
        g, z = (formulas.unsqueezed(one, (self.dim % x.ndim,), x.ndim, self.keepdim) for one in (g, z))
        if not _zeros(x):
            return g * (z / x)
        return g if x.shape[self.dim] == 1 else g * _others(x, self.dim)


@numpy_names
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """All elements multiplied, or those along `dim`."""
    if autocast.used:
        (input,) = autocast.widened(input)
    kind = None if dtype is None else dtype.numpy
    if dim is None:
        return apply1(ProdBackward0, input, kind)
    return apply1(ProdBackward1, input, checked_dim(input, dim), keepdim, kind)


class VarBackward0(Node):
    """z = Σ (x_i - m)² / (n - correction) with m the mean, so dz/dx_i = 2 (x_i - m) / (n - correction)."""

    saves = ("self",)
    __slots__ = ("correction", "dim", "keepdim")
    tangent = "reduction"

    def forward(self, x: Array, dim: Dims | None, correction: float | None, keepdim: bool) -> Array:
        self.dim, self.correction, self.keepdim = dim, correction, keepdim
        return _rounded(_variance(self.op, x, dim, correction, keepdim), x)

    def backward(self, g: Any, x: Any) -> Any:
        return _variance_gradient(self, g, x)


def _variance(name: str, x: Array, dim: Dims | None, correction: float | None, keepdim: bool) -> Array:
    """The variance in double precision, as PyTorch computes it in every dtype."""
    ddof, axis = 1 if correction is None else correction, axes(x, dim or ())
    mean: Any = np._NoValue
    if x.dtype is F32 and x.size and count(x.shape, dim or ()) == x.size:  # there PyTorch rounds the mean before
        with np.errstate(all="ignore"):
            mean = np.mean(x, axis=axis, keepdims=True).astype(F64)
    if x.dtype is not F64:
        x = x.astype(F64, order=order_of(x))
    if count(x.shape, dim or ()) > ddof and x.size:
        with np.errstate(all="ignore"):
            return in_rows(np.asarray(np.var(x, axis=axis, ddof=ddof, keepdims=keepdim, mean=mean)))
    warnings.warn(TOO_FEW.format(name), UserWarning, stacklevel=users_level())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numpy says so, too
        return np.asarray(np.var(x, axis=axis, ddof=ddof, keepdims=keepdim))


def _rounded(spread: Any, x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(spread, x.dtype)


def _average(x: Array, dims: Dims, keepdim: bool) -> Array:
    total = added(x, axes(x, dims), keepdim, WIDE.get(x.dtype, x.dtype))
    return np.asarray(total / total.dtype.type(count(x.shape, dims)), x.dtype)


def _variance_gradient(node: Any, g: Any, x: Any) -> Any:
    dims = node.dim or tuple(range(x.ndim))
    degrees = count(x.shape, dims) - (1 if node.correction is None else node.correction)
    if degrees <= 0 and (node.dim is None or not x.ndim):
        return g * _no_slope(x)
    scale = 2 / degrees if degrees else math.inf  # PyTorch divides in the end, whatever comes of it
    if x.ndim > 1 and not (node.dim is None and isinstance(g, Variable)):
        g = formulas.unsqueezed(g, dims, x.ndim, node.keepdim)
    if isinstance(x, Variable):
        centre: Any = x.mean() if node.dim is None or not x.ndim else x.mean(dims, True)
    else:
        centre = _average(np.asarray(x), dims, True)
    distance = x - centre
    return formulas.times(g, scale) * distance


def _no_slope(x: Any) -> Any:
    """What stands for a slope where no degree of freedom is left: no number at the mean, elsewhere infinity."""
    array = x._array if isinstance(x, Variable) else np.asarray(x)
    slope = np.where(array == _average(array, tuple(range(array.ndim)), False), np.nan, np.inf)
    slope = np.asarray(slope, F32)  # PyTorch's two numbers are so in every dtype
    return wrap(slope) if isinstance(x, Variable) else slope


class StdBackward0(Node):
    """z = √var, so dz/dx = dvar/dx / (2 z)."""

    saves = ("self", "result")
    __slots__ = ("correction", "dim", "keepdim")
    tangent = "reduction"

    def forward(self, x: Array, dim: Dims | None, correction: float | None, keepdim: bool) -> Array:
        self.dim, self.correction, self.keepdim = dim, correction, keepdim
        return _rounded(np.sqrt(_variance(self.op, x, dim, correction, keepdim)), x)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return _variance_gradient(self, formulas.drop_if(z == 0, g / formulas.times(z, 2)), x)


@numpy_names
def var(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The variance of all elements, or along dimensions: squared distances from the mean over n - `correction`."""
    return apply1(VarBackward0, input, *_spread("std and var", input, dim, unbiased, keepdim, correction))


@numpy_names
def std(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The standard deviation of all elements, or along dimensions: the root of the variance."""
    return apply1(StdBackward0, input, *_spread("std and var", input, dim, unbiased, keepdim, correction))


class VarMeanBackward0(Node):
    """The variance and the mean m: dv/dx_i = 2 (x_i - m) / (n - correction) and dm/dx_i = 1 / n."""

    outputs = ("result0", "result1")
    many = True
    saves: ClassVar[tuple[str, ...]] = ("self",)
    __slots__ = ("correction", "dim", "keepdim")
    tangent = "reduction"
    told: ClassVar[Any] = staticmethod(np.asarray)

    def forward(self, x: Array, dim: Dims | None, correction: float | None, keepdim: bool) -> tuple[Array, Array]:
        self.dim, self.correction, self.keepdim = dim, correction, keepdim
        spread = self.told(_variance(self.op, x, dim, correction, keepdim))
        return _rounded(spread, x), _mean_so_far(x, dim or (), keepdim)

    def backward(self, g: Any, x: Any) -> Any:
        to_spread, to_mean = g
        first = None if to_spread is None else _variance_gradient(self, to_spread, x)
        return _sum(first, self._of_mean(to_mean, x))

    def _of_mean(self, g: Any, x: Any) -> Any:
        if g is None:
            return None
        dims = self.dim or ()
        wide = formulas.expanded(formulas.unsqueezed(g, dims, x.ndim, self.keepdim), x.shape)
        return formulas.over(wide, count(x.shape, dims))


def _mean_so_far(x: Array, dims: Dims, keepdim: bool) -> Array:
    """The mean, corrected element by element as in Welford's algorithm: what follows an infinity makes it no number."""
    mean = np.asarray(_average(x.astype(F64) if x.dtype is F32 else x, dims, keepdim), x.dtype)
    if not x.ndim or not np.isinf(mean).any():
        return mean
    x = np.atleast_1d(x)
    axes = sorted(dim % x.ndim for dim in dims) or list(range(x.ndim))
    flat = np.moveaxis(x, axes, list(range(-len(axes), 0)))
    lost = np.isinf(flat.reshape(*flat.shape[: x.ndim - len(axes)], -1)[..., :-1]).any(-1)
    return np.where(lost.reshape(mean.shape), np.asarray(np.nan, mean.dtype), mean)


def _sum(first: Any, second: Any) -> Any:
    return second if first is None else first if second is None else first + second


class StdMeanBackward0(VarMeanBackward0):
    """The standard deviation s and the mean m: ds/dx = dv/dx / (2 s) and dm/dx_i = 1 / n."""

    saves = ("self", "result0")
    told = staticmethod(np.sqrt)

    def backward(self, g: Any, x: Any, z: Any = None) -> Any:
        to_spread, to_mean = g
        first = None
        if to_spread is not None:
            first = _variance_gradient(self, formulas.drop_if(z == 0, to_spread / formulas.times(z, 2)), x)
        return _sum(first, self._of_mean(to_mean, x))


@numpy_names
def var_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, ...]:
    """The variance and the mean, of all elements or along dimensions."""
    return apply_many(VarMeanBackward0, (input,), *_spread("var_mean", input, dim, unbiased, keepdim, correction))


@numpy_names
def std_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, ...]:
    """The standard deviation and the mean, of all elements or along dimensions."""
    return apply_many(StdMeanBackward0, (input,), *_spread("std_mean", input, dim, unbiased, keepdim, correction))


def _spread(name: str, input: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> tuple[Any, Any, bool]:
    """Dimensions, correction and whether they are kept, as the ops take them."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        if type(unbiased) is not bool:
            raise TypeError("argument 'unbiased' must be bool")
        correction = int(unbiased)
    elif dim is not None and correction is None:
        correction = 1
    if input._array.dtype.kind in "bui":
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    return None if dim is None else along(input, dim), correction, keepdim


class NansumBackward0(Linear):
    """z = Σ x_i over all that are not NaN, so dz/dx_i = 1 for these."""

    saves = ("self",)
    __slots__ = ("dim", "keepdim")

    def forward(self, x: Array, dim: Dims | None, keepdim: bool, dtype: NumpyDtype | None) -> Array:
        self.dim, self.keepdim = dim, keepdim
        kept = x if x.dtype.kind in "bui" else np.where(np.isnan(x), x.dtype.type(0), x)
        return added(kept, axes(x, dim or ()), keepdim, dtype)

    def backward(self, g: Any, x: Any) -> Any:
        wide = formulas.expanded(formulas.unsqueezed(g, self.dim or (), x.ndim, self.keepdim), x.shape)
        return wide * (wrap(~np.isnan(x._array)) if isinstance(x, Variable) else ~np.isnan(x))


@numpy_names
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The sum of all elements that are not NaN, or of those along dimensions."""
    dims = None if dim is None else along(input, dim)
    return apply1(NansumBackward0, input, dims, keepdim, None if dtype is None else dtype.numpy)


@numpy_names
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean of all elements that are not NaN, or of those along dimensions."""
    if input._array.dtype.kind in "bui":
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.title}"
        )
    axis = axes(input._array, () if dim is None else along(input, dim))
    number = np.count_nonzero(~np.isnan(input._array), axis=axis, keepdims=keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / wrap(np.asarray(number, I64))


class LogsumexpBackward0(Node):
    """z = ln Σ e^x_i, so dz/dx_i = e^(x_i - z)."""

    saves = ("self", "result")
    __slots__ = ("dim", "keepdim")
    tangent = "reduction"

    def forward(self, x: Array, dim: Dims, keepdim: bool) -> Array:
        self.dim, self.keepdim = dim, keepdim
        axis, x = axes(x, dim), floating(x)
        highest = np.asarray(np.max(x, axis=axis, keepdims=True, initial=-np.inf))
        highest = np.where(np.isfinite(highest), highest, x.dtype.type(0))
        total = cascade_sum(precise(np.exp, x - highest), axis, True)
        z = precise(np.log, np.asarray(total, x.dtype)) + highest
        return in_rows(np.asarray(z if keepdim or not x.ndim else z.squeeze(axis)))

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        dims = self.dim or tuple(range(x.ndim))
        g, z = (formulas.unsqueezed(one, dims, x.ndim, self.keepdim) for one in (g, z))
        return g * formulas.exp(x - z)


@numpy_names
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of e^x along dimensions, without overflow."""
    dims, x = along(input, dim), input._array
    if not dims and not keepdim and x.ndim and x.size:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * x.ndim}")
    return apply1(LogsumexpBackward0, input, dims, keepdim)
