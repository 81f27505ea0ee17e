"""What rows of float32 are reduced to, in the order of PyTorch's kernels: lengths by vectors, products, plain sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_lab.engine.kernels import vectors
from autograd_lab.engine.kernels.precise import asked, precise_of_two
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

Shape = tuple[int, ...]
Sum = Callable[[Array], Array]
Plan = tuple[Shape | None, int, bool, Shape, Shape | None]
"""The axes by their steps in memory, those to reduce last; the length of a row, and whether its numbers lie one after
another; the shape of the result, and its axes in place."""
LANES, SIDES = 8, 4
"""Of a vector: these kernels know AVX2 alone; and so many products are kept side by side."""
AT_ONCE = 4
"""What fills no vector is squared four at a time; of less than four each square is added before it is rounded."""
MOST = 1 << 15
"""Rows of more numbers are shared by threads."""


def squares_summed(x: Array, axes: Shape | None, keepdims: bool) -> Array:
    """Σ x² along axes."""
    made = _reduced(squares_summed, _squares, lambda rows: _in_turn(np.square(rows)), x, axes, keepdims)
    return np.asarray((x * x).sum(axis=axes, keepdims=keepdims)) if made is None else made


def _squares(rows: Array) -> Array:
    width = rows.shape[1]
    full, fours = width - width % LANES, width - width % AT_ONCE
    squares = np.square(rows if fours == width else rows[:, :fours])
    if full > LANES:
        vectors = squares if full == fours else squares[:, :full]
        lanes: Array = np.add.reduce(vectors.reshape(len(rows), -1, LANES), 1)
        squares = lanes if full == fours else np.concatenate((lanes, squares[:, full:]), 1)
    return _with_rest(squares, rows)


def distances(apart: Array, p: float, by_vectors: bool = False) -> Array:
    """(Σ |x|^p)^(1/p) along the last axis: the numbers of a row in turn, or of vectors, then of their halves."""
    if (made := asked(distances, apart, p, by_vectors)) is not None:
        return made
    axis = (apart.ndim - 1,)
    if p == 2 and not by_vectors:
        rows = apart.reshape(-1, apart.shape[-1])
        fours = rows[:, : rows.shape[1] - rows.shape[1] % AT_ONCE]
        return np.asarray(np.sqrt(_with_rest(np.square(fours), rows))).reshape(apart.shape[:-1])
    size = np.abs(apart)
    if p != 1:
        size = np.square(size) if p == 2 else precise_of_two(np.power, size, size.dtype.type(p))
    total = vectors.summed(size, LANES * F32.itemsize)[..., 0] if by_vectors else in_turn(size, axis, False)
    if p == 2:
        return np.asarray(np.sqrt(total))
    return total if p == 1 else np.asarray(np.power(total, 1 / p, dtype=F64), F32)


def _with_rest(squares: Array, rows: Array) -> Array:
    """The sum of squares, and of those of the last numbers of each row."""
    width = rows.shape[1]
    fours = width - width % AT_ONCE
    total = _in_turn(squares) if fours else np.zeros(len(rows), F32)
    if fours < width:
        for square in np.square(rows[:, fours:], dtype=F64).T:
            square += total
            total = square.astype(F32)
    return total


def in_turn(x: Array, axes: Shape | None, keepdims: bool) -> Array:
    """Σ x along axes, one number after another as they lie in memory."""
    made = _reduced(in_turn, _in_turn, _in_turn, x, axes, keepdims)
    return np.asarray(x.sum(axis=axes, keepdims=keepdims)) if made is None else made


def product(x: Array, axes: Shape | None, keepdims: bool) -> Array:
    """Π x along axes: of four vectors side by side, then of their lanes, and of what fills none."""
    made = _reduced(product, _multiplied, None, x, axes, keepdims)
    return np.asarray(x.prod(axis=axes, keepdims=keepdims)) if made is None else made


def _multiplied(rows: Array) -> Array:
    full = rows.shape[1] - rows.shape[1] % (LANES * SIDES)
    if full:
        sides: Array = np.multiply.reduce(rows[:, :full].reshape(len(rows), -1, SIDES, LANES), 1)
        lanes = (sides[:, 0] * sides[:, 1]) * (sides[:, 2] * sides[:, 3])
        rows = np.concatenate((lanes, rows[:, full:]), axis=1)
    total: Array = np.multiply.reduce(rows, 1)
    return total


def _in_turn(rows: Array) -> Array:
    many = len(rows) >= LANES  # side by side
    total: Array = np.add.reduce(np.ascontiguousarray(rows.T), 0) if many else np.add.accumulate(rows, 1)[:, -1]
    return total


def _reduced(function: Any, together: Sum, apart: Sum | None, x: Any, axes: Shape | None, keepdims: bool) -> Any:
    """What rows are reduced to that lie in memory number by number, or others; None of another dtype or layout."""
    if type(x) is not np.ndarray:
        return asked(function, x, axes, keepdims)
    if x.dtype is not F32 or (plan := _planned(x.shape, x.strides, axes, keepdims)) is None:
        return None
    order, width, is_one, result, back = plan
    if (of_rows := together if is_one else apart) is None:
        return None
    found = of_rows((x if order is None else x.transpose(order)).reshape(-1, width)).reshape(result)
    return found if back is None else found.transpose(back)


@lru_cache(maxsize=4096)
def _planned(shape: Shape, strides: Shape, axes: Shape | None, keepdims: bool) -> Plan | None:
    """How to go along rows of which the numbers lie nearer to each other than rows do."""
    every = range(len(shape))
    away = set(every if axes is None else (axis % len(shape) for axis in axes))
    order = sorted(every, key=lambda axis: (axis in away, shape[axis] != 1, -strides[axis], axis))
    moved = [axis for axis in order if shape[axis] != 1]
    width = math.prod(shape[axis] for axis in away)
    if 0 in shape or width > MOST or any(strides[axis] <= 0 for axis in moved):
        return None
    inner = [axis for axis in moved if axis in away]
    if any(strides[axis] < strides[inner[-1]] for axis in moved if inner):
        return None
    ends = [strides[axis] for axis in inner[:-1]] + [F32.itemsize]
    sizes = [shape[axis] * strides[axis] for axis in inner[1:]] + [strides[axis] for axis in inner[-1:]]
    there = [axis for axis in order if keepdims or axis not in away]
    back = tuple(sorted(range(len(there)), key=there.__getitem__))
    result = tuple(1 if axis in away else shape[axis] for axis in there)
    is_one = not inner or ends == sizes
    straight = order == [*every]
    return None if straight else tuple(order), width, is_one, result, None if there == sorted(there) else back
