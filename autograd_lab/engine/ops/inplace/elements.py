"""Ops that write to some elements of a tensor, or along a dimension: `scatter_`, `index_add_`, `cumsum_`, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_lab.engine.numbers.dtypes import of_kind
from autograd_lab.engine.ops.ground.dims import checked_dim
from autograd_lab.engine.ops.ground.writing import change, check_apart, check_places, may_write
from autograd_lab.engine.ops.index import scattering, slices
from autograd_lab.engine.ops.reduction import cumulative
from autograd_lab.engine.ops.shape import diagonals

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def cumsum_(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The elements become running totals along `dim`."""
    may_write(input)
    dim = checked_dim(input, dim)
    if input._array.ndim and input._array.size:
        of_kind("uifV", input._array, "cumsum_out_cpu")
    kind = (None if input._array.ndim and input._array.size else input._array.dtype) if dtype is None else dtype.numpy
    return change("cumsum_", cumulative.CumsumBackward0, input, (), dim, kind)


def cumprod_(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The elements become running products along `dim`."""
    may_write(input)
    dim = checked_dim(input, dim)
    if input._array.ndim and input._array.size:
        of_kind("uifV", input._array, "cumprod_out_cpu")
    kind = (None if input._array.ndim and input._array.size else input._array.dtype) if dtype is None else dtype.numpy
    return change("cumprod_", cumulative.CumprodBackward0, input, (), dim, kind)


def tril_(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements above a diagonal become 0."""
    return change("tril_", diagonals.TrilBackward0, input, (), diagonal)


def triu_(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements below a diagonal become 0."""
    return change("triu_", diagonals.TriuBackward0, input, (), diagonal)


def scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """The elements of `src`, or one number, are put to the positions `index` along `dim`."""
    may_write(input, src)
    source = value if src is None else src
    cls, (_, *others), *args = scattering.scattering(input, dim, index, source, reduce, written=True)
    return change("scatter_", cls, input, others, *args)


def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The elements of `src` are added at the positions `index` along `dim`."""
    may_write(input, src)
    dim = scattering.check_scatter(input, dim, index, scattering.need_source(src), written=True)
    return change("scatter_add_", scattering.ScatterAddBackward0, input, (src, index), dim)


def scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """What is put to each position along `dim` (and was there) becomes one: sum, prod, mean, amax or amin."""
    may_write(input, src)
    dim = scattering.check_reduce(input, dim, index, src, reduce, written=True)
    cls = scattering.ScatterReduceBackward0
    return change("scatter_reduce_", cls, input, (src, index), dim, reduce, include_self)


def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """The slices of `source`, times `alpha`, are added at the positions `index` along `dim`."""
    may_write(input, source)
    dim = slices.check_add(input, dim, index, source, written=True)
    return change("index_add_", slices.IndexAddBackward0, input, (source, index), dim, alpha)


def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The slices at the positions `index` along `dim` become those of `source`."""
    may_write(input, source)
    dim = slices.check_copy(input, dim, index, source, written=True)
    return change("index_copy_", slices.IndexCopyBackward0, input, (source, index), dim)


def index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The elements of the slices at the positions `index` along `dim` become one value."""
    may_write(input, value)
    cls, (_, *others), *args = slices.filling(input, dim, index, value)
    check_apart(input, index)
    return change("index_fill_", cls, input, others, *args)


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The elements of `source` are put to positions of the flattened tensor, or added there."""
    slices.check_put(input, index, source)
    check_places(input, source, index)
    return change("put_", slices.PutBackward0, input, (source, index), accumulate)


def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of `source`, one after another, are put where the mask holds."""
    may_write(input, source)
    slices.check_masked(input, mask, source, written=True)
    return change("masked_scatter_", slices.MaskedScatterBackward0, input, (source, mask))
