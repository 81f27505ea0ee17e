"""What an array held, taken down in a moment: `snapshot`; and written out when somebody reads the trace: `value_of`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.events import Value
from autograd_lab.recording.values.digits import short
from autograd_lab.recording.values.large_array import Statistics, is_summary, summary

SMALL = 64
"""Arrays of up to this many elements are shown whole."""

KEPT = 4096
"""Arrays of up to this many bytes are kept whole at first: their statistics take longer than a copy."""

TOLD = 2
"""Of a sample's rows and columns each second is told: that suffices to see which way an array goes."""

Array = np.ndarray[Any, Any]
Snapshot = Any
"""A numpy scalar itself; an array's bytes, dtype and shape; a large one's `Summary`; or a `Value`."""


def snapshot(array: Any) -> Snapshot:
    """What to keep of an array, a tensor or a numpy scalar: all of it, or the summary of a large one."""
    if type(array) is not np.ndarray:
        if isinstance(array, np.generic):
            return array
        array = getattr(array, "_array", array)
        if type(array) is not np.ndarray:  # it has no elements
            return Value(shape=array.shape)
    if array.nbytes <= KEPT:
        return array.tobytes(), array.dtype, array.shape
    return summary(array)


def same(one: Snapshot, other: Snapshot) -> bool:
    """Whether two snapshots of one array, or of two of a shape, are of the same numbers, as far as they tell."""
    return bool(value_of(one) == value_of(other))


def is_same(one: Any, other: Any) -> bool:
    """Whether two arrays, or tensors, hold the same, to the bit."""
    first, second = (thing if isinstance(thing, np.ndarray | np.generic) else thing._array for thing in (one, other))
    alike = first.dtype == second.dtype and first.shape == second.shape
    return bool(alike and first.tobytes() == second.tobytes())


class Later:
    """A snapshot that still lies where it was taken, until `fetch` fills it in, with others."""

    __slots__ = ("fetch", "snapshot")

    def __init__(self, fetch: Callable[[], None]) -> None:
        self.fetch, self.snapshot = fetch, None


def value_of(taken: Snapshot) -> Value:
    """The `Value` of a snapshot; floats are shortened to the digits that tell them apart in their own dtype."""
    if isinstance(taken, Value):
        return taken
    if type(taken) is Later:
        if taken.snapshot is None:
            taken.fetch()
        return value_of(taken.snapshot)
    if isinstance(taken, np.generic):
        return Value(numbers=short(np.asarray(taken)))
    if is_summary(taken):
        return _value_of(*taken)
    buffer, dtype, shape = taken
    array = np.frombuffer(buffer, dtype).reshape(shape)
    if array.size > SMALL:
        return _value_of(*summary(array))
    numbers = short(array)
    return Value(numbers=numbers) if buffer or len(shape) == 1 else Value(numbers=numbers, shape=tuple(shape))


def _value_of(statistics: Statistics, sample: Array, blocks: Array, shape: tuple[int, ...]) -> Value:
    minimum, maximum, mean, norm, nans, infs, counts = statistics
    return Value(
        minimum=minimum, maximum=maximum, mean=mean, norm=norm, nans=nans, infs=infs, shape=tuple(shape),
        thumbnail=short(sample[::TOLD, ::TOLD]), blocks=short(blocks),
        histogram=None if counts is None else tuple(counts.tolist()),
    )  # fmt: skip
