"""Tensors put together or taken apart by shape: hstack, vstack, meshgrid, tensor_split, movedim, unflatten, ..."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_view
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import all_tensors, mismatch, refuse
from autograd_lab.engine.numbers.dtypes import Size
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import checked_dim, indices_of
from autograd_lab.engine.ops.shape.joining import cat, stack
from autograd_lab.engine.ops.shape.shapes import inferred, sizes
from autograd_lab.engine.ops.shape.slicing import narrow_slice
from autograd_lab.engine.ops.shape.views import (
    AliasBackward0,
    expand,
    flatten,
    permute,
    reshape,
    transpose,
    unsqueeze,
    view,
)

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "adjoint", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_shapes", "broadcast_tensors", "cartesian_prod",
    "column_stack", "dsplit", "dstack", "hsplit", "hstack", "meshgrid", "moveaxis", "movedim",
    "row_stack", "tensor_split", "unflatten", "vsplit", "vstack",
]  # fmt: skip

Tensors = Sequence[Any]
INDEXING = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."


def _each(function: Any, tensors: Tensors) -> Any:
    """A function of one tensor for several: those passed one by one, or as one sequence."""
    if len(tensors) == 1:
        only = tensors[0]
        return tuple(function(one) for one in only) if isinstance(only, tuple | list) else function(only)
    return tuple(function(one) for one in tensors)


@composed
def atleast_1d(*tensors: Any) -> Any:
    """Tensors with one dimension, if they have none."""
    return _each(lambda x: x if x._array.ndim else reshape(x, (1,)), tensors)


def _at_least_2d(x: Tensor) -> Tensor:
    return x if x._array.ndim > 1 else unsqueeze(x, 0) if x._array.ndim else reshape(x, (1, 1))


def _at_least_3d(x: Tensor) -> Tensor:
    ndim = x._array.ndim
    if ndim == 1:
        return unsqueeze(unsqueeze(x, 0), -1)
    return x if ndim > 2 else unsqueeze(x, -1) if ndim else reshape(x, (1, 1, 1))


@composed
def atleast_2d(*tensors: Any) -> Any:
    """Tensors with two dimensions, if they have fewer."""
    return _each(_at_least_2d, tensors)


@composed
def atleast_3d(*tensors: Any) -> Any:
    """Tensors with three dimensions, if they have fewer."""
    return _each(_at_least_3d, tensors)


def _some(name: str, tensors: Tensors) -> Tensors:
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


@composed
def hstack(tensors: Tensors) -> Tensor:
    """Tensors one after another along the second dimension, or the first of vectors."""
    lifted = [atleast_1d(one) for one in _some("hstack", tensors)]
    return cat(lifted, 0 if lifted[0]._array.ndim == 1 else 1)


@composed
def vstack(tensors: Tensors) -> Tensor:
    """Tensors one below another; vectors are rows."""
    return cat([_at_least_2d(one) for one in _some("vstack", tensors)], 0)


row_stack = vstack


@composed
def dstack(tensors: Tensors) -> Tensor:
    """Tensors one behind another, along the third dimension."""
    return cat([_at_least_3d(one) for one in _some("dstack", tensors)], 2)


@composed
def column_stack(tensors: Tensors) -> Tensor:
    """Tensors side by side; vectors are columns."""
    columns = [one if one._array.ndim > 1 else reshape(one, (one._array.size, 1)) for one in tensors]
    return hstack(_some("column_stack", columns))


@composed
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Tensors expanded to the one shape that they have together."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    all_tensors(given)
    shape: tuple[int, ...] = ()
    for one in given:
        refuse(mismatch(shape, one._array.shape))
        shape = np.broadcast_shapes(shape, one._array.shape)
    return tuple(one if one._array.shape == shape else expand(one, shape) for one in given)


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that all these broadcast to."""
    found: list[int] = []
    for at, shape in enumerate(shapes):
        if shape is None:
            continue
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        found = [1] * (len(shape) - len(found)) + found
        for back in range(1, len(shape) + 1):
            if shape[-back] not in (1, found[-back]):
                if found[-back] != 1:
                    raise RuntimeError(
                        f"Attempting to broadcast a dimension of length {shape[-back]} at -{back}! Mismatching "
                        f"argument at index {at} had {shape}; but expected shape should be broadcastable to {found}"
                    )
                if shape[-back] < 0:
                    raise ValueError("Attempting to broadcast a dimension with negative length!")
                found[-back] = shape[-back]
    return Size(found)


@composed
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """The coordinates of all points of a grid, one tensor for each axis."""
    axes = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    if indexing is None:
        warn_once(INDEXING)
    if not axes:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    all_tensors(axes)
    if any(one._array.dtype != axes[0]._array.dtype for one in axes):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    for one in axes:
        if one._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {one}")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    turned = indexing == "xy" and len(axes) > 1
    order = [axes[1], axes[0], *axes[2:]] if turned else list(axes)
    shape = tuple(one._array.size for one in order)
    grids = []
    for at, one in enumerate(order):
        own = (1,) * at + (one._array.size,) + (1,) * (len(order) - at - 1)
        grids.append(expand(view(one, own), shape))
    return (grids[1], grids[0], *grids[2:]) if turned else tuple(grids)


@composed
def cartesian_prod(*tensors: Any) -> Tensor:
    """All tuples of one element of each vector, a row each."""
    for one in tensors:
        if one._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(one._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([flatten(grid) for grid in meshgrid(*tensors, indexing="ij")], 1)


@composed
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts along `dim`: so many of nearly one length, or cut at the positions given."""
    if not input._array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = checked_dim(input, dim) % input._array.ndim
    size = input._array.shape[dim]
    given = indices_or_sections
    cuts = _listed(given) if isinstance(given, Variable) else given
    if isinstance(cuts, int):
        if cuts <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {cuts}")
        long, rest = divmod(size, cuts)
        ends = [at * long + min(at, rest) for at in range(cuts + 1)]
    else:
        ends = [0, *(min(cut + size if cut < 0 else cut, size) for cut in cuts), size]
    return tuple(narrow_slice(input, dim, start, max(start, end)) for start, end in pairwise(ends))


def _listed(cuts: Any) -> Any:
    """The cuts, or how many parts there are, from a tensor. Raises RuntimeError for one of another kind."""
    expected, ndim = "tensor_split expected tensor_indices_or_sections to", cuts._array.ndim
    if cuts._array.dtype != np.int64:
        raise RuntimeError(f"{expected} have dtype of long, but got {cuts.dtype.title}")
    if ndim > 1:
        raise RuntimeError(
            f"{expected} be a zero-dimensional or one-dimensional tensor, but got a tensor with {ndim} dims"
        )
    return cuts.tolist()


def _split_along(name: str, input: Tensor, given: Any, dim: int, least: int) -> tuple[Any, ...]:
    if input._array.ndim < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
            f"{input._array.ndim} dimensions!"
        )
    size = input._array.shape[dim]
    if isinstance(given, int) and size % given:
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {size} is not "
            f"divisible by the split_size {given}!"
        )
    return tensor_split(input, given, dim)


@composed
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Any, ...]:
    """Parts along the second dimension, or the first of a vector."""
    return _split_along("hsplit", input, indices_or_sections, min(1, max(input._array.ndim - 1, 0)), 1)


@composed
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Any, ...]:
    """Parts along the first dimension."""
    return _split_along("vsplit", input, indices_or_sections, 0, 2)


@composed
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Any, ...]:
    """Parts along the third dimension."""
    return _split_along("dsplit", input, indices_or_sections, 2, 3)


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Some dimensions moved to other places, the others kept in order."""
    first = [source] if isinstance(source, int) else list(source)
    second = [destination] if isinstance(destination, int) else list(destination)
    if len(first) != len(second):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({first} dims) should contain the same number of "
            f"dims as destination ({second} dims)"
        )
    ndim = input._array.ndim
    froms, tos = ([checked_dim(input, one) % max(ndim, 1) for one in dims] for dims in (first, second))
    for name, dims, given in (("source", froms, first), ("destination", tos, second)):
        if len(set(dims)) < len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({given})")
    if not ndim:
        return aliased(input)
    rest = iter(dim for dim in range(ndim) if dim not in froms)
    places = dict(zip(tos, froms, strict=True))
    return permute(input, [places[at] if at in places else next(rest) for at in range(ndim)])


def aliased(input: Tensor) -> Tensor:
    """Another tensor of the same elements, in the same memory and shape."""
    return apply_view(AliasBackward0, input)


moveaxis = movedim


@composed
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One dimension made into several; -1 stands for whatever is left."""
    shape, into = input._array.shape, indices_of(sizes)
    dim = checked_dim(input, dim) % max(len(shape), 1)
    if not into:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape or into.count(-1) > 1:
        raise RuntimeError("unflatten got an unexpected error:")
    known = math.prod(size for size in into if size != -1)
    fits = known == shape[dim] if -1 not in into else known and shape[dim] % known == 0
    if not fits:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(into)} don't multiply up to the size of dim {dim} ({shape[dim]}) in the "
            "input tensor"
        )
    return view(input, (*shape[:dim], *inferred(into, shape[dim]), *shape[dim + 1 :]))


def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged: the adjoint of a real matrix."""
    if input._array.ndim == 1:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return transpose(input, -2, -1)


def sum_to_size(input: Tensor, *shaped: Any, size: Any = None) -> Tensor:
    """Sums along the dimensions in which `size` has one element, so that the result has that shape."""
    target, shape = sizes(shaped, "sum_to_size", "size", size), input._array.shape
    new = len(shape) - len(target)
    if new < 0 or any(want not in (1, have) for want, have in zip(target, shape[max(new, 0) :], strict=False)):
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(shape)}}}.")
    dims = [*range(new), *(d for d in range(new, len(shape)) if target[d - new] == 1 != shape[d])]
    if not dims:
        return input
    out = input.sum(dims, True)
    return view(out, target) if new else out
