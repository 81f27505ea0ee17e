"""How the result of an index by lists lies in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

Steps = tuple[int, ...]


def as_indexed(found: Array, x: Array, where: tuple[Any, ...]) -> Array:
    """What an index found, as PyTorch lays it out: by the steps of what was indexed, those of the lists, and in rows.

    numpy puts the dimension that was listed first in memory, PyTorch does not.
    """
    if found.ndim < 2:
        return np.asarray(found)
    in_rows = x.flags.c_contiguous and all(isinstance(one, slice) or one.flags.c_contiguous for one in where)
    order = [*range(found.ndim)][::-1] if in_rows else _from_the_inside(found.shape, _steps(x, where))
    step, steps = found.itemsize, [0] * found.ndim
    for dim in order:
        steps[dim] = step
        step *= max(found.shape[dim], 1)
    if found.strides == tuple(steps):
        return found
    laid = np.empty([found.shape[dim] for dim in reversed(order)], found.dtype)
    out = laid.transpose(np.argsort(order[::-1]))
    out[...] = found
    return out


def _steps(x: Array, where: tuple[Any, ...]) -> list[Steps]:
    """The steps of the indexed array, 0 along dimensions that were listed, and those of each list."""
    lists: list[Array] = []
    listed: list[int] = []
    dim = 0
    for one in where:
        parts = [one] if isinstance(one, slice) else list(one.nonzero()) if one.dtype.kind == "b" else [one]
        for part in parts:
            if not isinstance(part, slice):
                lists.append(part)
                listed.append(dim)
            dim += 1
    side_by_side = listed == list(range(listed[0], listed[0] + len(listed)))
    before = listed[0] if side_by_side else 0
    kept = tuple(step for at, step in enumerate(x.strides) if at not in listed)
    wide = np.broadcast_shapes(*(one.shape for one in lists))
    own = kept[:before] + (0,) * len(wide) + kept[before:]
    front, back = (0,) * before, (0,) * (len(kept) - before)
    return [own, *(front + np.broadcast_to(one, wide).strides + back for one in lists)]


def _from_the_inside(shape: Sequence[int], operands: list[Steps]) -> list[int]:
    """The dimensions, those with the shortest steps first; steps of 0 do not count, the first operand decides."""
    order = list(range(len(shape)))[::-1]
    for last in range(1, len(order)):
        at = last
        for other in reversed(range(last)):
            turn = _compared(shape, operands, order[other], order[at])
            if turn > 0:
                order[other], order[at] = order[at], order[other]
                at = other
            elif turn < 0:
                break
    return order


def _compared(shape: Sequence[int], operands: list[Steps], one: int, two: int) -> int:
    """1 if dimension `two` belongs before `one`, -1 if it does not, 0 if nothing tells."""
    for steps in operands:
        first, second = abs(steps[one]), abs(steps[two])
        if first and second and first != second:
            return 1 if first > second else -1
        if first and second and shape[one] > shape[two]:
            return 1
    return 0
