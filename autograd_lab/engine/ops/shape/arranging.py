"""Elements in other places: flip, roll, rot90, triangles, diagonals, windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.apply import apply1, apply_view, applyn
from autograd_lab.engine.dtypes import Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.reduction.sums import Dims, along
from autograd_lab.engine.ops.shape.views import checked_dim, reshape, sizes
from autograd_lab.engine.variable import Variable, is_tensor, wrap

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


class FlipBackward0(Node):
    """The elements in reverse along dimensions; so is the gradient."""

    __slots__ = ("dims",)

    def forward(self, x: Array, dims: Dims) -> Array:
        self.dims = dims
        return np.flip(x, dims).copy("K") if x.ndim else x.copy()

    def backward(self, g: Any) -> Any:
        return g.flip(self.dims) if isinstance(g, Variable) else np.flip(g, self.dims).copy() if g.ndim else g


def flip(input: Tensor, *dims: Any) -> Tensor:
    """The elements in reverse along `dims`, copied."""
    return apply1(FlipBackward0, input, along(input, sizes(dims, "flip", "dims")))


def fliplr(input: Tensor) -> Tensor:
    """The elements in reverse along the second dimension."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """The elements in reverse along the first dimension."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


class RollBackward0(Node):
    """The elements moved along dimensions, those that fall off put in at the start; gradients are moved back."""

    __slots__ = ("dims", "shifts")

    def forward(self, x: Array, shifts: Dims, dims: Dims) -> Array:
        self.shifts, self.dims = shifts, dims
        return np.asarray(np.roll(x, shifts, dims) if dims else np.roll(x, shifts[0]))

    def backward(self, g: Any) -> Any:
        back = tuple(-shift for shift in self.shifts)
        if is_tensor(g):
            return roll(g, back, self.dims)
        return np.roll(g, back, self.dims) if self.dims else np.roll(g, back[0])


def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`, round and round; along the flattened tensor without `dims`."""
    by, over = sizes((shifts,), "roll", "shifts"), sizes((dims,), "roll", "dims")
    if not by:
        raise RuntimeError("`shifts` required")
    if len(by) != len(over) and (over or len(by) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(over)}")
    for dim in over:
        checked_dim(input, dim)
    return apply1(RollBackward0, input, by, over)


class Rot90Backward0(Node):
    """The elements turned by k times 90° in a plane; gradients are turned back."""

    __slots__ = ("dims", "k")

    def forward(self, x: Array, k: int, dims: Dims) -> Array:
        self.k, self.dims = k, dims
        return _turned(x, k, dims).copy("K")

    def backward(self, g: Any) -> Any:
        return rot90(g, -self.k, self.dims) if is_tensor(g) else _turned(g, -self.k, self.dims)


def _turned(x: Array, k: int, dims: Dims) -> Array:
    return np.rot90(x, k, (dims[0], dims[1]))


def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """The elements turned by `k` times 90° from the first of `dims` towards the second."""
    plane = tuple(dims)
    if len(plane) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(plane)}")
    if input._array.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input._array.ndim}")
    if (plane[0] - plane[1]) % input._array.ndim == 0:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {plane[0]} and dim1 = {plane[1]}")
    return apply1(Rot90Backward0, input, k, plane)


class TrilBackward0(Node):
    """The elements on and below a diagonal, zeros above; so is the gradient."""

    __slots__ = ("diagonal",)
    _keep: Any = np.tril

    def forward(self, x: Array, diagonal: int) -> Array:
        if x.ndim < 2:
            raise RuntimeError(f"{self.op}: input tensor must have at least 2 dimensions")
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


class DiagonalBackward0(Node):
    """A diagonal of two dimensions, as the last one: the gradient is put on it, among zeros."""

    __slots__ = ("dim1", "dim2", "offset", "self_sym_sizes")

    def forward(self, x: Array, offset: int, dim1: int, dim2: int) -> Array:
        self.offset, self.dim1, self.dim2, self.self_sym_sizes = offset, dim1, dim2, x.shape
        return x.diagonal(offset, dim1, dim2)

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


class DiagonalBackwardBackward0(Node):
    """Zeros, but for a diagonal, inside the graph of a gradient."""

    __slots__ = ("dim1", "dim2", "offset")

    def forward(self, g: Array, offset: int, dim1: int, dim2: int, shape: Dims) -> Array:
        self.offset, self.dim1, self.dim2 = offset, dim1, dim2
        return _on_diagonal(g, offset, dim1, dim2, shape)

    def backward(self, h: Any) -> Any:
        return h.diagonal(self.offset, self.dim1, self.dim2)


class DiagonalBackward0_copy(DiagonalBackward0):
    """The diagonal of a matrix, copied."""

    op = "diag"

    def forward(self, x: Array, offset: int, dim1: int, dim2: int) -> Array:
        return super().forward(x, offset, dim1, dim2).copy()


class DiagEmbedBackward0(Node):
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
        ndim = g.ndim
        return g.diagonal(self.offset, self.dim1 % ndim, self.dim2 % ndim)


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


class UnfoldBackward0(Node):
    """Windows along a dimension, their elements in a new last one: an element in several gets all gradients."""

    __slots__ = ("dimension", "self_sym_sizes", "size", "step")

    def forward(self, x: Array, dimension: int, size: int, step: int) -> Array:
        self.dimension, self.size, self.step, self.self_sym_sizes = dimension, size, step, x.shape
        return _windows(x, dimension, size, step)

    def backward(self, g: Any) -> Any:
        layout = self.dimension, self.size, self.step
        if isinstance(g, Variable):
            return apply1(UnfoldBackwardBackward0, g, self.self_sym_sizes, *layout)
        return _folded(g, self.self_sym_sizes, *layout)


def _windows(x: Array, dim: int, size: int, step: int) -> Array:
    if not x.ndim:
        return x.reshape(1)[:size]
    dim %= x.ndim
    shape = (*x.shape[:dim], (x.shape[dim] - size) // step + 1, *x.shape[dim + 1 :], size)
    strides = (*x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :], x.strides[dim])
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def _folded(g: Array, shape: Dims, dim: int, size: int, step: int) -> Array:
    whole = np.zeros(shape, g.dtype)
    if not shape:
        return g.sum()
    windows = _windows(whole, dim, size, step)
    for at in range(size):  # windows overlap, but the elements number `at` of all of them do not
        windows[..., at] += g[..., at]
    return whole


class UnfoldBackwardBackward0(Node):
    """The gradients of windows added up, inside the graph of a gradient."""

    __slots__ = ("_layout",)

    def forward(self, g: Array, shape: Dims, dim: int, size: int, step: int) -> Array:
        self._layout = dim, size, step
        return _folded(g, shape, dim, size, step)

    def backward(self, h: Any) -> Any:
        return unfold(h, *self._layout) if is_tensor(h) else _windows(h, *self._layout)


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of a size along a dimension, one every `step` elements, in the same memory."""
    dim = checked_dim(input, dimension)
    length = input._array.shape[dim] if input._array.ndim else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return apply_view(UnfoldBackward0, input, dimension, size, step)


class BlockDiagBackward0(Node):
    """Matrices along a diagonal, zeros elsewhere: each gets its block of the gradient."""

    inputs = ()
    op = "block_diag"
    __slots__ = ("_shapes",)

    def forward(self, *arrays: Array) -> Array:
        self._shapes = [array.shape for array in arrays]
        blocks = [np.atleast_2d(array) for array in arrays]
        whole = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)), np.result_type(*arrays))
        for block, (top, left) in zip(blocks, _corners(self._shapes), strict=True):
            whole[top : top + block.shape[0], left : left + block.shape[1]] = block
        return whole

    def backward(self, g: Any) -> Any:
        parts = []
        for shape, (top, left) in zip(self._shapes, _corners(self._shapes), strict=True):
            rows, columns = (1, 1, *shape)[-2:]
            parts.append(g[top : top + rows, left : left + columns].reshape(shape))
        return tuple(parts)


def _corners(shapes: list[Dims]) -> list[tuple[int, int]]:
    found, top, left = [], 0, 0
    for shape in shapes:
        found.append((top, left))
        rows, columns = (1, 1, *shape)[-2:]
        top, left = top + rows, left + columns
    return found


def block_diag(*tensors: Any) -> Tensor:
    """Matrices along a diagonal, zeros elsewhere."""
    return applyn(BlockDiagBackward0, tensors)


def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The rows and columns of the lower triangle's elements."""
    return wrap(np.asarray(np.tril_indices(row, offset, col), np.int64))


def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The rows and columns of the upper triangle's elements."""
    return wrap(np.asarray(np.triu_indices(row, offset, col), np.int64))
