"""A tensor with a part of it replaced, in new memory: select_scatter, slice_scatter, diagonal_scatter and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.exact.aliasing import SHARED, address, flat_memory, is_shared, strided
from autograd_lab.engine.numbers.dtypes import Array, steps
from autograd_lab.engine.ops.ground.dims import checked_dim, real_dim
from autograd_lab.engine.ops.ground.kinds import Linear

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["as_strided_scatter", "diagonal_scatter", "select_scatter", "slice_scatter"]


class Replaced(Linear):
    """z is x with `src` in a part, where dz/dx = 0 and dz/dsrc = 1; elsewhere dz/dx = 1."""

    inputs = ("self", "src")
    mixes = False

    def forward(self, x: Array, src: Array, *where: Any) -> Array:
        for name, value in zip(self.__slots__, where, strict=True):
            setattr(self, name, value)
        z = self.copied(x)
        part = self.part(z)
        if part.shape != src.shape:
            raise RuntimeError(
                f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
                f"{list(part.shape)}"
            )
        part[...] = src
        return z

    def copied(self, x: Array) -> Array:
        """The tensor in new memory."""
        return x.copy()

    def part(self, z: Any) -> Any:
        """The part of a tensor or of an array, in the same memory."""
        raise NotImplementedError

    def backward(self, g: Any) -> Any:
        needs = [edge[0] is not None for edge in self.next_functions]
        if isinstance(g, Variable):
            zeros = wrap(np.zeros(self.part(g._array).shape, g._array.dtype))
            settings = [getattr(self, name) for name in self.__slots__]
            outside = applyn(type(self), (g, zeros), *settings) if needs[0] else None
            return outside, self.part(g) if needs[1] else None
        kept = g.copy()
        self.part(kept)[...] = 0
        return kept, self.part(g)


class SelectScatterBackward0(Replaced):
    """The part is one entry along a dimension."""

    __slots__ = ("dim", "index")

    def part(self, z: Any) -> Any:
        if isinstance(z, Variable):
            return z.select(self.dim, self.index)
        return z[(*(slice(None),) * (self.dim % z.ndim), self.index, ...)]


class SliceScatterBackward0(Replaced):
    """The part is every `step`-th entry along a dimension, from `start` to before `end`."""

    __slots__ = ("dim", "end", "start", "step")

    def part(self, z: Any) -> Any:
        where = slice(self.start, self.end, self.step)
        return z[(*(slice(None),) * (self.dim % z.ndim), where)]


class DiagonalScatterBackward0(Replaced):
    """The part is a diagonal of two dimensions."""

    __slots__ = ("dim1", "dim2", "offset")

    def part(self, z: Any) -> Any:
        found = z.diagonal(self.offset, self.dim1, self.dim2)
        if not isinstance(z, Variable):
            found.flags.writeable = z.flags.writeable
        return found


class AsStridedScatterBackward0(Replaced):
    """The part is given by strides. Its own gradient is right; that of x is PyTorch's: g in the part, 0 elsewhere."""

    __slots__ = ("size", "storage_offset", "stride")

    def copied(self, x: Array) -> Array:
        memory = flat_memory(x)
        return strided(memory.copy(), x.shape, steps(x), (address(x) - address(memory)) // x.itemsize)

    def part(self, z: Any) -> Any:
        if isinstance(z, Variable):
            return z.as_strided(self.size, self.stride, self.storage_offset)
        memory, start = flat_memory(z), self.storage_offset
        if start is None:
            start = (address(z) - address(memory)) // z.itemsize
        found = strided(memory, self.size, self.stride, start)
        if is_shared(found):
            raise RuntimeError(SHARED)
        return found

    def backward(self, g: Any) -> Any:
        needs = [edge[0] is not None for edge in self.next_functions]
        g = g.contiguous() if isinstance(g, Variable) else np.ascontiguousarray(g).reshape(np.shape(g))
        to_self = self._in_part(g) if needs[0] else None
        return to_self, self.part(g) if needs[1] else None

    def _in_part(self, g: Any) -> Any:
        """The gradient in the part, and zeros around it."""
        if isinstance(g, Variable):
            memory: Any = wrap(np.zeros(g._array.size, g._array.dtype))
            whole = memory.as_strided(self.shape, steps(np.empty(self.shape)), 0)
            self.part(memory).copy_(self.part(g))
            return whole
        zeros = np.zeros_like(g)
        self.part(zeros)[...] = self.part(g)
        return zeros


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """The tensor with `src` as one entry along a dimension."""
    only_tensors("select_scatter", input, src)
    input.select(dim, index)  # which says what is wrong with them
    return applyn(SelectScatterBackward0, (input, src), dim, index)


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """The tensor with `src` as some entries along a dimension."""
    only_tensors("slice_scatter", input, src)
    if not input._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return applyn(SliceScatterBackward0, (input, src), checked_dim(input, dim), end, start, step)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The tensor with `src` on a diagonal of two dimensions."""
    only_tensors("diagonal_scatter", input, src)
    first, second = checked_dim(input, dim1), checked_dim(input, dim2)
    if real_dim(input, first) == real_dim(input, second):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return applyn(DiagonalScatterBackward0, (input, src), dim1, dim2, offset)


def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The tensor with `src` where a view with this shape and these strides lies in its memory."""
    only_tensors("as_strided_scatter", input, src, names=("input", "src"))
    if input._needs and not input._array.flags.c_contiguous:
        raise RuntimeError("as_strided_scatter is currently only supported for contiguous inputs")
    return applyn(AsStridedScatterBackward0, (input, src), tuple(size), storage_offset, tuple(stride))
