"""Memory as copies, pickles and files have it: all of it, and the place that a tensor has there."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.exact.aliasing import address, flat_memory, strided
from autograd_lab.engine.exact.elementless import Elementless
from autograd_lab.engine.numbers.device import owner_of
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, dtype_of, of_one_dtype, steps

Place = tuple[tuple[int, ...], tuple[int, ...], int]
"""Where in memory a tensor lies: its shape, its strides, and how many elements come before it."""


def memory_of(x: Array) -> Array:
    """All the memory that an array lies in, as a flat array of the dtype in which it was made."""
    return flat_memory(owner_of(x))


def place_of(x: Array) -> Place:
    """Where in its memory an array lies."""
    offset = (address(x) - address(owner_of(x))) // x.itemsize
    return tuple(x.shape), steps(x), offset if x.size else 0


def read_as(memory: Array, kind: NumpyDtype) -> Array:
    """The elements of a flat array in another dtype, as many as there are whole ones."""
    if memory.dtype == kind:
        return memory
    size = memory.nbytes // kind.itemsize * kind.itemsize
    return memory.view(np.uint8)[:size].view(kind)


def placed(memory: Array, shape: Any, strides: Any, offset: int) -> Array:
    """The array at a place of a flat one. Raises ValueError, or RuntimeError, for one that is not inside."""
    numbers = [*shape, *strides, offset]
    if not all(type(number) is int and number >= 0 for number in numbers) or len(shape) != len(strides):
        raise ValueError(f"a view of shape {shape} and strides {strides} from {offset} on")
    return strided(memory, tuple(shape), tuple(strides), offset)


def whereabouts(x: Array) -> tuple[Any, ...]:
    """A memory, the dtype that it is read as, and a place there; an array without elements stands for itself."""
    return (x,) if type(x) is Elementless else (memory_of(x), dtype_of(x), *place_of(x))


def found_at(memory: Any, *place: Any) -> Array:
    """The array of which these are the whereabouts."""
    if not place:
        return of_one_dtype(memory)
    return placed(read_as(of_one_dtype(memory), place[0].numpy), *place[1:])
