"""What is kept of a large array: statistics, the largest element of each block, and a sample."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np

from autograd_lab.recording.values.blocks import MOST, extremes, largest

Array = np.ndarray[Any, Any]
Statistics = tuple[Any, ...]
"""Minimum, maximum, mean and Euclidean norm of the finite elements; how many are NaN, how many infinite; counts."""
Summary = tuple[Statistics, Array, Array, tuple[int, ...]]
"""Statistics, sample, blocks and shape: a plain tuple, which Python's garbage collector soon leaves alone."""

WIDE, RUN = 4096, 1024
"""Beyond this many elements sums are computed in the array's own precision, in runs of so many."""
BINS, COUNTED = 16, 509
"""Parts of a histogram, and about how many elements of a large array are counted: all would take longer than the rest.
It is a prime, so that hardly any matrix has its rows counted in one column."""


def summary(array: Array) -> Summary:
    """The summary of an array that has elements, and at least one dimension."""
    matrix = array.reshape(-1, array.shape[-1])
    if not matrix.flags.forc:
        matrix = np.ascontiguousarray(matrix)
    kind, dtype = array.dtype.kind, array.dtype
    is_plain = kind in "biu" or dtype in (np.float32, np.float64)
    if not is_plain:  # numpy compares shorter floats one by one
        matrix = matrix.astype(np.float64)
    lows, highs = extremes(matrix)
    flat, least, most = matrix.ravel("K"), float(np.minimum.reduce(lows, None)), float(np.maximum.reduce(highs, None))
    found = _quick_statistics(flat, least, most) if is_plain and kind == "f" and flat.size > WIDE else None
    if found is None:
        found = _statistics(flat.astype(np.float64, copy=False), least, most, is_whole=kind in "biu")
    return found, sample(array), largest(lows, highs).astype(dtype, copy=False), array.shape


def summary_of(
    four: tuple[Any, ...], nans: int, infs: int, counts: list[float], shown: tuple[Array, Array],
    shape: tuple[int, ...], is_float: bool, size: int,
) -> Summary:  # fmt: skip
    """The summary of a large array of which others have computed minimum, maximum, mean and norm, and the rest.

    `shown` are its sample and its blocks.
    """
    known = nans + infs < size and all(map(math.isfinite, four))
    least, most, mean, norm = four if known else (None, None, None, None)
    if known and not is_float:
        least, most = int(four[0]), int(four[1])
    told = np.array(counts, np.int64) if known and four[0] < four[1] else None
    return (least, most, mean, norm, nans, infs, told), *shown, shape


def is_summary(taken: Any) -> bool:
    """Whether a snapshot has statistics of a large array, rather than all of it."""
    return type(taken) is tuple and type(taken[0]) is tuple


def _quick_statistics(flat: Array, least: float, most: float) -> Statistics | None:
    """Statistics in the array's own precision, sums added up of short runs, so without drift.

    Many times as fast as a copy in float64. None if squares of the elements would leave float32's range, or for NaNs.
    """
    if not 1e-15 < max(-least, most) < 1e15:
        return None
    runs = flat[: flat.size - flat.size % RUN].reshape(-1, RUN)
    rest = flat[runs.size :]
    total = float((runs @ _ones(flat.dtype)).sum(dtype=np.float64)) + float(np.add.reduce(rest))
    squares = float(np.vecdot(runs, runs).sum(dtype=np.float64)) + float(rest.dot(rest))
    return least, most, total / flat.size, math.sqrt(squares), 0, 0, _counts(flat, least, most)


@cache
def _ones(dtype: Any) -> Array:
    """By a product with these, numbers are added up in less than half of the time."""
    return np.ones(RUN, dtype)


@np.errstate(all="ignore")
def _statistics(flat: Array, least: float, most: float, *, is_whole: bool) -> Statistics:
    """Statistics of float64 numbers, of which least and largest are known, unless there is a NaN or an infinity."""
    total, nans, infs = float(np.add.reduce(flat)), 0, 0
    if not math.isfinite(total):
        finite = flat[np.isfinite(flat)]
        nans = int(np.isnan(flat).sum())
        infs = flat.size - finite.size - nans
        if not finite.size:
            return None, None, None, None, nans, infs, None
        flat, total = finite, float(finite.sum())
        least, most = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
    if is_whole:
        least, most = int(least), int(most)
    return least, most, total / flat.size, math.sqrt(flat.dot(flat)), nans, infs, _counts(flat, least, most)


def _counts(flat: Array, least: float, most: float) -> Array | None:
    """How many elements, or of many a sample's, are in each of `BINS` parts of the range; None if it has no width."""
    width = most - least
    if not 0 < width < math.inf:
        return None
    if flat.size > COUNTED:
        flat = flat[:: flat.size // COUNTED | 1]
    places = flat - least
    places *= (BINS - 0.001) / width
    return np.bincount(places.astype(np.uint8), minlength=BINS)


def sample(array: Array) -> Array:
    """The same few elements each time: by them one knows an array again, and the way that it went."""
    found: Array = array[places(array.shape)]
    return found


@lru_cache(maxsize=256)
def places(shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Which rows and columns of an array, seen as a matrix, are in its sample."""
    counts = math.prod(shape[:-1]), shape[-1]
    rows, columns = np.ix_(*[np.linspace(0, count - 1, min(MOST, count)).astype(int) for count in counts])
    return (*np.unravel_index(rows, shape[:-1]), columns) if len(shape) > 1 else (columns,)
