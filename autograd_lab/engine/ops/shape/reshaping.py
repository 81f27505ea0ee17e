"""Ops that change a tensor's own shape: `t_`, `transpose_`, `squeeze_`, `unsqueeze_`, `as_strided_`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.apply import apply1, apply_view, edges
from autograd_lab.engine.core.node import Node, enter
from autograd_lab.engine.core.variable import wrap, wrote
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact.aliasing import AsStridedBackward0, address, flat_memory, is_view, settle
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.modes.inference import is_inference_mode_enabled
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.dims import along, checked_dim
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.ground.writing import check_write, may_write
from autograd_lab.engine.ops.shape.views import (
    SqueezeBackward0,
    SqueezeBackward2,
    SqueezeBackward4,
    TBackward0,
    TransposeBackward0,
    UnsqueezeBackward0,
    forward_only,
)

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class TBackward1(TBackward0):
    """Rows and columns exchanged in place; so is the gradient."""


class TransposeBackward1(TransposeBackward0):
    """Two dimensions exchanged in place; so is the gradient."""


class UnsqueezeBackward1(UnsqueezeBackward0):
    """A dimension of one element put in, in place; the gradient's is taken out."""


class SqueezeBackward3(SqueezeBackward0):
    """All dimensions of one element taken out in place; they are put back into the gradient."""


class SqueezeBackward5(SqueezeBackward2):
    """Some dimensions of one element taken out in place; they are put back into the gradient."""


class AsStridedBackward1(AsStridedBackward0):
    """The tensor itself comes to show its memory in another way; the gradient is put where that is, among zeros."""

    def attributes(self) -> dict[str, Any]:
        """The layout as it was asked for."""
        return {"size": self.size, "storage_offset": None, "stride": self.stride}


def _changed(name: str, cls: type[Node], target: Tensor, *args: Any) -> Tensor:
    """Have the tensor itself show its memory as an op would show it."""
    recorded = target._needs and is_grad_enabled()
    if recorded:
        check_write(target)
    before = forward.level and forward.copy_tangents(target, wrap(target._array))
    node = object.__new__(cls)
    array: Array = node.forward(target._array, *args)
    if recorded:
        node.next_functions, node._saved = edges([target]), ()
    target._array = array
    wrote(target)
    if recorded:
        enter(node, target)
        if seams.on_recorded is not None:
            seams.on_recorded(node)
        if is_view(target):  # its base is as it was
            assert target._extra is not None
            target._extra.edge, target._extra.edge_version = (node, 0), target._cell[0]
        else:
            settle(target, node, is_written=False)
    if listening.active is not None:
        if recorded:
            listening.told(node, True, (target,), (target,), in_place=True)
        else:
            listening.active.tensor_modified(target, name)
    if forward.level:
        forward.carry(node, (before,), (target,), lambda operands: (apply_view(cls, *operands, *args),))
    return target


def t_(input: Tensor) -> Tensor:
    """The tensor itself with rows and columns exchanged."""
    may_write(input)
    if input._array.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return _changed("t_", TBackward1, input)


def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """The tensor itself with two dimensions exchanged."""
    may_write(input)
    return _changed("transpose_", TransposeBackward1, input, checked_dim(input, dim0), checked_dim(input, dim1))


def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """The tensor itself with a dimension of one element put in at `dim`."""
    may_write(input)
    return _changed("unsqueeze_", UnsqueezeBackward1, input, checked_dim(input, dim, 1))


def squeeze_(input: Tensor, dim: Any = None) -> Tensor:
    """The tensor itself without dimensions of one element: all of them, or those in `dim`."""
    may_write(input)
    if dim is None:
        return _changed("squeeze_", SqueezeBackward3, input)
    if isinstance(dim, tuple | list):
        return _changed("squeeze_", SqueezeBackward5, input, along(input, dim))
    return _changed("squeeze_", SqueezeBackward4, input, checked_dim(input, dim))


def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The tensor itself showing its memory in any way."""
    return _changed("as_strided_", AsStridedBackward1, input, tuple(size), forward_only(stride), storage_offset)


class ResizeBackward(Linear):
    """The same elements in another shape, in memory of their own."""

    __slots__ = ("_from",)
    op = "resize"

    def forward(self, x: Array, sizes: tuple[int, ...]) -> Array:
        self._from = x.shape
        return np.array(x.reshape(sizes), order="C")

    def backward(self, g: Any) -> Any:
        return g.reshape(self._from)


def resized(input: Tensor, sizes: Any) -> Tensor:
    """The same elements in another shape. Raises RuntimeError unless they are as many."""
    shape, count = tuple(sizes), input._array.size
    whole = all(isinstance(one, int) for one in shape)
    if not whole or math.prod(shape) != count:
        told, times = "x".join(map(str, shape)), math.prod(shape) if whole else shape[0]
        raise RuntimeError(
            f"requested resize to {told} ({times} elements in total), but the given tensor has a size of "
            f"{'x'.join(map(str, input._array.shape))} ({count} elements). autograd's resize can only change the shape "
            "of a given tensor, while preserving the number of elements. "
        )
    return apply1(ResizeBackward, input, shape)


def resize_(input: Tensor, *size: Any) -> Tensor:
    """The tensor itself in another shape, with memory of its own if it needs more; what is new is 0."""
    if input._needs and not is_inference_mode_enabled():
        raise RuntimeError("cannot resize variables that require grad")
    if not size:
        raise TypeError('resize_() missing 1 required positional arguments: "size"')
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], tuple | list) else size
    if any(one < 0 for one in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    if shape == input._array.shape:
        return input
    input._array = in_shape(input._array, shape)
    wrote(input)
    if listening.active is not None:
        listening.active.tensor_modified(input, "resize_")
    return input


MOST = 2**63 - 1
"""As many bytes as can be counted."""


def in_shape(array: Array, shape: tuple[int, ...]) -> Array:
    """The memory from an array's first element on, in another shape: new memory only if there is too little."""
    memory, size = flat_memory(array), math.prod(shape)
    start = (address(array) - address(memory)) // array.itemsize if array.size else 0
    if size <= memory.size - start and array.size:
        return memory[start : start + size].reshape(shape)
    if size * array.itemsize > MOST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    grown = np.zeros(size, array.dtype)
    if array.size:
        grown[: memory.size - start] = memory[start:]
    return grown.reshape(shape)
