"""Ops that change whole slices, or some elements: index_add, index_copy, index_fill, put, masked_scatter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, is_tensor, wrap
from autograd_lab.engine.errors.operands import mismatch, only_number, refuse
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.exact.aliasing import SHARED, is_shared
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, fitted
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import checked_dim, real_dim
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.ground.writing import check_places
from autograd_lab.engine.ops.index.gathering import check_flat, index_select
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.ops.shape.views import expand

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["index_add", "index_copy", "index_fill", "masked_scatter", "put"]


def slices(x: Array, dim: int) -> Array:
    """The slices along a dimension, which comes first: a view of the same memory."""
    return np.moveaxis(x, dim, 0) if x.ndim else x.reshape(1)


def chosen_slices(g: Any, dim: int, index: Any) -> Any:
    """The slices at the positions."""
    if isinstance(g, Variable):
        return g.index_select(dim, index)
    if not g.size:
        index_select(wrap(g), dim, wrap(np.reshape(index, (-1,))))  # nobody has looked where they are
    return np.take(g, np.reshape(index, (-1,)), dim) if g.ndim else g


class IndexAddBackward0(Linear):
    """z is x with slices of `source`, times alpha, added at positions: dz/dx = 1 and dz/dsource = alpha."""

    inputs = ("self", "source", "index")
    saves = ("index", "source")
    only_for = (("index", 1), ("source", 1))
    differentiable = 2
    mixes = False
    __slots__ = ("alpha", "dim", "source_dim")

    def forward(self, x: Array, source: Array, index: Array, dim: int, alpha: Any) -> Array:
        self.dim, self.alpha, self.source_dim = dim, alpha, source.ndim
        z = x.copy()
        part = source if alpha == 1 else source * x.dtype.type(fitted(alpha, x.dtype))
        if z.size:
            np.add.at(slices(z, dim), index.reshape(-1), slices(part, dim))
        return z

    def backward(self, g: Any, index: Any, source: Any) -> Any:
        if index is None:
            return g, None
        part = formulas.expanded(chosen_slices(g, self.dim, index), source.shape)
        return g, part if self.alpha == 1 else formulas.times(part, self.alpha)


class IndexCopyBackward0(Linear):
    """z is x with slices of `source` at positions, where dz/dx = 0; elsewhere dz/dx = 1."""

    inputs = ("self", "source", "index")
    saves = ("index", "source")
    only_for = (("source", 1),)
    differentiable = 2
    mixes = False
    __slots__ = ("dim", "source_dim")

    def forward(self, x: Array, source: Array, index: Array, dim: int) -> Array:
        self.dim, self.source_dim = dim, source.ndim
        z = x.copy()
        if z.size:
            slices(z, dim)[index.reshape(-1)] = slices(source, dim)
        return z

    def backward(self, g: Any, index: Any, source: Any) -> Any:
        needs = self.next_functions
        return (
            None if needs[0][0] is None else cleared_slices(g, self.dim, index),
            None if source is None else formulas.expanded(chosen_slices(g, self.dim, index), source.shape),
        )


def cleared_slices(g: Any, dim: int, index: Any) -> Any:
    """The gradient with 0 in the slices at the positions."""
    if is_tensor(g):
        return index_fill(g, dim, index, 0)
    whole = np.array(g)
    if whole.size:
        slices(whole, dim)[np.reshape(index, (-1,))] = 0
    return whole


def _each_once(index: Any) -> Any:
    """The positions without repetitions: what is filled twice is filled all the same."""
    return wrap(np.unique(index._array)) if isinstance(index, Variable) else np.unique(index)


class IndexFillBackward0(Node):
    """z is x with a number in the slices at positions, where dz/dx = 0; elsewhere dz/dx = 1."""

    inputs = ("self", "index")
    saves = ("index",)
    differentiable = 1
    mixes = False
    __slots__ = ("dim",)
    tangent = "filled"

    def forward(self, x: Array, index: Array, dim: int, value: Any) -> Array:
        self.dim = dim
        z = x.copy()
        if z.size:
            slices(z, dim)[index.reshape(-1)] = fitted(value, x.dtype)
        return z

    def backward(self, g: Any, index: Any) -> Any:
        return cleared_slices(g, self.dim, index)


class IndexFillBackward1(Node):
    """z is x with a 0-d tensor's value in the slices at positions; the sum of their gradients goes to it."""

    inputs = ("self", "value", "index")
    saves = ("index",)
    differentiable = 2
    mixes = False
    __slots__ = ("dim",)
    tangent = "filled"

    def forward(self, x: Array, value: Array, index: Array, dim: int) -> Array:
        self.dim = dim
        z = x.copy()
        if z.size:
            slices(z, dim)[index.reshape(-1)] = fitted(value, x.dtype)
        return z

    def backward(self, g: Any, index: Any) -> Any:
        needs = self.next_functions
        return (
            None if needs[0][0] is None else cleared_slices(g, self.dim, index),
            None if needs[1][0] is None else chosen_slices(g, self.dim, _each_once(index)).sum(),
        )


def check_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, written: bool = False, op: str = "index_add_"
) -> int:
    """The dimension. Raises the error of PyTorch if `index_add` cannot do with these."""
    dim, at = checked_dim(input, dim), index._array
    if at.dtype.kind != "i" or at.dtype.itemsize < 4:
        kind = BY_NUMPY[at.dtype].title
        raise RuntimeError(f"{op}(): Expected dtype int32/int64 for index but got: {kind}")
    if at.ndim > 1:
        raise IndexError(
            f"{op}(): Index is supposed to be a vector, but got dim: {at.ndim} with type: "
            f"{BY_NUMPY[at.dtype].title} and size: {list(at.shape)}"
        )
    if input._array.dtype != source._array.dtype:
        have, want = BY_NUMPY[input._array.dtype].title, BY_NUMPY[source._array.dtype].title
        raise RuntimeError(f"{op}(): self ({have}) and source ({want}) must have the same scalar type")
    x, y, place = input._array.shape, source._array.shape, real_dim(input, dim)
    if place and place >= len(y):
        raise RuntimeError(f"{op}(): Indexing dim {place} is out of bounds of the source tensor with dim {len(y)}")
    if not y and at.size != 1:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if y and at.size != (length := y[place]):
        raise RuntimeError(
            f"{op}(): Number of indices ({at.size}) should be equal to source.size(dim): ({length}), for dim: {place}"
        )
    if y[:place] + y[place + 1 :] != x[:place] + x[place + 1 :] or bool(x) != bool(y):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(x)} source.shape = {list(y)}"
        )
    if written:
        check_places(input, source, index)
    if len(x) < 2 and ((at < 0) | (at >= length_of(input._array, dim))).any():
        raise IndexError("index out of range in self")
    if input._array.size:
        _check_positions(input._array, dim, at, RuntimeError)
    return dim


def length_of(x: Array, dim: int) -> int:
    """How many slices there are along a dimension; a 0-d array is one."""
    return x.shape[dim] if x.ndim else 1


def _check_positions(x: Array, dim: int, index: Array, error: type[Exception], lowest: int = 0, op: str = "") -> None:
    size, place = length_of(x, dim), dim % max(x.ndim, 1)
    bad = index[(index < lowest) | (index >= size)]
    if bad.size and 0 not in x.shape[:place] + x.shape[place + 1 :]:
        raise error(f"{op}index {bad.flat[0]} is out of bounds for dimension {place} with size {size}")


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """The tensor with the slices of `source`, times `alpha`, added at the positions `index` along `dim`."""
    return applyn(IndexAddBackward0, (input, source, index), check_add(input, dim, index, source), alpha)


def check_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, written: bool = False) -> int:
    """The dimension. Raises the error of PyTorch if `index_copy` cannot do with these."""
    dim, at = checked_dim(input, dim), index._array
    _check_dimensions(len(input._array.shape), len(source._array.shape), at)
    if input._array.dtype != source._array.dtype:
        have, want = BY_NUMPY[input._array.dtype].title, BY_NUMPY[source._array.dtype].title
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {have} and (source) {want}"
        )
    _check_slices(input._array.shape, source._array.shape, real_dim(input, dim), at)
    if written:
        check_places(input, source, index)
    _check_positions(input._array, dim, at, IndexError, 0, "index_copy_(): ")
    return dim


def _check_dimensions(x: int, y: int, index: Array) -> None:
    """Raise the error of PyTorch if a tensor of y dimensions has no slices for one of x dimensions."""
    if not y and index.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.size})")
    if x != y and x and y:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({y}), destination dimensionality ({x})"
        )


def _check_slices(x: tuple[int, ...], y: tuple[int, ...], place: int, index: Array) -> None:
    """Raise the error of PyTorch if the slices of one shape cannot be put among those of another."""
    mine, others = x[:place] + x[place + 1 :], y[:place] + y[place + 1 :]
    if mine != others:
        shapes = [" ".join(map(str, shape)) for shape in (mine, others)]
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{shapes[0]} at dimension {place} and source slice shape: {shapes[1]} at dimension 0."
        )
    length = y[place] if y else 1
    if index.size != length:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({length})"
        )


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The tensor with the slices of `source` at the positions `index` along `dim`."""
    if autocast.used:
        input, source = autocast.promoted((input, source))
    return applyn(IndexCopyBackward0, (input, source, index), check_copy(input, dim, index, source))


def filling(input: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    """The op that `index_fill` is for these arguments, its operands and its plain arguments."""
    dim, at = checked_dim(input, dim), index._array
    if at.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if isinstance(value, Variable) and value._array.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} "
            "dimension(s)."
        )
    if at.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    _check_positions(input._array, dim, at, IndexError, -length_of(input._array, dim))
    if not isinstance(value, Variable):
        only_number(value)
        return IndexFillBackward0, (input, index), dim, value
    return IndexFillBackward1, (input, value, index), dim


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The tensor with one number in the slices at the positions `index` along `dim`."""
    cls, tensors, *args = filling(input, dim, index, value)
    return applyn(cls, tensors, *args)


class PutBackward0(Linear):
    """z is x with the elements of `source` at positions of the flattened tensor, or added there."""

    inputs = ("self", "source", "index")
    saves = ("index", "source")
    only_for = (("source", 1),)
    differentiable = 2
    mixes = False
    __slots__ = ("accumulate",)

    def forward(self, x: Array, source: Array, index: Array, accumulate: bool) -> Array:
        self.accumulate = accumulate
        z = np.array(x, order="C")
        if accumulate:
            np.add.at(z.reshape(-1), index.reshape(-1), source.reshape(-1))
        else:
            z.reshape(-1)[index.reshape(-1)] = source.reshape(-1)
        return z

    def backward(self, g: Any, index: Any, source: Any) -> Any:
        to_source = None
        if source is not None:
            to_source = g.take(index) if isinstance(g, Variable) else g.reshape(-1)[index]
            to_source = to_source.reshape(source.shape)
        if self.accumulate or self.next_functions[0][0] is None:
            return g, to_source
        if is_tensor(g):
            return put(g, index, formulas.blank(index.shape, g)), to_source
        kept = np.array(g, order="C")
        kept.reshape(-1)[np.reshape(index, (-1,))] = 0
        return kept, to_source


def check_put(input: Tensor, index: Tensor, source: Tensor) -> None:
    """Raise the error of PyTorch if `put` cannot do with these."""
    if index._array.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype.title}")
    if input._array.dtype is not source._array.dtype:
        have, got = (BY_NUMPY[one._array.dtype].title for one in (input, source))
        told = f"but got self.dtype = {have} and source.dtype = {got}"
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, {told}")
    if index._array.size != source._array.size:
        raise IndexError(
            f"put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._array.size}, index.numel() = {index._array.size}"
        )
    check_flat(index._array, input._array.size, "put_(): Tried to put elements into an empty tensor")


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The tensor with the elements of `source` at positions of the flattened tensor, or added there."""
    check_put(input, index, source)
    return applyn(PutBackward0, (input, source, index), accumulate)


class MaskedScatterBackward0(Linear):
    """z is x with the elements of `source`, one after another, where a mask holds; each gets its own gradient."""

    inputs = ("self", "source", "mask")
    saves = ("mask",)
    differentiable = 2
    mixes = False
    __slots__ = ("source_sym_sizes",)

    def forward(self, x: Array, source: Array, mask: Array) -> Array:
        self.source_sym_sizes = source.shape
        shape = np.broadcast_shapes(x.shape, mask.shape)
        z, mask = np.array(np.broadcast_to(x, shape)), np.broadcast_to(mask, shape)
        z[mask] = source.reshape(-1)[: np.count_nonzero(mask)]
        return z

    def backward(self, g: Any, mask: Any) -> Any:
        needs, shape = self.next_functions, self.source_sym_sizes
        to_source = None
        if needs[1][0] is not None:
            where = mask.expand(g.shape) if isinstance(g, Variable) else np.broadcast_to(mask, g.shape)
            to_source = filled_up(g[where], shape)
        return None if needs[0][0] is None else formulas.drop_if(mask, g), to_source


def filled_up(flat: Any, shape: tuple[int, ...]) -> Any:
    """A row of elements, followed by as many zeros as the shape has room for, in that shape."""
    size = int(np.prod(shape)) - flat.shape[0]
    if size and is_tensor(flat):
        flat = cat([flat, formulas.blank((size,), flat)])
    elif size:
        flat = np.concatenate([flat, np.zeros(size, flat.dtype)])
    return flat.reshape(shape)


def check_masked(input: Tensor, mask: Tensor, source: Tensor, written: bool = False) -> None:
    """Raise the error of PyTorch if `masked_scatter` cannot do with these."""
    if written:
        expand(mask, input._array.shape)
        if is_shared(input._array):
            raise RuntimeError(SHARED)
    else:
        refuse(mismatch(mask._array.shape, input._array.shape))
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{input.dtype.title} and {source.dtype.title}"
        )
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype.title}")
    wanted = np.broadcast_to(mask._array, np.broadcast_shapes(mask._array.shape, input._array.shape))
    if source._array.size < np.count_nonzero(wanted):
        raise RuntimeError("Number of elements of source < number of ones in mask")


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The tensor with the elements of `source`, one after another, where the mask holds."""
    check_masked(input, mask, source)
    return applyn(MaskedScatterBackward0, (input, source, mask))
