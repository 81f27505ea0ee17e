"""Nested lists of numbers as arrays: their dtype, their shape, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, fitted, number_dtype, promote
from autograd_lab.engine.numbers.quiet import be_quiet

SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)


def warn_of_arrays(data: Any) -> None:
    """Warn of a list that has arrays in it, where an array of them all is faster."""
    while isinstance(data, list | tuple) and data:
        if any(isinstance(item, np.ndarray) for item in data):
            warn_once(SLOW)
            return
        data = data[0]


def converted(numbers: Any, kind: NumpyDtype) -> Array:
    """Nested lists of numbers as an array. Raises RuntimeError for one that the dtype cannot hold."""
    be_quiet()
    try:
        return np.array(numbers, kind)
    except (OverflowError, ValueError):
        found = np.array(numbers)
        for number in found.reshape(-1).tolist():
            fitted(number, kind, kind.name)
        return found.astype(kind)


def numbers(data: Any) -> Any:
    """Nested lists, with numbers in the place of tensors of one element."""
    if isinstance(data, list | tuple) and data and isinstance(data[0], list | tuple | Variable):
        return [numbers(item) for item in data]
    return float(data) if isinstance(data, Variable) else data


def inferred(data: Any) -> NumpyDtype | None:
    """The dtype of nested sequences of numbers, once they are known to be rectangular; None if they are empty."""
    shape, level = [], data
    while isinstance(level, Sequence) and not isinstance(level, str):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    return _scan(data, shape, 0)


def _scan(data: Any, shape: list[int], depth: int) -> NumpyDtype | None:
    found: NumpyDtype | None = None
    if isinstance(data, np.ndarray | np.generic):
        return data.dtype
    if isinstance(data, bool | int | float):
        return number_dtype(data)
    if isinstance(data, Variable):
        if data._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        found = data._array.dtype
        return found
    if isinstance(data, str):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not isinstance(data, Sequence):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    for item in data:
        inner = isinstance(item, Sequence) and not isinstance(item, str)
        if inner and depth + 1 < len(shape) and len(item) != shape[depth + 1]:
            raise ValueError(f"expected sequence of length {shape[depth + 1]} at dim {depth + 1} (got {len(item)})")
        if not inner and depth + 1 < len(shape):
            raise TypeError(f"expected a sequence at dim {depth + 1}, but got {type(item).__name__}")
        found = promote(found, _scan(item, shape, depth + 1))
    return found
