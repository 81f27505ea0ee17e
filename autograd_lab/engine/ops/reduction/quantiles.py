"""Quantiles: the number below which a share of the elements lies, between two of them by a straight line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import checked_dim, numpy_names, real_dim
from autograd_lab.engine.ops.reduction.sorting import sort

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["nanquantile", "quantile"]

ROUNDED = {"lower": "floor_", "higher": "ceil_", "nearest": "round_"}
BETWEEN = ("linear", "midpoint")


@numpy_names
@composed
def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The number below which a share `q` of the elements lies."""
    return _quantile(input, q, dim, keepdim, interpolation, ignore_nan=False)


@numpy_names
@composed
def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The number below which a share `q` of the elements that are numbers lies."""
    return _quantile(input, q, dim, keepdim, interpolation, ignore_nan=True)


def _quantile(input: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str, *, ignore_nan: bool) -> Any:
    name = "nanquantile" if ignore_nan else "quantile"
    only_tensors(name, input)
    if not isinstance(q, Variable):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q}")
        q = wrap(np.asarray(q, input._array.dtype))
    _check(input, q, dim, interpolation)
    many = q._array.ndim
    ordered = _sorted(input, dim)
    count = ordered._array.shape[-1] if ordered._array.ndim else 1
    ordered = ordered.view((*_kept_shape(input, dim, keepdim), count))
    ranks = _ranks(ordered, q, ignore_nan)
    if interpolation in ROUNDED:
        getattr(ranks, ROUNDED[interpolation])()
    below = wrap(ranks._array.astype(np.int64))
    values = ordered.gather(-1, below)
    if interpolation in BETWEEN:
        weights = wrap(np.full_like(ranks._array, 0.5)) if interpolation == "midpoint" else ranks - below
        above = wrap(ranks.ceil_()._array.astype(np.int64))
        values.lerp_(ordered.gather(-1, above), weights)
    return values.unsqueeze_(0).transpose_(0, -1).squeeze_(-1) if many else values.squeeze_(-1)


def _check(input: Tensor, q: Any, dim: int | None, interpolation: str) -> None:
    if not input._array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q._array.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._array.dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if input._array.dtype != q._array.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if interpolation not in (*ROUNDED, *BETWEEN):
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if dim is not None:
        checked_dim(input, dim)
    if not ((q._array >= 0) & (q._array <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def _kept_shape(input: Tensor, dim: int | None, keepdim: bool) -> tuple[int, ...]:
    """The shape of the result for one `q`."""
    shape = list(input._array.shape)
    if dim is None or not shape:
        return (1,) * len(shape) if keepdim else ()
    shape[real_dim(input, dim)] = 1
    return tuple(shape) if keepdim else tuple(shape[: real_dim(input, dim)] + shape[real_dim(input, dim) + 1 :])


def _sorted(input: Any, dim: int | None) -> Any:
    """The elements in order, along the last dimension."""
    if dim is None:
        return sort(input.flatten())[0]
    dim = checked_dim(input, dim)
    if real_dim(input, dim) == input._array.ndim - 1:
        return sort(input)[0]
    return sort(input.unsqueeze(-1).transpose(real_dim(input, dim), -1))[0]


def _ranks(ordered: Any, q: Any, ignore_nan: bool) -> Any:
    """The places of the quantiles among the elements in order: that of the last one if there is a NaN among them."""
    absent = np.isnan(ordered._array)
    if ignore_nan:
        counts = wrap((~absent).sum(-1, keepdims=True) - 1)
        return (q * counts).masked_fill_(wrap(counts._array < 0), 0)
    last = ordered._array.shape[-1] - 1
    spoilt = wrap(absent.any(-1, keepdims=True))
    wide = np.broadcast_shapes(q._array.shape, spoilt._array.shape)
    return (q * last).expand(wide).masked_fill(spoilt.expand(wide), last)
