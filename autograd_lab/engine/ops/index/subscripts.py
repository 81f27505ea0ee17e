"""What may stand in `x[...]`: numbers, slices, None, `...`, lists of positions, masks."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from autograd_lab.engine.variable import Variable, wrap

NOT_A_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)
PARTS = (slice, list, tuple, str, Variable)


def as_tuple(index: Any) -> tuple[Any, ...]:
    """One index for each dimension; a list of lists, slices or tensors still counts as that, with a warning."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list | str) and any(one is None or one is ... or isinstance(one, PARTS) for one in index):
        warnings.warn(NOT_A_TUPLE, UserWarning, stacklevel=3)
        return tuple(index)
    return (index,)


def is_mask(one: Any) -> bool:
    """Whether an index is a tensor of truth values."""
    return isinstance(one, Variable) and one._array.dtype.kind == "b"


def as_positions(one: Any) -> Any:
    """An index as an int, a slice, None, `...`, or a tensor of positions or of truth values."""
    if one is None or one is ... or isinstance(one, slice):
        return one
    if isinstance(one, Variable):
        if one._array.dtype.kind in "fV":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return int(one._array) if not one._array.ndim and one._array.dtype.kind != "b" else one
    if isinstance(one, bool):
        return wrap(np.asarray(one))
    if isinstance(one, list | tuple | range | np.ndarray):
        array = np.asarray([int(each) if isinstance(each, Variable) else each for each in one])
        return wrap(array.astype(np.int64) if not array.size else array)
    if isinstance(one, str):
        raise TypeError(f"new(): invalid data type '{type(one).__name__}'")
    try:
        return operator.index(one)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type(one).__name__})"
        ) from None


def check_mask(shape: tuple[int, ...], dim: int, one: Any) -> None:
    """Raise IndexError if a mask has not the sizes of the dimensions that it is for."""
    for at, size in enumerate(one._array.shape if is_mask(one) else ()):
        if size != shape[dim + at]:
            raise IndexError(
                f"The shape of the mask {list(one._array.shape)} at index {at} does not match the shape of the indexed "
                f"tensor {list(shape)} at index {dim + at}"
            )


def check_positions(shape: tuple[int, ...], lists: tuple[Any, ...]) -> None:
    """Raise IndexError for a position that is not there. `lists` has one for each dimension, None for a whole one."""
    dim = 0
    for one in lists:
        if one is not None and one._array.size and not is_mask(one):
            worst = one._array.min() if one._array.min() < -shape[dim] else one._array.max()
            if not shape[dim]:
                raise IndexError("index is out of bounds for dimension with size 0")
            if not -shape[dim] <= worst < shape[dim]:
                raise IndexError(f"index {worst} is out of bounds for dimension {dim} with size {shape[dim]}")
        dim += one._array.ndim if is_mask(one) else 1
