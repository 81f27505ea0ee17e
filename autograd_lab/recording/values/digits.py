"""Numbers by the shortest text that reads back as the same: 0.1 rather than 0.10000000149011612."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

TRIED = np.array([[5], [6], [7], [8]])
"""Digits behind the first, of which one count suffices for any float32; what needs fewer is found with five, too."""
TENS = 10.0 ** np.arange(23)
"""As floats these are exact."""
LEAST, BOUND = 1e-14, 1e14
"""Between these sizes numbers are rounded many at a time, for which `TENS` suffice."""

MANY = 32
"""From so many numbers on that is faster than to write each."""


def short(array: Array) -> Any:
    """The numbers of an array as nested lists; floats have the fewest digits that tell them apart in their dtype."""
    if array.dtype.kind not in "fV" or array.dtype == np.float64:
        return array.tolist()
    if array.dtype != np.float32:
        return _rounded(array.tolist(), 5)
    flat = array.ravel()
    found = _together(flat) if flat.size >= MANY else np.array([float(str(number)) for number in flat])
    return found.reshape(array.shape).tolist()


def _together(flat: Array) -> Array:
    """Numbers of float32 all at once, but for the very large and the very small."""
    with np.errstate(all="ignore"):
        wide = flat.astype(np.float64)
        size = np.abs(wide)
        is_usual = (size >= LEAST) & (size < BOUND)
        places = TRIED - np.floor(np.log10(np.where(is_usual, size, 1.0))).astype(np.int64)
        up, down = TENS.take(places, mode="clip"), TENS.take(-places, mode="clip")
        tried = np.rint(wide * up / down) / up * down
        fits = tried.astype(np.float32) == flat
    found: Array = np.where(is_usual, tried[fits.argmax(axis=0), np.arange(flat.size)], wide)
    for at in np.flatnonzero(np.isfinite(wide) & (size > 0) & ~(is_usual & fits.any(axis=0))).tolist():
        found[at] = float(str(flat[at]))
    return found


def _rounded(numbers: Any, digits: int) -> Any:
    """Half-precision numbers with as few digits as they have."""
    if isinstance(numbers, list):
        return [_rounded(number, digits) for number in numbers]
    for count in (digits - 2, digits - 1):
        found = float(f"{numbers:.{count}g}")
        if np.float32(found) == np.float32(numbers) or found != found:
            return found
    return float(f"{numbers:.{digits}g}")
