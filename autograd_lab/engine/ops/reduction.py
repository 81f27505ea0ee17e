"""Ops that make fewer elements of many: sum, mean, max, var, norm, ..."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply1, only_tensors
from autograd_lab.engine.dtypes import BY_NUMPY, I64, Array, dtype
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.copying import to_dtype
from autograd_lab.engine.ops.shapes import checked_dim
from autograd_lab.engine.variable import Variable

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor

Dims = tuple[int, ...]


def along(input: Any, dim: Any) -> Dims:
    """`dim` as a tuple, checked; no dimensions at all stands for all of them."""
    given = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    dims = tuple(checked_dim(input, one) for one in given)
    ndim = max(input._array.ndim, 1)
    real = [one % ndim for one in dims]
    for one in real:
        if real.count(one) > 1:
            raise RuntimeError(f"dim {one} appears multiple times in the list of dims")
    return dims


def axes(x: Array, dims: Dims) -> Dims | None:
    """`dims` as numpy takes them: none at all stand for all."""
    return dims if dims and x.ndim else None


class SumBackward0(Node):
    """z = Σ x_i, so dz/dx_i = 1."""

    __slots__ = ("self_sym_sizes",)

    def forward(self, x: Array) -> Array:
        self.self_sym_sizes = x.shape
        return np.add.reduce(x, axis=None, out=..., dtype=I64 if x.dtype.kind in "bui" else None)

    def backward(self, g: Any) -> Any:
        return either.expanded(g, self.self_sym_sizes)


class SumBackward1(Node):
    """z = Σ x_i along some dimensions, so dz/dx_i = 1."""

    __slots__ = ("dim", "keepdim", "self_sym_sizes")

    def forward(self, x: Array, dim: Dims, keepdim: bool) -> Array:
        self.dim, self.keepdim, self.self_sym_sizes = dim, keepdim, x.shape
        wide = I64 if x.dtype.kind in "bui" else None
        return np.add.reduce(x, axis=axes(x, dim), keepdims=keepdim, out=..., dtype=wide)

    def backward(self, g: Any) -> Any:
        shape = self.self_sym_sizes
        return either.expanded(either.unsqueezed(g, self.dim, len(shape), self.keepdim), shape)


class MeanBackward0(Node):
    """z = Σ x_i / n, so dz/dx_i = 1 / n."""

    __slots__ = ("self_sym_numel", "self_sym_sizes")

    def forward(self, x: Array) -> Array:
        self.self_sym_numel, self.self_sym_sizes = x.size, x.shape
        return np.array(np.add.reduce(x, axis=None) / x.dtype.type(x.size))

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return either.divided(either.expanded(g, self.self_sym_sizes), self.self_sym_numel)
        return either.expanded(g / self.self_sym_numel, self.self_sym_sizes)


class MeanBackward1(Node):
    """z = Σ x_i / n along some dimensions, so dz/dx_i = 1 / n."""

    __slots__ = ("dim", "keepdim", "self_sym_numel", "self_sym_sizes")

    def forward(self, x: Array, dim: Dims, keepdim: bool) -> Array:
        self.dim, self.keepdim, self.self_sym_numel, self.self_sym_sizes = dim, keepdim, x.size, x.shape
        total = np.add.reduce(x, axis=axes(x, dim), keepdims=keepdim, out=...)
        return np.divide(total, np.array(count(x.shape, dim), x.dtype), out=total)

    def backward(self, g: Any) -> Any:
        shape = self.self_sym_sizes
        g = either.expanded(either.unsqueezed(g, self.dim, len(shape), self.keepdim), shape)
        return either.divided(g, count(shape, self.dim))


def count(shape: Dims, dims: Dims) -> int:
    """How many elements each result of a reduction is made of."""
    return math.prod(shape[d] for d in dims) if dims and shape else math.prod(shape)


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """All elements added up, or those along `dim`, one dimension or several."""
    only_tensors("sum", input)
    if dtype is not None:
        input = to_dtype(input, dtype.numpy)
    if dim is None:
        return apply1(SumBackward0, input)
    return apply1(SumBackward1, input, along(input, dim), keepdim)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean of all elements, or of those along `dim`, one dimension or several."""
    only_tensors("mean", input)
    if dtype is not None:
        input = to_dtype(input, dtype.numpy)
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            + BY_NUMPY[input._array.dtype].title
        )
    if dim is None:
        return apply1(MeanBackward0, input)
    return apply1(MeanBackward1, input, along(input, dim), keepdim)
