"""What an array held, taken down in a moment and written out later.

`snapshot` runs inside the program that is being watched, so it copies bytes and does no more; `value_of` makes the
readable `Value` when somebody reads the trace.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_lab.events import Value

SMALL = 64
"""Arrays of up to this many elements are kept whole."""

THUMBNAIL = 8
"""A large array's thumbnail has at most this many rows and columns."""

Snapshot = Any
"""A numpy scalar itself, a small array's (bytes, dtype, shape), or the `Value` of a large one."""


def snapshot(array: Any) -> Snapshot:
    """What to keep of an array, a tensor or a numpy scalar: all of a small one, of a large one its statistics."""
    if type(array) is not np.ndarray:
        if isinstance(array, np.generic):
            return array
        array = array._array
    if array.size <= SMALL:
        return array.tobytes(), array.dtype, array.shape
    return summary(array)


def value_of(taken: Snapshot) -> Value:
    """The `Value` of a snapshot; floats are shortened to the digits that tell them apart in their own dtype."""
    if isinstance(taken, Value):
        return taken
    if isinstance(taken, np.generic):
        return Value(numbers=_short(np.asarray(taken)))
    buffer, dtype, shape = taken
    return Value(numbers=_short(np.frombuffer(buffer, dtype).reshape(shape)))


def summary(array: np.ndarray[Any, Any]) -> Value:
    """Statistics over the finite elements, and a strided sample. `norm` is the Euclidean one."""
    flat = array.astype(np.float64, copy=False).reshape(-1)
    finite = flat if math.isfinite(float(flat.sum())) else flat[np.isfinite(flat)]
    nans = 0 if finite is flat else int(np.isnan(flat).sum())
    some = finite.size > 0
    return Value(
        minimum=float(finite.min()) if some else None,
        maximum=float(finite.max()) if some else None,
        mean=float(finite.mean()) if some else None,
        norm=float(np.sqrt(finite.dot(finite))) if some else None,
        nans=nans,
        infs=flat.size - finite.size - nans,
        thumbnail=_short(_thumbnail(array)),
    )


def _thumbnail(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    rows = array.reshape(-1, array.shape[-1])
    height, width = (min(THUMBNAIL, size) for size in rows.shape)
    lines = np.linspace(0, rows.shape[0] - 1, height).astype(int)
    columns = np.linspace(0, rows.shape[1] - 1, width).astype(int)
    sample: np.ndarray[Any, Any] = rows[np.ix_(lines, columns)]
    return sample


def _short(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind != "f" or array.dtype == np.float64:
        return array.tolist()
    digits = 9 if array.dtype == np.float32 else 5
    return _rounded(array.tolist(), digits)


def _rounded(numbers: Any, digits: int) -> Any:
    """Shortest text that reads back as the same float32: 0.1 rather than 0.10000000149011612."""
    if isinstance(numbers, list):
        return [_rounded(number, digits) for number in numbers]
    for count in (digits - 2, digits - 1):
        short = float(f"{numbers:.{count}g}")
        if np.float32(short) == np.float32(numbers) or short != short:
            return short
    return float(f"{numbers:.{digits}g}")
