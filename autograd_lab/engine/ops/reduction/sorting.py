"""Order: sort, topk, kthvalue, median, mode, argmax; and what is unique."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.errors.operands import only_bools
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.ground.answers import answered, from_history
from autograd_lab.engine.ops.ground.dims import checked_dim, numpy_names
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.reduction.equal_elements import MANY, foremost, most_frequent, selected
from autograd_lab.engine.ops.reduction.extremes import Found, Shared
from autograd_lab.engine.ops.reduction.searching import bucketize, searchsorted
from autograd_lab.engine.ops.reduction.sums import check_some

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "argmax", "argmin", "argsort", "bucketize", "kthvalue", "median", "mode", "msort", "nanmedian", "searchsorted",
    "sort", "topk", "unique", "unique_consecutive",
]  # fmt: skip

SortResult, TopkResult = named("sort"), named("topk")
KthvalueResult, MedianResult, ModeResult = named("kthvalue"), named("median"), named("mode")
NanmedianResult = named("nanmedian")


def order(x: Array, dim: int, descending: bool) -> Array:
    """Where the elements along a dimension come from when sorted; equal ones stay in order, NaN is greatest."""
    if not x.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(x, dim, kind="stable")
    turned = np.flip(np.argsort(np.flip(x, dim), dim, kind="stable"), dim)
    return np.ascontiguousarray(x.shape[dim] - 1 - turned)


class Picked(Found):
    """Elements picked along a dimension, with their positions: the gradients go back to where they were."""

    __slots__ = ()

    def pick(self, x: Array, dim: int, positions: Array) -> tuple[Array, Array]:
        """The elements at the positions."""
        self.dim, self.self_sym_sizes = dim, x.shape
        return (np.take_along_axis(x, positions, dim) if x.ndim else x.copy()), positions

    def attributes(self) -> dict[str, Any]:
        """The dimension and the shape: no dimension is gone."""
        return {"dim": self.dim, "self_sym_sizes": self.self_sym_sizes}


class SortBackward0(Picked):
    """The elements along a dimension in order, each with its gradient."""

    def forward(self, x: Array, dim: int, descending: bool) -> tuple[Array, Array]:
        self.keepdim = True
        return self.pick(x, dim, order(x, dim, descending))


class SortBackward1(SortBackward0):
    """The elements along a dimension in order, equal ones as they were, each with its gradient."""


class TopkBackward0(Picked):
    """The k greatest or least elements along a dimension, each with its gradient."""

    def forward(self, x: Array, k: int, dim: int, largest: bool, in_order: bool) -> tuple[Array, Array]:
        self.keepdim = True
        positions = order(x, dim, largest)
        return self.pick(x, dim, foremost(x, positions, k, dim, largest, in_order) if x.ndim else positions)


@numpy_names
def sort(input: Tensor, dim: Any = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """The elements along `dim` in order, and where they come from."""
    cls = SortBackward0 if stable is None else SortBackward1
    return SortResult(apply_many(cls, (input,), checked_dim(input, dim), descending))


@numpy_names
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Where the elements along `dim` come from when they are sorted."""
    return from_history("argsort", order(input._array, checked_dim(input, dim), descending), input)


def msort(input: Tensor) -> Tensor:
    """The elements along the first dimension in order."""
    return sort(input, 0)[0]


@numpy_names
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` greatest (or least) elements along `dim`, and where they are."""
    dim = checked_dim(input, dim)
    if not 0 <= k <= (input._array.shape[dim] if input._array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if input._array.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return TopkResult(apply_many(TopkBackward0, (input,), k, dim, largest, sorted))


class KthvalueBackward0(Found):
    """z is the k-th least x_i along a dimension, so the gradient goes to the one found."""

    def forward(self, x: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
        found = _kth(x, k, dim)
        return self.found(x, selected(x, found, k, dim) if x.ndim else found, dim, keepdim)


def _kth(x: Array, k: Any, dim: int) -> Array:
    """The position of the k-th least along a dimension, which stays with one element; k may differ by row."""
    if not x.ndim:
        return np.zeros((), np.int64)
    rows = np.broadcast_to(np.asarray(k, np.int64) - 1, (*x.shape[:dim], 1, *x.shape[dim:][1:]))
    return np.take_along_axis(order(x, dim, False), rows, dim)


@numpy_names
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The `k`-th least element along `dim`, and where it is."""
    dim = checked_dim(input, dim)
    check_some("kthvalue", input._array, (dim,))
    size = input._array.shape[dim] if input._array.ndim else 1
    if not 1 <= k <= size:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {dim % max(input._array.ndim, 1)}"
        )
    if input._array.ndim:
        of_kind("uifV", input._array, "kthvalue_cpu")
    return KthvalueResult(apply_many(KthvalueBackward0, (input,), k, dim, keepdim))


class MedianBackward0(Shared):
    """z is the middle x_i, the lesser of two, so the gradient goes there, in equal parts if there are several."""

    def forward(self, x: Array) -> Array:
        flat = np.sort(x, axis=None)
        if not x.size:
            return np.array(np.nan).astype(x.dtype)
        return np.asarray(flat[-1] if _has_nan(flat) else flat[(x.size - 1) // 2])


def _has_nan(x: Array) -> bool:
    return x.dtype.kind not in "bui" and bool(np.isnan(x).any())


class NanmedianBackward0(Shared):
    """z is the middle of all x_i but NaN, so the gradient goes there, in equal parts if there are several."""

    def forward(self, x: Array) -> Array:
        flat = np.sort(x, axis=None)
        count = x.size - (int(np.isnan(x).sum()) if _has_nan(x) else 0)
        return np.asarray(flat[(count - 1) // 2 if count else 0])


class MedianBackward1(Found):
    """z is the middle x_i along a dimension, the lesser of two, so the gradient goes to the one found."""

    def forward(self, x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        size = x.shape[dim] if x.ndim else 1
        k = np.full((), (size - 1) // 2 + 1)
        if _has_nan(x) and x.ndim:  # the first NaN, which is greatest
            missing = np.isnan(x).sum(axis=dim, keepdims=True)
            k = np.where(missing > 0, size - missing + 1, k)
        return self.found(x, _kth(x, k, dim), dim, keepdim)


class NanmedianBackward1(Found):
    """z is the middle of all x_i along a dimension but NaN, so the gradient goes to the one found."""

    def forward(self, x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        size = x.shape[dim] if x.ndim else 1
        missing = np.isnan(x).sum(axis=dim, keepdims=True) if _has_nan(x) and x.ndim else 0
        return self.found(x, _kth(x, np.maximum(size - missing - 1, 0) // 2 + 1, dim), dim, keepdim)


def _of_numbers(input: Tensor, kernel: str, always: bool = False) -> Tensor:
    """The tensor itself. Raises NotImplementedError for one of truth values."""
    if always or input._array.size:
        of_kind("uifV", input._array, kernel)
    return input


@numpy_names
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element of all, the lesser of two; or those along `dim` with their positions."""
    if dim is None:
        return apply1(MedianBackward0, _of_numbers(input, "median_cpu"))
    _of_numbers(input, "median_out", True)
    check_some("median", input._array, (checked_dim(input, dim),))
    return MedianResult(apply_many(MedianBackward1, (input,), dim, keepdim))


@numpy_names
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """As `median`, with NaN left out."""
    if dim is None:
        return apply1(NanmedianBackward0, _of_numbers(input, "median_cpu"))
    _of_numbers(input, "median_out", True)
    check_some("nanmedian", input._array, (checked_dim(input, dim),))
    return NanmedianResult(apply_many(NanmedianBackward1, (input,), dim, keepdim))


class ModeBackward0(Found):
    """z is the most frequent x_i along a dimension, the least of several, so the gradient goes to the last of them."""

    def forward(self, x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        if not x.ndim:
            return self.found(x, np.zeros((), np.int64), dim, keepdim)
        rows = np.moveaxis(x, dim, -1)
        if x.size <= MANY:
            places = np.array([most_frequent(row) for row in rows.reshape(-1, rows.shape[-1])], np.int64)
            return self.found(x, np.expand_dims(places.reshape(rows.shape[:-1]), dim), dim, keepdim)
        counts = (rows[..., :, None] == rows[..., None, :]).sum(-1)
        frequent = counts == counts.max(-1, keepdims=True)
        least = np.where(frequent, rows, rows.max(-1, keepdims=True)).min(-1, keepdims=True)
        last = x.shape[dim] - 1 - np.argmax(np.flip(frequent & (rows == least), -1), axis=-1)
        return self.found(x, np.expand_dims(last, dim), dim, keepdim)


@numpy_names
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along `dim`, the least of several, and where it is last."""
    check_some("mode", input._array, (checked_dim(input, dim),))
    return ModeResult(apply_many(ModeBackward0, (input,), dim, keepdim))


@numpy_names
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The position of the greatest element, the first of several; along `dim`, or in the flattened tensor."""
    return _position("argmax", np.argmax, input, dim, keepdim)


@numpy_names
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The position of the least element, the first of several; along `dim`, or in the flattened tensor."""
    return _position("argmin", np.argmin, input, dim, keepdim)


def _position(name: str, find: Any, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    x = input._array
    if x.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    if not x.size and dim is None:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    axis = None if dim is None else checked_dim(input, dim)
    if axis is not None:
        check_some(name, x, (axis,))
    return answered(name, find(x, axis=axis if x.ndim else None, keepdims=keepdim), input)


class Undifferentiated(Node):
    """An op that is recorded though no derivative of it is known: backward through it is refused."""

    def backward(self, g: Any) -> Any:
        if self.next_functions[0][0] is None:  # nobody asks for its gradient
            return None
        raise NotImplementedError(f"the derivative for '{self.op}' is not implemented.")


class Unique2Backward0(Undifferentiated):
    """The different elements, in order; which one each was; how often each occurs."""

    op = "_unique2"

    def forward(self, x: Array, dim: int | None, options: dict[str, Any]) -> Any:
        return np.unique(x, axis=dim, equal_nan=False, **options)


class UniqueDimBackward0(Unique2Backward0):
    """The different slices along a dimension, in order; which one each was; how often each occurs."""

    op = "unique_dim"


class UniqueConsecutiveBackward0(Undifferentiated):
    """The elements without those equal to the one before; which one each was; how often each occurs in a row."""

    op = "unique_consecutive"

    def forward(self, x: Array, return_inverse: bool, return_counts: bool, dim: int | None) -> Any:
        rows = x.reshape(-1) if dim is None else np.moveaxis(x, dim, 0)
        flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
        begins = np.ones(len(rows), np.bool_)
        begins[1:] = (flat[1:] != flat[:-1]).any(1)
        run = np.cumsum(begins) - 1
        kept = rows[begins] if dim is None else np.ascontiguousarray(np.compress(begins, x, dim))
        parts = [kept]
        parts += [run.reshape(x.shape) if dim is None else run] if return_inverse else []
        parts += [np.bincount(run, minlength=0)] if return_counts else []
        return tuple(parts)


def _filled_dim(input: Tensor, dim: int) -> int:
    """The dimension. Raises RuntimeError if there are slices along it that are empty."""
    dim, shape = checked_dim(input, dim), input._array.shape
    if shape.count(0) > 1:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    if 0 in shape and shape[dim]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return dim


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements (or slices along `dim`), in order; which one each was; how often each occurs."""
    only_bools(sorted, return_inverse, return_counts)
    dim = None if dim is None else _filled_dim(input, dim)
    options: dict[str, Any] = {"return_inverse": return_inverse, "return_counts": return_counts}
    found = apply_many(Unique2Backward0 if dim is None else UniqueDimBackward0, (input,), dim, options)
    return found if len(found) > 1 else found[0]


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements without those equal to the one before; which one each was; how often each occurs in a row.

    With `dim`, the slices along it.
    """
    only_bools(return_inverse, return_counts)
    at = None if dim is None else _filled_dim(input, dim)
    found = apply_many(UniqueConsecutiveBackward0, (input,), return_inverse, return_counts, at)
    return found if len(found) > 1 else found[0]
