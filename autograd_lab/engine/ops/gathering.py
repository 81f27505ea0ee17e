"""Ops that take elements from given places, or put them in others: gather, flip, tril, triu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.apply import apply1, applyn
from autograd_lab.engine.dtypes import Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.reduction import Dims, along
from autograd_lab.engine.ops.shapes import checked_dim
from autograd_lab.engine.variable import Variable

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


class ScatterBackward0(Node):
    """Zeros, but for given positions along a dimension, inside the graph of a gradient."""

    __slots__ = ("_positions", "dim")

    def forward(self, g: Array, dim: int, positions: Any, shape: Dims) -> Array:
        self.dim, self._positions = dim, positions
        whole = np.zeros(shape, g.dtype)
        np.put_along_axis(whole, positions._array, g, dim)
        return whole

    def backward(self, h: Any) -> Any:
        if isinstance(h, Variable):
            return h.gather(self.dim, self._positions)
        return np.take_along_axis(h, self._positions._array, self.dim)


class GatherBackward0(Node):
    """z holds the x_i at given positions along a dimension; the gradients add up there."""

    inputs = ("self", "index")
    saves = ("self", "index")
    differentiable = 1
    __slots__ = ("_shape", "dim", "sparse_grad")

    def forward(self, x: Array, index: Array, dim: int) -> Array:
        self.dim, self.sparse_grad, self._shape = dim, False, x.shape
        return np.take_along_axis(x, index, dim)

    def backward(self, g: Any, x: Any, index: Any) -> Any:
        if isinstance(g, Variable):
            return g._scattered(self.dim, index, self._shape)
        whole = np.zeros(self._shape, g.dtype)
        grid = list(np.indices(index.shape))
        grid[self.dim] = index
        np.add.at(whole, tuple(grid), g)
        return whole


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements at the positions `index` along `dim`."""
    return applyn(GatherBackward0, (input, index), checked_dim(input, dim))


def scattered(g: Any, dim: int, positions: Any, shape: Dims) -> Tensor:
    """Zeros, but for `g` at the positions along a dimension."""
    return apply1(ScatterBackward0, g, dim, positions, shape)


class FlipBackward0(Node):
    """The elements in reverse along dimensions; so is the gradient."""

    __slots__ = ("dims",)

    def forward(self, x: Array, dims: Dims) -> Array:
        self.dims = dims
        return np.flip(x, dims).copy() if x.ndim else x.copy()

    def backward(self, g: Any) -> Any:
        return g.flip(self.dims) if isinstance(g, Variable) else np.flip(g, self.dims)


def flip(input: Tensor, *dims: Any) -> Tensor:
    """The elements in reverse along `dims`, copied."""
    given = dims[0] if len(dims) == 1 and isinstance(dims[0], tuple | list) else dims
    return apply1(FlipBackward0, input, along(input, tuple(given)))


class TrilBackward0(Node):
    """The elements on and below a diagonal, zeros above; so is the gradient."""

    __slots__ = ("diagonal",)
    _keep: Any = np.tril

    def forward(self, x: Array, diagonal: int) -> Array:
        self.diagonal = diagonal
        return np.asarray(type(self)._keep(x, diagonal))

    def backward(self, g: Any) -> Any:
        return apply1(type(self), g, self.diagonal) if isinstance(g, Variable) else type(self)._keep(g, self.diagonal)


class TriuBackward0(TrilBackward0):
    """The elements on and above a diagonal, zeros below; so is the gradient."""

    _keep = np.triu


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of a matrix, zeros elsewhere."""
    return apply1(TrilBackward0, input, diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of a matrix, zeros elsewhere."""
    return apply1(TriuBackward0, input, diagonal)
