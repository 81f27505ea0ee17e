"""What an array held, taken down in a moment and written out later.

`snapshot` runs inside the program that is being watched, so it copies bytes and does no more; `value_of` makes the
readable `Value` when somebody reads the trace.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_lab.events import Value

SMALL = 64
"""Arrays of up to this many elements are shown whole."""

KEPT = 4096
"""Arrays of up to this many bytes are kept whole at first: their statistics take longer than a copy."""

THUMBNAIL = 8
"""A large array's thumbnail has at most this many rows and columns."""

WIDE, BLOCK = 4096, 1024
"""Beyond this many elements statistics are computed in the array's own precision, in blocks of so many."""

BINS, COUNTED = 16, 509
"""Parts of a histogram, and about how many elements of a large array are counted: all would take longer than the rest.
It is a prime, so that hardly any matrix has its rows counted in one column."""

Snapshot = Any
"""A numpy scalar itself; an array's bytes, dtype and shape; a large one's statistics, sample and shape; or a
`Value`."""


def snapshot(array: Any) -> Snapshot:
    """What to keep of an array, a tensor or a numpy scalar: all of it, or the statistics of a large one."""
    if type(array) is not np.ndarray:
        if isinstance(array, np.generic):
            return array
        array = array._array
    if array.nbytes <= KEPT:
        return array.tobytes(), array.dtype, array.shape
    return _statistics(array), sample(array), array.shape


def same(one: Snapshot, other: Snapshot) -> bool:
    """Whether two snapshots of one array, or of two of a shape, are of the same numbers, as far as they tell."""
    return bool(value_of(one) == value_of(other))


def large_snapshot(
    four: tuple[Any, ...], nans: int, infs: int, counts: list[float], thumbnail: np.ndarray[Any, Any],
    shape: tuple[int, ...], is_float: bool, size: int,
) -> Snapshot:  # fmt: skip
    """The snapshot of a large array of which others have computed minimum, maximum, mean and norm, and the rest."""
    known = nans + infs < size and all(map(math.isfinite, four))
    least, most, mean, norm = four if known else (None, None, None, None)
    if known and not is_float:
        least, most = int(four[0]), int(four[1])
    told = np.array(counts, np.int64) if known and four[0] < four[1] else None
    return (least, most, mean, norm, nans, infs, told), thumbnail, shape


def is_summary(taken: Snapshot) -> bool:
    """Whether a snapshot has statistics of a large array, rather than all of it."""
    return type(taken) is tuple and type(taken[0]) is tuple


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
        return Value(numbers=_short(np.asarray(taken)))
    if is_summary(taken):
        return _summary(*taken)
    buffer, dtype, shape = taken
    array = np.frombuffer(buffer, dtype).reshape(shape)
    if array.size > SMALL:
        return _summary(_statistics(array), sample(array), shape)
    numbers = _short(array)
    return Value(numbers=numbers) if buffer or len(shape) == 1 else Value(numbers=numbers, shape=tuple(shape))


def _summary(statistics: tuple[Any, ...], thumbnail: np.ndarray[Any, Any], shape: tuple[int, ...]) -> Value:
    minimum, maximum, mean, norm, nans, infs, counts = statistics
    return Value(
        minimum=minimum, maximum=maximum, mean=mean, norm=norm, nans=nans, infs=infs, thumbnail=_short(thumbnail),
        histogram=None if counts is None else tuple(counts.tolist()), shape=tuple(shape),
    )  # fmt: skip


def _statistics(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Minimum, maximum, mean and Euclidean norm of the finite elements; how many are NaN, how many infinite; counts."""
    if array.size > WIDE and array.dtype in (np.float32, np.float64):
        flat = array.ravel("K")
        quick = _quick_statistics(flat)
        if quick is not None:
            return (*quick, 0, 0, _counts(flat, *quick[:2]))
    flat = array.astype(np.float64).ravel("K")
    total, nans, infs = float(np.add.reduce(flat)), 0, 0
    if not math.isfinite(total):
        finite = flat[np.isfinite(flat)]
        nans = int(np.isnan(flat).sum())
        infs = flat.size - finite.size - nans
        if not finite.size:
            return None, None, None, None, nans, infs, None
        flat, total = finite, float(finite.sum())
    least, most = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
    if array.dtype.kind != "f":
        least, most = int(least), int(most)
    return least, most, total / flat.size, math.sqrt(flat.dot(flat)), nans, infs, _counts(flat, least, most)


def _quick_statistics(flat: np.ndarray[Any, Any]) -> tuple[float, float, float, float] | None:
    """Minimum, maximum, mean and norm in the array's own precision, squares added up in short blocks, so without drift.

    Many times as fast as a copy in float64. None if squares of the elements would leave float32's range, or for NaNs.
    """
    least, most = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
    if not 1e-15 < max(-least, most) < 1e15:
        return None
    blocks = flat[: flat.size - flat.size % BLOCK].reshape(-1, BLOCK)
    rest = flat[blocks.size :]
    squares = float(np.vecdot(blocks, blocks).sum(dtype=np.float64)) + float(rest.dot(rest))
    return least, most, float(np.add.reduce(flat)) / flat.size, math.sqrt(squares)


def _counts(flat: np.ndarray[Any, Any], least: float, most: float) -> np.ndarray[Any, Any] | None:
    """How many elements, or of many a sample's, are in each of `BINS` parts of the range; None if it has no width."""
    width = most - least
    if not 0 < width < math.inf:
        return None
    if flat.size > COUNTED:
        flat = flat[:: flat.size // COUNTED | 1]
    places = flat - least
    places *= (BINS - 0.001) / width
    return np.bincount(places.astype(np.uint8), minlength=BINS)


def sample(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What an array's thumbnail shows of it."""
    found: np.ndarray[Any, Any] = array[places(array.shape)]
    return found


@lru_cache(maxsize=256)
def places(shape: tuple[int, ...]) -> tuple[np.ndarray[Any, Any], ...]:
    """Which rows and columns of an array, seen as a matrix, its thumbnail shows."""
    counts = math.prod(shape[:-1]), shape[-1]
    rows, columns = np.ix_(*[np.linspace(0, count - 1, min(THUMBNAIL, count)).astype(int) for count in counts])
    return (*np.unravel_index(rows, shape[:-1]), columns) if len(shape) > 1 else (columns,)


def _short(array: np.ndarray[Any, Any]) -> Any:
    """Numbers by the shortest text that reads back as the same: 0.1 rather than 0.10000000149011612."""
    if array.dtype.kind not in "fV" or array.dtype == np.float64:
        return array.tolist()
    if array.dtype != np.float32:
        return _rounded(array.tolist(), 5)
    return np.array([float(str(number)) for number in array.ravel()]).reshape(array.shape).tolist()


def _rounded(numbers: Any, digits: int) -> Any:
    """Half-precision numbers with as few digits as they have."""
    if isinstance(numbers, list):
        return [_rounded(number, digits) for number in numbers]
    for count in (digits - 2, digits - 1):
        short = float(f"{numbers:.{count}g}")
        if np.float32(short) == np.float32(numbers) or short != short:
            return short
    return float(f"{numbers:.{digits}g}")
