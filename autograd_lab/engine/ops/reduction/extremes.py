"""The greatest and the least: max, min, amax, amin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import (
    Dims,
    along,
    axes,
    checked_dim,
    in_rows,
    indices_of,
    numpy_names,
    real_dim,
)
from autograd_lab.engine.ops.ground.grids import check_fits, refusing
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.pointwise.selection import maximum, minimum
from autograd_lab.engine.ops.reduction.sums import check_some

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["amax", "amin", "aminmax", "max", "min"]


MaxResult, MinResult = named("max"), named("min")
AminmaxResult = named("aminmax", "min", "max")


class Shared(Node):
    """z is one of all x_i, so the gradient goes there, in equal parts if there are several."""

    saves = ("self", "result")
    tangent = "reduction"

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return _shared(g, _hits(x, z))


class MaxBackward1(Shared):
    """z is the greatest of all x_i, so the gradient goes there, in equal parts if there are several."""

    def forward(self, x: Array) -> Array:
        return np.maximum.reduce(x, axis=None, out=...)


class MinBackward1(Shared):
    """z is the least of all x_i, so the gradient goes there, in equal parts if there are several."""

    def forward(self, x: Array) -> Array:
        return np.minimum.reduce(x, axis=None, out=...)


def _hits(x: Any, z: Any) -> Any:
    """Where the x_i is z; NaN counts as equal to NaN."""
    found = z._array if isinstance(z, Variable) else z
    return x == z if found == found else x != x


def _shared(g: Any, mask: Any) -> Any:
    if isinstance(g, Variable):
        return formulas.blank(mask._array.shape, g).masked_fill(mask, g / mask.sum())
    if not np.ndim(mask):
        return mask * g
    shared = np.zeros(mask.shape, g.dtype)
    shared[mask] = g / g.dtype.type(np.count_nonzero(mask))
    return shared


class Found(Node):
    """Elements found along a dimension, with their positions: the gradients go back to these."""

    outputs = ("values", "indices")
    saves = ("indices",)
    __slots__ = ("dim", "keepdim", "self_sym_sizes")
    tangent = "chosen"

    def found(self, x: Array, positions: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        """One element of each row along a dimension, and its position."""
        self.dim, self.keepdim, self.self_sym_sizes = dim, keepdim, x.shape
        if not x.ndim:
            return x.copy(), positions
        values = np.take_along_axis(x, positions, dim)
        return (values, positions) if keepdim else (values.squeeze(dim), positions.squeeze(dim))

    def backward(self, g: Any, found: Any) -> Any:
        dim, keepdim = self.dim, self.keepdim or not self.self_sym_sizes
        if isinstance(g, Variable):
            src = g if keepdim else g.unsqueeze(dim)
            positions = found if keepdim else found.unsqueeze(dim)
            return formulas.blank(self.self_sym_sizes, g).scatter(dim, positions, src)
        whole = np.zeros(self.self_sym_sizes, g.dtype)
        if not self.self_sym_sizes:
            check_fits(whole, 0, np.reshape(found, -1))
            return g
        positions, gradient = (found, g) if keepdim else (np.expand_dims(found, dim), np.expand_dims(g, dim))
        with refusing(whole, dim, positions):
            np.put_along_axis(whole, positions, gradient, dim)
        return whole


class MaxBackward0(Found):
    """z is the greatest x_i along a dimension, so the gradient goes to the one found, the first of several."""

    _find: Any = np.argmax

    def forward(self, x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        positions = np.asarray(type(self)._find(x, axis=dim, keepdims=True)) if x.ndim else np.zeros((), np.int64)
        return self.found(x, positions, dim, keepdim)


class MinBackward0(MaxBackward0):
    """z is the least x_i along a dimension, so the gradient goes to the one found, the first of several."""

    _find = np.argmin


@numpy_names
def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The greatest element of all; or those along `dim` with their positions; or the greater of two tensors."""
    return _extreme(MaxBackward1, MaxBackward0, MaxResult, maximum, input, dim if other is None else other, keepdim)


@numpy_names
def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The least element of all; or those along `dim` with their positions; or the lesser of two tensors."""
    return _extreme(MinBackward1, MinBackward0, MinResult, minimum, input, dim if other is None else other, keepdim)


INVALID = "received an invalid combination of arguments"


def _extreme(whole: Any, along_dim: Any, result: Any, of_two: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    if not isinstance(input, Variable):
        kinds = ", ".join(type(one).__name__ for one in (input, dim) if one is not None)
        raise TypeError(f"{whole.op}() {INVALID} - got ({kinds}), but expected one of:")
    if isinstance(dim, Variable):
        return of_two(input, dim)
    if isinstance(dim, bool) or not (dim is None or hasattr(dim, "__index__")):
        kinds = f"{type(input).__name__}, {type(dim).__name__}"
        raise TypeError(f"{whole.op}() {INVALID} - got ({kinds}), but expected one of:")
    check_some(whole.op, input._array, () if dim is None else (checked_dim(input, dim),))
    if dim is not None:
        return result(apply_many(along_dim, (input,), checked_dim(input, dim), keepdim))
    return apply1(whole, input)


class AmaxBackward0(Node):
    """z is the greatest x_i along dimensions, so the gradient goes there, in equal parts if there are several."""

    saves = ("self", "result")
    __slots__ = ("dim", "keepdim")
    _reduce: Any = np.maximum.reduce
    tangent = "reduction"

    def forward(self, x: Array, dim: Dims, keepdim: bool) -> Array:
        self.dim, self.keepdim = dim, keepdim
        return in_rows(np.asarray(type(self)._reduce(x, axis=axes(x, dim), keepdims=keepdim)))

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return _spread(g, x, z, self.dim, self.keepdim)


def _spread(g: Any, x: Any, z: Any, dim: Dims, keepdim: bool) -> Any:
    """The gradient of z in equal parts to the x_i along dimensions that are equal to it."""
    dims = {one % x.ndim for one in dim} if dim and x.ndim else set(range(x.ndim))
    if not keepdim:
        shape = tuple(1 if at in dims else size for at, size in enumerate(x.shape))
        g, z = (one.reshape(shape) for one in (g, z))
    mask = x == z
    if isinstance(g, Variable):
        return g / mask.sum(tuple(dims), True) * mask
    return g / np.add.reduce(mask, axis=tuple(dims), keepdims=True, dtype=g.dtype) * mask


class AminBackward0(AmaxBackward0):
    """z is the least x_i along dimensions, so the gradient goes there, in equal parts if there are several."""

    _reduce = np.minimum.reduce


def _some(input: Tensor, dim: Any, name: str) -> Dims:
    """Dimensions with something to choose from; that is asked before whether one is named twice."""
    given = indices_of(dim if isinstance(dim, tuple | list) else (dim,))
    for one in given:
        check_some(name, input._array, (checked_dim(input, one),))
    if not given:
        check_some(name, input._array, ())
    return along(input, dim)


@numpy_names
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The greatest elements along dimensions, or of all."""
    dims = _some(input, () if dim is None else dim, "amax")
    return apply1(AmaxBackward0, input, dims, keepdim)


@numpy_names
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The least elements along dimensions, or of all."""
    dims = _some(input, () if dim is None else dim, "amin")
    return apply1(AminBackward0, input, dims, keepdim)


class AminmaxBackward0(Node):
    """The least and the greatest x_i, so the gradients go there, in equal parts if there are several."""

    inputs = ("self",)
    outputs = ("min", "max")
    many = True
    saves = ("self", "min", "max")
    __slots__ = ("dim", "keepdim")
    tangent = "reduction"

    def forward(self, x: Array, dim: int | None, keepdim: bool) -> tuple[Array, Array]:
        self.dim, self.keepdim = dim, keepdim
        axis = dim if x.ndim else None
        low = np.minimum.reduce(x, axis=axis, keepdims=keepdim, out=...)
        return low, np.maximum.reduce(x, axis=axis, keepdims=keepdim, out=...)

    def backward(self, g: Any, x: Any, low: Any, high: Any) -> Any:
        to_low, to_high = g
        if to_low is None:
            return self._spread(to_high, x, high)
        first = self._spread(to_low, x, low)
        return first if to_high is None else first + self._spread(to_high, x, high)

    def _spread(self, g: Any, x: Any, z: Any) -> Any:
        return _spread(g, x, z, () if self.dim is None else (self.dim,), self.keepdim)


@numpy_names
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The least and the greatest element, of all or along `dim`."""
    x = input._array
    if dim is None and not x.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if dim is not None and not np.atleast_1d(x).shape[checked_dim(input, dim)]:
        raise IndexError(f"aminmax: Expected reduction dim {real_dim(input, dim)} to have non-zero size.")
    return AminmaxResult(apply_many(AminmaxBackward0, (input,), dim, keepdim))
