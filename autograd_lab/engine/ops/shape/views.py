"""Ops that show the same memory in another shape: views. And `reshape` and `contiguous`, which copy where they must."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_view, view_of
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact.aliasing import AsStridedBackward0, expanded
from autograd_lab.engine.exact.mapping import hand_on
from autograd_lab.engine.modes.inference import InferenceCell, is_inference
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import channels_last
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.copying import clone, in_order
from autograd_lab.engine.ops.ground.dims import checked_dim, lies_by_pixels
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.shape.shapes import Shape, inferred, not_a_shape, sizes

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "as_strided", "broadcast_to", "flatten", "permute", "ravel", "reshape", "squeeze", "swapaxes", "swapdims", "t",
    "transpose", "unsqueeze",
]  # fmt: skip


class View(Linear):
    """An op whose result is a view of its input: the gradient is brought back into the input's shape."""

    __slots__ = ("self_sym_sizes",)

    def put_back(self, g: Any, dims: Iterable[int]) -> Any:
        """A gradient with those dimensions of one element that were taken out."""
        shape = self.self_sym_sizes
        gone = tuple(dim % len(shape) for dim in dims if shape and shape[dim] == 1)
        return formulas.unsqueezed(g, gone, len(shape), False)


class ViewBackward0(View):
    """The same elements in the same order, in another shape; the gradient is shaped back."""

    def forward(self, x: Array, shape: Shape) -> Array:
        self.self_sym_sizes = x.shape
        return x.reshape(shape, copy=False)

    def backward(self, g: Any) -> Any:
        return g.reshape(self.self_sym_sizes)


class ReshapeAliasBackward0(ViewBackward0):
    """The same elements in another shape, which lie in memory in another order; the gradient is shaped back."""


class UnsafeViewBackward0(ViewBackward0):
    """The same elements in another shape, where nobody else holds the memory."""

    def forward(self, x: Array, shape: Shape) -> Array:
        self.self_sym_sizes = x.shape
        return x.reshape(shape)


class AliasBackward0(Linear):
    """The same elements in the same shape."""

    def forward(self, x: Array) -> Array:
        return x[...]

    def backward(self, g: Any) -> Any:
        return g


class TBackward0(Linear):
    """Rows and columns exchanged; so is the gradient."""

    def forward(self, x: Array) -> Array:
        return x.T

    def backward(self, g: Any) -> Any:
        return formulas.transposed(g)


class TransposeBackward0(Linear):
    """Two dimensions exchanged; so is the gradient."""

    __slots__ = ("dim0", "dim1")

    def forward(self, x: Array, dim0: int, dim1: int) -> Array:
        self.dim0, self.dim1 = dim0, dim1
        return x.swapaxes(dim0, dim1) if x.ndim else x[...]

    def backward(self, g: Any) -> Any:
        return formulas.swapped(g, self.dim0, self.dim1)


class PermuteBackward0(Linear):
    """The dimensions in another order; the gradient's are put back."""

    __slots__ = ("dims",)

    def forward(self, x: Array, dims: Shape) -> Array:
        self.dims = dims
        return x.transpose(dims)

    def backward(self, g: Any) -> Any:
        back = sorted(range(g.ndim), key=lambda dim: self.dims[dim] % g.ndim)
        return formulas.permuted(g, tuple(back))


class ExpandBackward0(View):
    """Elements repeated along new or one-element dimensions; their gradients add up."""

    def forward(self, x: Array, shape: Shape) -> Array:
        self.self_sym_sizes = x.shape
        return expanded(x, shape)

    def backward(self, g: Any) -> Any:
        if not self.self_sym_sizes and isinstance(g, Variable):
            return g.sum()  # also of a number, as in PyTorch
        return formulas.sum_to(g, self.self_sym_sizes) if g.shape != self.self_sym_sizes else g


def _with_one(x: Array, dim: int) -> Array:
    """A dimension of one element put in, which steps over all that is behind it."""
    step = x.shape[dim] * x.strides[dim] if dim < x.ndim else x.itemsize
    shape, strides = (*x.shape[:dim], 1, *x.shape[dim:]), (*x.strides[:dim], step, *x.strides[dim:])
    return np.lib.stride_tricks.as_strided(x, shape, strides)


class UnsqueezeBackward0(Linear):
    """A dimension of one element put in; the gradient's is taken out."""

    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        return np.expand_dims(x, dim) if x.flags.c_contiguous else _with_one(x, dim % (x.ndim + 1))

    def backward(self, g: Any) -> Any:
        return g.squeeze(self.dim)


class SqueezeBackward0(View):
    """All dimensions of one element taken out; they are put back into the gradient."""

    def forward(self, x: Array) -> Array:
        self.self_sym_sizes = x.shape
        return x.squeeze()

    def backward(self, g: Any) -> Any:
        return self.put_back(g, range(len(self.self_sym_sizes)))


class SqueezeBackward1(Linear):
    """A dimension taken out, if it has one element; it is put back into the gradient."""

    __slots__ = ("dim", "self_sym_sizes")

    def forward(self, x: Array, dim: int) -> Array:
        self.dim, self.self_sym_sizes = dim, x.shape
        return x.squeeze(dim) if x.ndim and x.shape[dim] == 1 else x[...]

    def backward(self, g: Any) -> Any:
        ndim = len(self.self_sym_sizes)
        return formulas.unsqueezed(g, (self.dim % max(ndim, 1),), ndim, keepdim=g.ndim == ndim)


class SqueezeBackward2(View):
    """Dimensions taken out, where they have one element; they are put back into the gradient."""

    __slots__ = ("dim",)

    def forward(self, x: Array, dims: Shape) -> Array:
        self.dim, self.self_sym_sizes = dims, x.shape
        gone = {dim % max(x.ndim, 1) for dim in dims if x.ndim and x.shape[dim] == 1}
        return x.reshape([size for at, size in enumerate(x.shape) if at not in gone], copy=False) if gone else x[...]

    def backward(self, g: Any) -> Any:
        return self.put_back(g, self.dim)


class SqueezeBackward4(SqueezeBackward1):
    """As SqueezeBackward1, on a tensor that nobody else holds."""


def view(input: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """The same memory in another shape; -1 is whatever is left. Raises RuntimeError if only a copy could have it."""
    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], dtypes.dtype)):
        return _other_elements(input, (dtype or shape[0]).numpy)
    if not shape and size is None:
        raise TypeError(not_a_shape(()))
    target = inferred(sizes(shape, "view", "size", size), input._array.size, input)
    try:
        return apply_view(ViewBackward0, input, target)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None


def _other_elements(input: Tensor, kind: Any) -> Tensor:
    """The same bytes as elements of another dtype."""
    x = input._array
    told = f"to view {BY_NUMPY[x.dtype].title} as {BY_NUMPY[kind].title} (different element sizes)"
    if x.itemsize != kind.itemsize and (not x.ndim or x.strides[-1] != x.itemsize):
        raise RuntimeError(f"self.stride(-1) must be 1 {told}")
    if x.itemsize < kind.itemsize and x.shape[-1] * x.itemsize % kind.itemsize:
        many = kind.itemsize // x.itemsize
        raise RuntimeError(f"self.size(-1) must be divisible by {many} {told}, but got {x.shape[-1]}")
    out = hand_on(view_of(input, x.view(kind)), input)
    out._needs = out._needs and kind.kind in "fV" and kind == x.dtype
    return out


def reshape(input: Tensor, *sized: Any, shape: Any = None) -> Tensor:
    """The same elements in another shape, in the same memory if that can be."""
    target = inferred(sizes(sized, "reshape", "shape", shape), input._array.size, input)
    cls = ViewBackward0 if input._array.flags.c_contiguous else ReshapeAliasBackward0
    try:
        return apply_view(cls, input, target)
    except ValueError:
        return unsafe_view(in_order(input), target)


def unsafe_view(input: Tensor, shape: Shape) -> Tensor:
    """A new shape for a tensor that was just made and that nobody else holds, so that the result counts as no view."""
    out = apply1(UnsafeViewBackward0, input, shape)
    if is_inference(input):  # it is the same memory
        out._cell = InferenceCell([0])
    return out


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """The same memory in the shape of `other`."""
    return view(input, other.shape)


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """The same elements in the shape of `other`."""
    return reshape(input, other.shape)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made into one."""
    shape, ndim = input._array.shape, input._array.ndim
    first, last = checked_dim(input, start_dim) % max(ndim, 1), checked_dim(input, end_dim) % max(ndim, 1)
    if not ndim:
        return reshape(input, (1,))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return input
    return reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return view(contiguous(input), (-1,))


def t(input: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged."""
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return apply_view(TBackward0, input)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    return apply_view(TransposeBackward0, input, checked_dim(input, dim0), checked_dim(input, dim1))


def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """The dimensions in the order `dims`."""
    order, ndim = sizes(order, "permute", "dims", dims), input._array.ndim
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    if len({checked_dim(input, dim) % ndim for dim in order}) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return apply_view(PermuteBackward0, input, order)


def expand(input: Tensor, *shape: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """Elements repeated, in the same memory, along dimensions of one element and new ones in front; -1 keeps a size."""
    target, own = sizes(shape, "expand", "size", size), input._array.shape
    check_expand(input, target)
    new = len(target) - len(own)
    result = tuple(own[at - new] if size == -1 else size for at, size in enumerate(target))
    if min(result, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return apply_view(ExpandBackward0, input, result)


def check_expand(input: Tensor, target: Shape) -> None:
    """Raise RuntimeError unless the tensor can be expanded to a shape."""
    own = input._array.shape
    new = len(target) - len(own)
    if new < 0:
        kind = input._array.dtype
        name = "CPUBoolType" if kind.kind == "b" else f"torch.{BY_NUMPY[kind].title}Tensor"
        raise RuntimeError(
            f"expand({name}{{{list(own)}}}, size={list(target)}): the number of sizes provided "
            f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(own)})"
        )
    for at, size in reversed([*enumerate(target)]):
        if at < new and size == -1:
            raise RuntimeError(
                f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {at}"
            )
        if at >= new and size not in (-1, own[at - new]) and own[at - new] != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({own[at - new]}) at "
                f"non-singleton dimension {at}.  Target sizes: {list(target)}.  Tensor sizes: {list(own)}"
            )


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Expanded to the shape of `other`."""
    return expand(input, other.shape)


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A dimension of one element put in at `dim`."""
    return apply_view(UnsqueezeBackward0, input, checked_dim(input, dim, 1))


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Dimensions of one element taken out: all of them, or those in `dim` that have one."""
    if dim is None:
        return apply_view(SqueezeBackward0, input)
    if isinstance(dim, tuple | list):
        dims = tuple(checked_dim(input, one) for one in dim)
        for one in dims:
            if sum((one - other) % max(input._array.ndim, 1) == 0 for other in dims) > 1:
                raise RuntimeError(f"dim {one} appears multiple times in the list of dims")
        return apply_view(SqueezeBackward2, input, dims)
    return apply_view(SqueezeBackward1, input, checked_dim(input, dim))


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The memory seen in any way: so many elements along each dimension, each so far from the one before."""
    return apply_view(AsStridedBackward0, input, tuple(size), forward_only(stride), storage_offset)


def forward_only(stride: Any) -> tuple[int, ...]:
    """How far elements are apart. Raises RuntimeError for steps back."""
    if any(step < 0 for step in stride):
        steps = list(stride)
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {steps}")
    return tuple(stride)


def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself if its elements lie in memory in their order, else a copy of which that is true."""
    if memory_format is channels_last:
        return input if lies_by_pixels(input._array) else clone(input, memory_format=memory_format)
    return input if input._array.flags.c_contiguous else in_order(input)


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Two dimensions exchanged."""
    return transpose(input, axis0, axis1)


broadcast_to, swapdims = expand, transpose
