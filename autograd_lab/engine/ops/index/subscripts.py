"""What may stand in `x[...]`: numbers, slices, None, `...`, lists of positions, masks."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.exact.elementless import refuse_mask
from autograd_lab.engine.numbers.dtypes import BY_NUMPY
from autograd_lab.engine.ops.ground.writing import check_apart, check_memory
from autograd_lab.whose import users_level

NOT_A_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)
BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
PARTS = (slice, list, tuple, str, bytes, range, np.ndarray, Variable)
MOST = 32
"""A list of so many is one of positions, whatever is in it."""


Lists = tuple[Any, ...]
"""A tensor of positions for a dimension, a mask for one or several, or None for a dimension taken whole; in order."""


def as_tuple(index: Any) -> tuple[Any, ...]:
    """One index for each dimension; a list of lists, slices or tensors still counts as that, with a warning."""
    if isinstance(index, tuple):
        return index
    if (
        isinstance(index, list | str)
        and len(index) < MOST
        and any(one is None or one is ... or isinstance(one, PARTS) for one in index)
    ):
        warnings.warn(NOT_A_TUPLE, UserWarning, stacklevel=users_level())
        return tuple(index)
    return (index,)


def check_slice(given: slice) -> None:
    """Raise TypeError for a slice that does not begin, end and step at whole numbers."""
    for one in (given.start, given.stop, given.step):
        if one is not None and not hasattr(one, "__index__"):
            raise TypeError("slice indices must be integers or None or have an __index__ method")


def is_mask(one: Any) -> bool:
    """Whether an index is a tensor of truth values."""
    return isinstance(one, Variable) and one._array.dtype.kind == "b"


def as_listed(one: Any) -> Any:
    """An index of `index_put`: as `as_positions` has it, but a tensor of one position stays a tensor."""
    return one if isinstance(one, Variable) and one._array.dtype != np.uint8 else as_positions(one)


def as_positions(one: Any) -> Any:
    """An index as an int, a slice, None, `...`, or a tensor of positions or of truth values."""
    if one is None or one is ... or isinstance(one, slice):
        return one
    if isinstance(one, Variable):
        if one._array.dtype == np.uint8:
            return _truths(one._array)
        alone = not one._array.ndim and one._array.dtype.kind in "ui" and not (mapping.running and mapping.marks(one))
        return int(one._array) if alone else one
    if isinstance(one, bool):
        return wrap(np.asarray(one))
    if isinstance(one, np.ndarray | list | tuple | range):
        listed = one if isinstance(one, np.ndarray) else [int(x) if isinstance(x, Variable) else x for x in one]
        array = np.asarray(listed)
        if isinstance(one, np.ndarray) and array.dtype.kind in "if":
            array = array.astype(np.int64)
            if not array.ndim:
                return int(array)
        if array.size and array.dtype == np.uint8:
            return _truths(array)
        return wrap(array.astype(np.int64) if not array.size else array)
    if isinstance(one, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(one).__name__}'")
    return one  # maybe no position at all, which is told once it is its turn


def as_number(one: Any) -> int:
    """A position among numbers. Raises IndexError for what is none."""
    try:
        return operator.index(one)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type(one).__name__})"
        ) from None


def _truths(array: Any) -> Any:
    """Bytes as truth values, which they were before there were any; not positions."""
    if array.ndim:
        warnings.warn(BYTES, UserWarning, stacklevel=users_level())
    return wrap(array.astype(np.bool_))


def refuse_bytes(index: Iterable[Any], lists: Lists, source: Any) -> None:
    """Raise RuntimeError if one number is to fill a single mask of bytes: others may be written so."""
    if source._array.size != 1 or sum(one is not None for one in lists) != 1:
        return
    if any(isinstance(one, Variable) and one._array.dtype == np.uint8 and one._array.ndim for one in index):
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")


def check_kinds(shape: tuple[int, ...], lists: Lists) -> None:
    """Raise IndexError for tensors that neither are positions nor masks, unless a mask before does not fit."""
    for at, one in enumerate(lists):
        if one is None or one._array.dtype.kind in "bu" or one._array.dtype in (np.int64, np.int32):
            continue
        check_masks(shape, lists[:at])
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")


def by_dimension(lists: Lists) -> Iterator[tuple[int, Any]]:
    """Each tensor of positions or mask, and the dimension that it begins at."""
    dim = 0
    for one in lists:
        if one is not None:
            refuse_mask(one._array)
            if is_mask(one):
                mapping.refuse(mapping.MASK, one)
            yield dim, one
        dim += one._array.ndim if is_mask(one) else 1


def check_lists(shape: tuple[int, ...], lists: Lists) -> None:
    """Raise IndexError for a mask of other sizes than the dimensions that it is for, for lists that do not go together,
    and where there is nothing."""
    check_masks(shape, lists)
    if 0 in shape and 0 not in _together(lists) and 0 in [shape[dim] for dim in _listed(lists)]:
        raise IndexError("index is out of bounds for dimension with size 0")


def check_masks(shape: tuple[int, ...], lists: Lists) -> None:
    """Raise IndexError for a mask of other sizes than the dimensions that it is for."""
    for dim, one in by_dimension(lists):
        for at, size in enumerate(one._array.shape if is_mask(one) else ()):
            if size != shape[dim + at]:
                raise IndexError(
                    f"The shape of the mask {list(one._array.shape)} at index {at} does not match the shape of the "
                    f"indexed tensor {list(shape)} at index {dim + at}"
                )


def check_positions(shape: tuple[int, ...], lists: Lists) -> None:
    """Raise IndexError for a position that is not there, unless no element is looked for."""
    if 0 in indexed_shape(shape, lists):
        return
    number = 0  # of those dimensions that are not taken whole
    wrong: list[tuple[int, str]] = []
    for dim, one in by_dimension(lists):
        if not is_mask(one) and one._array.size and not _is_there(one._array, size := shape[dim]).all():
            places = np.broadcast_to(one._array, _together(lists)).ravel()
            at = int(np.argmin(_is_there(places, size)))
            wrong.append((at, f"index {places[at]} is out of bounds for dimension {number} with size {size}"))
        number += one._array.ndim if is_mask(one) else 1
    if wrong:
        raise IndexError(min(wrong, key=lambda each: each[0])[1])


def _is_there(positions: Any, size: int) -> Any:
    return (-size <= positions) & (positions < size)


def _listed(lists: Lists) -> list[int]:
    """The dimensions for which there are positions or masks."""
    return [at for dim, one in by_dimension(lists) for at in range(dim, dim + (one._array.ndim if is_mask(one) else 1))]


def _together(lists: Lists) -> tuple[int, ...]:
    """The shape that all lists have together. Raises IndexError if they do not go together."""
    sizes: list[tuple[int, ...]] = []
    for _, one in by_dimension(lists):  # a mask is a list for each of its dimensions
        sizes += [(int(np.count_nonzero(one._array)),)] * one._array.ndim if is_mask(one) else [one._array.shape]
    try:
        return np.broadcast_shapes(*sizes)
    except ValueError:
        told = ", ".join(str(list(size)) for size in sizes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {told}"
        ) from None


def indexed_shape(shape: tuple[int, ...], lists: Lists) -> tuple[int, ...]:
    """The shape of what the lists take: of all of them together, in place of the dimensions if these are neighbours."""
    listed, common = _listed(lists), _together(lists)
    first = listed[0] if listed == [*range(listed[0], listed[-1] + 1)] else 0
    rest = [size for dim, size in enumerate(shape) if dim not in listed]
    return (*rest[:first], *common, *rest[first:])


def fits(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to another."""
    return len(shape) <= len(into) and all(n in (1, m) for n, m in zip(shape[::-1], into[::-1], strict=False))


def is_filled(source: Any, lists: Iterable[Any]) -> bool:
    """Whether this is a number that fills masks."""
    return source._array.size == 1 and all(one is None or is_mask(one) for one in lists)


def check_read(part: Any, source: Any, lists: Iterable[Any]) -> None:
    """Raise RuntimeError if what is put into a tensor, or where, lies in its own memory."""
    if not is_filled(source, lists):
        shortened = source._array.shape[:1] == (1,)  # what is put is a view without the ones that it begins with
        check_apart(part, wrap(source._array) if shortened else source, *lists)
    for one in lists:
        if np.may_share_memory(part._array, one._array):
            check_memory(part._array, one._array)


def check_put(part: Any, source: Any, lists: Lists) -> None:
    """Raise the error of PyTorch if `index_put` cannot do with these.

    A number fills a mask, whatever its dtype and wherever the mask is; everything else is put as it is.
    """
    if not lists:
        _check_nowhere(part, source)
    check_lists(part._array.shape, lists)
    want = indexed_shape(part._array.shape, lists)
    if is_filled(source, lists):
        return
    if not fits(source._array.shape, want):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(source._array.shape)} cannot be broadcast to indexing result "
            f"of shape {list(want)}"
        )
    have, wanted = part._array.dtype, source._array.dtype
    if have != wanted:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{BY_NUMPY[have].title} for the destination and {BY_NUMPY[wanted].title} for the source."
        )
    check_positions(part._array.shape, lists)


def _check_nowhere(part: Any, source: Any) -> None:
    """Raise the error of PyTorch for values that are put nowhere, if they do not even fit."""
    if not fits(source._array.shape, part._array.shape):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(source._array.shape)} cannot be broadcast to indexing result "
            f"of shape {list(part._array.shape)}"
        )
    raise RuntimeError("sym_strides() called on an undefined Tensor")


def need_values(op: str, values: Any) -> None:
    """Raise TypeError unless the values are a tensor."""
    if not isinstance(values, Variable):
        raise TypeError(f"{op}(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
