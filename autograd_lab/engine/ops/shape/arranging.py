"""Elements in other places: flip, roll, rot90; and `unfold`, windows over a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_view
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, is_tensor
from autograd_lab.engine.numbers.dtypes import Array, order_of
from autograd_lab.engine.ops.ground.dims import Dims, along, checked_dim, in_rows, index_of, real_dim
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.shape.shapes import sizes

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["flip", "fliplr", "flipud", "roll", "rot90"]


class FlipBackward0(Linear):
    """The elements in reverse along dimensions; so is the gradient."""

    __slots__ = ("dims",)

    def forward(self, x: Array, dims: Dims) -> Array:
        self.dims = dims
        z = x.copy(order_of(x))
        if x.ndim:
            z[...] = np.flip(x, dims)
        return z

    def backward(self, g: Any) -> Any:
        return g.flip(self.dims) if isinstance(g, Variable) else np.flip(g, self.dims).copy() if g.ndim else g


def flip(input: Tensor, *over: Any, dims: Any = None) -> Tensor:
    """The elements in reverse along `dims`, copied."""
    if not over and dims is None:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    return apply1(FlipBackward0, input, along(input, sizes(over, "flip", "dims", dims)))


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


class RollBackward0(Linear):
    """The elements moved along dimensions, those that fall off put in at the start; gradients are moved back."""

    __slots__ = ("dims", "shifts")

    def forward(self, x: Array, shifts: Dims, dims: Dims) -> Array:
        self.shifts, self.dims = shifts, dims
        return _rolled(x, shifts, dims)

    def attributes(self) -> dict[str, Any]:
        """Shifts without a sign, as PyTorch saves them."""
        return {"dims": tuple(dim % 2**64 for dim in self.dims), "shifts": tuple(by % 2**64 for by in self.shifts)}

    def backward(self, g: Any) -> Any:
        back = tuple(-shift for shift in self.shifts)
        if is_tensor(g):
            return roll(g, back, self.dims)
        return _rolled(g, back, self.dims)


def _rolled(x: Array, shifts: Dims, dims: Dims) -> Array:
    if not x.size:  # along whatever dimensions
        return x.copy()
    return in_rows(np.asarray(np.roll(x, shifts, dims) if dims else np.roll(x, shifts[0])))


def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`, round and round; along the flattened tensor without `dims`."""
    by, over = sizes((shifts,), "roll", "shifts"), sizes((dims,), "roll", "dims")
    if not by:
        raise RuntimeError("`shifts` required")
    if len(by) != len(over) and (over or len(by) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(over)}")
    for dim in over if input._array.size else ():
        input.size(checked_dim(input, dim) if input._array.ndim else dim)
    return apply1(RollBackward0, input, by, over)


class Rot90Backward0(Linear):
    """The elements turned by k times 90° in a plane; gradients are turned back."""

    __slots__ = ("dims", "k")

    def forward(self, x: Array, k: int, dims: Dims) -> Array:
        self.k, self.dims = k, dims
        return _turned(x, k, dims).copy("K")

    def attributes(self) -> dict[str, Any]:
        """How often it turns, without a sign, as PyTorch shows it."""
        return {"k": self.k % 2**64, "dims": self.dims}

    def backward(self, g: Any) -> Any:
        return rot90(g, -self.k, self.dims) if is_tensor(g) else _turned(g, -self.k, self.dims).copy()


def _turned(x: Array, k: int, dims: Dims) -> Array:
    return np.rot90(x, k, (dims[0], dims[1]))


def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """The elements turned by `k` times 90° from the first of `dims` towards the second."""
    plane, turns = tuple(dims), index_of(k)
    if len(plane) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(plane)}")
    if input._array.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input._array.ndim}")
    if checked_dim(input, plane[0]) % input._array.ndim == checked_dim(input, plane[1]) % input._array.ndim:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {plane[0]} and dim1 = {plane[1]}")
    return apply1(Rot90Backward0, input, turns, plane)


class UnfoldBackward0(Linear):
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
        place = real_dim(input, dim)
        raise RuntimeError(f"maximum size for tensor at dimension {place} is {length} but size is {size}")
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return apply_view(UnfoldBackward0, input, dimension, size, step)
