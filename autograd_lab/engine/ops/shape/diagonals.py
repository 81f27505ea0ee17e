"""Diagonals, the triangles beside them, and matrices of blocks: diag, tril, block_diag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_view, applyn
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import all_tensors
from autograd_lab.engine.exact.elementless import placed
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, result_dtype
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import Dims, checked_dim, in_rows, index_of
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.shape.views import reshape

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["block_diag", "diag", "diag_embed", "diagflat", "diagonal", "tril", "tril_indices", "triu", "triu_indices"]


class TrilBackward0(Linear):
    """The elements on and below a diagonal, zeros above; so is the gradient."""

    __slots__ = ("diagonal",)
    _keep: Any = np.tril

    def forward(self, x: Array, diagonal: int) -> Array:
        if x.ndim < 2:
            raise RuntimeError(f"{self.op}: input tensor must have at least 2 dimensions")
        self.diagonal = diagonal
        return in_rows(np.asarray(type(self)._keep(x, diagonal)))

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


def _diagonal(x: Array, *layout: int) -> Array:
    """A diagonal that may be written to as its matrix may; numpy's may not."""
    found = x.diagonal(*layout)
    found.flags.writeable = x.flags.writeable
    return found


class DiagonalBackward0(Linear):
    """A diagonal of two dimensions, as the last one: the gradient is put on it, among zeros."""

    __slots__ = ("dim1", "dim2", "offset", "self_sym_sizes")

    def forward(self, x: Array, offset: int, dim1: int, dim2: int) -> Array:
        self.offset, self.dim1, self.dim2, self.self_sym_sizes = offset, dim1, dim2, x.shape
        return _diagonal(x, offset, dim1, dim2)

    def backward(self, g: Any) -> Any:
        layout = self.offset, self.dim1, self.dim2
        if isinstance(g, Variable):
            return apply1(DiagonalBackwardBackward0, g, *layout, self.self_sym_sizes)
        return _on_diagonal(g, *layout, self.self_sym_sizes)


def _on_diagonal(g: Array, offset: int, dim1: int, dim2: int, shape: Dims) -> Array:
    whole = np.zeros(shape, g.dtype)
    part = whole.diagonal(offset, dim1, dim2)
    part.flags.writeable = True
    part[...] = g
    return whole


class DiagonalBackwardBackward0(Linear):
    """Zeros, but for a diagonal, inside the graph of a gradient."""

    __slots__ = ("dim1", "dim2", "offset")

    def forward(self, g: Array, offset: int, dim1: int, dim2: int, shape: Dims) -> Array:
        self.offset, self.dim1, self.dim2 = offset, dim1, dim2
        return _on_diagonal(g, offset, dim1, dim2, shape)

    def backward(self, h: Any) -> Any:
        layout = self.offset, self.dim1, self.dim2
        return h.diagonal(*layout) if isinstance(h, Variable) else _diagonal(h, *layout)


class DiagonalBackward0_copy(DiagonalBackward0):
    """The diagonal of a matrix, copied."""

    op = "diag"

    def forward(self, x: Array, offset: int, dim1: int, dim2: int) -> Array:
        return super().forward(x, offset, dim1, dim2).copy()


class DiagEmbedBackward0(Linear):
    """The last dimension as a diagonal of two, among zeros: the gradient is taken from it."""

    __slots__ = ("dim1", "dim2", "offset")

    def forward(self, x: Array, offset: int, dim1: int, dim2: int) -> Array:
        self.offset, self.dim1, self.dim2 = offset, dim1, dim2
        size, ndim = x.shape[-1] + abs(offset), x.ndim + 1
        shape = list(x.shape[:-1])
        for at in sorted((dim1 % ndim, dim2 % ndim)):
            shape.insert(at, size)
        return _on_diagonal(x, offset, dim1 % ndim, dim2 % ndim, tuple(shape))

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return g.diagonal(self.offset, self.dim1, self.dim2)
        return _diagonal(g, self.offset, self.dim1 % g.ndim, self.dim2 % g.ndim)


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A diagonal of two dimensions as the last one, in the same memory."""
    first, second = checked_dim(input, dim1), checked_dim(input, dim2)
    if (first - second) % input._array.ndim == 0:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    out = apply_view(DiagonalBackward0, input, offset, dim1, dim2)
    out._array.flags.writeable = True
    return out


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as a diagonal of two, among zeros."""
    return apply1(DiagEmbedBackward0, input, offset, checked_dim(input, dim1, 1), checked_dim(input, dim2, 1))


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, copied; or a matrix with a vector on its diagonal."""
    if input._array.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    if input._array.ndim == 1:
        return diag_embed(input, diagonal)
    return apply1(DiagonalBackward0_copy, input, diagonal, 0, 1)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements on its diagonal."""
    return diag_embed(reshape(input, (-1,)), offset)


class BlockDiagBackward0(Linear):
    """Matrices along a diagonal, zeros elsewhere: each gets its block of the gradient."""

    inputs = ()
    op = "block_diag"
    __slots__ = ("_shapes",)

    def forward(self, *arrays: Array) -> Array:
        self._shapes = [array.shape for array in arrays]
        blocks = [np.atleast_2d(array) for array in arrays]
        whole = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)), result_dtype(arrays))
        for block, (top, left) in zip(blocks, _corners(self._shapes), strict=True):
            whole[top : top + block.shape[0], left : left + block.shape[1]] = block
        return whole

    def backward(self, g: Any) -> Any:
        parts = []
        for shape, (top, left) in zip(self._shapes, _corners(self._shapes), strict=True):
            rows, columns = (1, 1, *shape)[-2:]
            part = g[top : top + rows, left : left + columns].reshape(shape)
            if isinstance(g, Variable):
                parts.append(part if 0 not in shape else wrap(np.zeros(shape, g._array.dtype)))
            else:
                parts.append(part.copy())  # each has memory of its own
        return tuple(parts)


def _corners(shapes: list[Dims]) -> list[tuple[int, int]]:
    found, top, left = [], 0, 0
    for shape in shapes:
        found.append((top, left))
        rows, columns = (1, 1, *shape)[-2:]
        top, left = top + rows, left + columns
    return found


@composed
def block_diag(*tensors: Any) -> Tensor:
    """Matrices along a diagonal, zeros elsewhere."""
    all_tensors(tensors)
    for position, one in enumerate(tensors):
        if one._array.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {position} has "
                f"{one._array.ndim} dimensions"
            )
    return applyn(BlockDiagBackward0, tensors)


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None
) -> Tensor:
    """The rows and columns of the lower triangle's elements."""
    return _places("tril_indices", np.tril_indices, (row, offset, col), dtype, device)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None
) -> Tensor:
    """The rows and columns of the upper triangle's elements."""
    return _places("triu_indices", np.triu_indices, (row, offset, col), dtype, device)


def _places(name: str, triangle: Any, sizes: Any, dtype: Any, device: Any) -> Tensor:
    row, offset, col = map(index_of, sizes)
    for called, size in (("row", row), ("col", col)):
        if size < 0:
            raise RuntimeError(f"{called} must be non-negative, got{size}")
    kind = np.dtype(np.int64) if dtype is None else dtype.numpy
    if kind not in (np.int64, np.int32):
        raise NotImplementedError(f"\"{name}\" not implemented for '{BY_NUMPY[kind].title}'")
    return wrap(placed(np.asarray(triangle(row, offset, col), kind), device))
