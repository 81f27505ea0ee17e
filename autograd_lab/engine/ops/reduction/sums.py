"""Sums and means; and what all ops that make fewer elements of many have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels.cascaded import cascade_sum
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, WIDE, Array, NumpyDtype, dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import Dims, along, axes, in_rows, numpy_names
from autograd_lab.engine.ops.ground.kinds import Linear

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["mean", "sum"]


def check_some(name: str, x: Array, dims: Dims) -> None:
    """Raise unless there is something to choose from along each of the dimensions; none at all stand for all."""
    if not dims and not x.size:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    for dim in dims:
        if x.ndim and not x.shape[dim]:
            shown = dim if name in ("amax", "amin") else dim % x.ndim
            raise IndexError(f"{name}(): Expected reduction dim {shown} to have non-zero size.")


def added(x: Array, axis: Dims | None = None, keepdims: bool = False, dtype: NumpyDtype | None = None) -> Array:
    """Sums along axes; of integers as int64, and of half-precision floats without rounding on the way."""
    if dtype is not None and dtype.kind in "bui":
        return in_rows(np.add.reduce(x, axis=axis, keepdims=keepdims, out=..., dtype=dtype))
    if dtype is not None:
        x = x.astype(dtype, copy=False)
    z = cascade_sum(x, axis, keepdims)
    return z.astype(x.dtype) if z.dtype is F32 and x.dtype is not F32 else z


class SumBackward0(Linear):
    """z = Σ x_i, so dz/dx_i = 1."""

    __slots__ = ("self_sym_sizes",)

    def forward(self, x: Array, dtype: NumpyDtype | None = None) -> Array:
        self.self_sym_sizes = x.shape
        return added(x, None, False, dtype)

    def backward(self, g: Any) -> Any:
        return formulas.expanded(g, self.self_sym_sizes)


class SumBackward1(Linear):
    """z = Σ x_i along some dimensions, so dz/dx_i = 1."""

    __slots__ = ("dim", "keepdim", "self_sym_sizes")

    def forward(self, x: Array, dim: Dims, keepdim: bool, dtype: NumpyDtype | None = None) -> Array:
        self.dim, self.keepdim, self.self_sym_sizes = dim, keepdim, x.shape
        return added(x, axes(x, dim), keepdim, dtype)

    def backward(self, g: Any) -> Any:
        shape = self.self_sym_sizes
        return formulas.expanded(formulas.unsqueezed(g, self.dim, len(shape), self.keepdim), shape)


class MeanBackward0(Linear):
    """z = Σ x_i / n, so dz/dx_i = 1 / n."""

    __slots__ = ("self_sym_numel", "self_sym_sizes")

    def forward(self, x: Array, dtype: NumpyDtype | None = None) -> Array:
        self.self_sym_numel, self.self_sym_sizes = x.size, x.shape
        if dtype is None and x.dtype is F32:
            return np.divide(cascade_sum(x), x.dtype.type(x.size), out=...)
        return averaged(x, None, False, dtype, x.size)

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return formulas.over(formulas.expanded(g, self.self_sym_sizes), self.self_sym_numel)
        return np.full(self.self_sym_sizes, g / self.self_sym_numel)  # each element its own, as a hook may write to it


class MeanBackward1(Linear):
    """z = Σ x_i / n along some dimensions, so dz/dx_i = 1 / n."""

    __slots__ = ("dim", "keepdim", "self_sym_numel", "self_sym_sizes")

    def forward(self, x: Array, dim: Dims, keepdim: bool, dtype: NumpyDtype | None = None) -> Array:
        self.dim, self.keepdim, self.self_sym_numel, self.self_sym_sizes = dim, keepdim, x.size, x.shape
        return averaged(x, axes(x, dim), keepdim, dtype, count(x.shape, dim))

    def backward(self, g: Any) -> Any:
        shape = self.self_sym_sizes
        g = formulas.expanded(formulas.unsqueezed(g, self.dim, len(shape), self.keepdim), shape)
        return formulas.over(g, count(shape, self.dim))


def averaged(x: Array, axis: Dims | None, keepdims: bool, dtype: NumpyDtype | None, number: int) -> Array:
    """Means along axes, of so many elements each; those of half precision are rounded once."""
    narrow = dtype or x.dtype
    total = added(x, axis, keepdims, WIDE.get(narrow, narrow))
    np.divide(total, np.array(number, total.dtype), out=total)
    return total if total.dtype == narrow else total.astype(narrow)


def count(shape: Dims, dims: Dims) -> int:
    """How many elements each result of a reduction is made of."""
    return math.prod(shape[d] for d in dims) if dims and shape else math.prod(shape)


@numpy_names
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """All elements added up, or those along `dim`, one dimension or several."""
    if not isinstance(input, Variable):
        only_tensors("sum", input)  # type: ignore[unreachable]  # by its types
    kind = None if dtype is None else dtype.numpy
    if dim is None and not keepdim:
        return apply1(SumBackward0, input, kind)
    return apply1(SumBackward1, input, () if dim is None else along(input, dim), keepdim, kind)


@numpy_names
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean of all elements, or of those along `dim`, one dimension or several."""
    if not isinstance(input, Variable):
        only_tensors("mean", input)  # type: ignore[unreachable]  # by its types
    kind = None if dtype is None else dtype.numpy
    if (kind or input._array.dtype).kind in "bui":
        place, title = ("Optional", dtype.title) if dtype else ("Input", BY_NUMPY[input._array.dtype].title)
        raise RuntimeError(
            f"mean(): could not infer output dtype. {place} dtype must be either a floating point or complex dtype. "
            f"Got: {title}"
        )
    if dim is None and not keepdim:
        return apply1(MeanBackward0, input, kind)
    return apply1(MeanBackward1, input, () if dim is None else along(input, dim), keepdim, kind)
