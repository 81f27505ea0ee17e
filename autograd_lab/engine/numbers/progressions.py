"""Numbers at equal distances, as PyTorch counts them; in an integer dtype it takes whole parts first."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import I64, Array, NumpyDtype
from autograd_lab.engine.numbers.quiet import be_quiet


def counted(start: Any, end: Any, step: Any, kind: NumpyDtype, whole: bool) -> Array:
    """From `start` up to but not including `end`; `whole` says that all three are integers."""
    be_quiet()
    if kind == I64:
        start, end, step = map(int, (start, end, step))
        if step == 0:
            raise ValueError("step must be nonzero")
    count = math.ceil((end - start) / step)
    if kind in (np.float32, np.float64) and not whole:
        return _by_vectors(start, step, count, kind)
    if kind.kind in "ui":
        start, step = int(start), int(step)
    steps: Array = np.arange(count, dtype=np.int64 if whole or kind.kind in "ui" else np.float64)
    return np.asarray(start + steps * step)


def _by_vectors(start: Any, step: Any, count: int, kind: NumpyDtype) -> Array:
    """As vectors of 32 bytes are filled, two at a time, from a first number that is rounded; the rest one by one."""
    at, width = np.arange(max(count, 0)), 32 // kind.itemsize
    first = np.where(at < count - count % (2 * width), at - at % width, at)
    start, step = np.longdouble(start), np.longdouble(step)
    rounded = (start + step * first).astype(np.float64).astype(kind)
    return (rounded + step * (at - first)).astype(np.float64).astype(kind)


def evenly(start: Any, end: Any, steps: int, kind: NumpyDtype) -> Array:
    """`steps` numbers from `start` to `end`, each of them counted from the end that is nearer."""
    be_quiet()
    if kind in (np.float32, np.float64):
        return _fused(kind.type(start), kind.type(end), steps)
    if kind.kind not in "ui":
        return np.linspace(start, end, steps)
    start, end = int(start), int(end)
    step, at = (end - start) / max(steps - 1, 1), np.arange(steps)
    return np.where(_near(at, steps), start + step * at, end - step * (steps - 1 - at))


def _near(at: Array, steps: int) -> Array:
    return (at < steps // 2) | (steps == 1)


def _fused(start: Any, end: Any, steps: int) -> Array:
    """The same, where a product and a sum are rounded once, as a processor does it in one instruction."""
    wide = np.float64 if start.dtype == np.float32 else np.longdouble
    step, at = wide((end - start) / start.dtype.type(max(steps - 1, 1))), np.arange(steps)
    return np.where(_near(at, steps), wide(start) + step * at, wide(end) - step * (steps - 1 - at)).astype(start.dtype)
