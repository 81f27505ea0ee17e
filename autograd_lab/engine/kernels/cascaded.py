"""Sums in PyTorch's order of addition: by vectors, four of them side by side, in blocks whose sums are added in turn.

So the last digit is PyTorch's; numpy adds the halves of a row. What PyTorch's loops go over first depends on the steps
in memory; that is planned once for a layout, and what is planned takes few calls of numpy.
"""

from __future__ import annotations

import functools
import math
import platform
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_lab.engine.kernels.precise import asked
from autograd_lab.engine.numbers.dtypes import F32, F64, WIDE, Array

BYTES = 16 if platform.machine().lower() in ("arm64", "aarch64") else 32
"""Of a vector, as PyTorch's sums have it: of Intel's and AMD's processors they use no longer ones."""
SIDES = 4
"""So many sums are kept side by side, so that none has to wait for the one before."""
LEVELS = 4
LEAST = 4
"""The logarithm of how many rows are added up before their sum is added to the others'."""
ROWS_FOR_DOT = 4096
"""Adding up at most this many rows as a product with ones is three times as fast; beyond, float32 would drift."""

Shape = tuple[int, ...]
Loop = list[int]
"""The axes that are gone round as one, the innermost first."""
Sum = Callable[[Array], Array]


def cascade_sum(x: Array, axes: Shape | None = None, keepdims: bool = False) -> Array:
    """The sum along axes, or of all elements: of float32 and float64 to the bit as PyTorch's, else as numpy adds them,
    integers as int64 and half precision as float32."""
    if type(x) is not np.ndarray:
        if (made := asked(cascade_sum, x, axes, keepdims)) is not None:
            return made
        x = np.asanyarray(x)  # what has no elements, as on "meta", stays without
    if (x.dtype is F32 or x.dtype is F64) and type(x) is np.ndarray:
        return _planned(x.shape, x.strides, axes, keepdims, x.itemsize)(x)
    total = np.add.reduce(x, axis=axes, keepdims=keepdims, out=..., dtype=WIDE.get(x.dtype))
    return np.asanyarray(total, order="C")


def dims_to(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions to sum over, so that `shape` becomes `target`.

    Raises ValueError if `target` does not broadcast to `shape`.
    """
    new = len(shape) - len(target)
    if new < 0 or any(target[d - new] not in (1, shape[d]) for d in range(new, len(shape))):
        raise ValueError("not broadcast")
    return (*range(new), *(d for d in range(new, len(shape)) if target[d - new] == 1 != shape[d]))


def sum_to(g: Any, shape: tuple[int, ...]) -> Any:
    """Add up what one element of `shape` was used for.

    Raises ValueError if `shape` does not broadcast to the array's.
    """
    if g.shape[1:] == shape:
        total = cascade_sum(g, (0,))
    else:
        total = cascade_sum(g, dims_to(g.shape, shape), True).reshape(shape)
    return total if total.dtype is g.dtype else total.astype(g.dtype)


@lru_cache(maxsize=4096)
def _planned(shape: Shape, strides: Shape, axes: Shape | None, keepdims: bool, itemsize: int) -> Sum:
    """How to add up an array of that layout."""
    away = set(range(len(shape)) if axes is None else (axis % max(len(shape), 1) for axis in axes))
    result = tuple(1 if axis in away else size for axis, size in enumerate(shape) if keepdims or axis not in away)
    if 0 in shape:
        return lambda x: np.zeros(result, x.dtype)
    there = [axis for axis in range(len(shape) - 1, -1, -1) if shape[axis] != 1]
    adding = _as_one(_by_steps([axis for axis in there if axis in away], shape, strides), shape, strides)
    going = _as_one([axis for axis in there if axis not in away], shape, strides)
    if not adding:
        return lambda x: np.add(x, x.dtype.type(0), out=..., order="C").reshape(result)
    if len(adding) == 1 and math.prod(_of(adding[0], shape, strides)[:1]) <= SIDES:
        return lambda x: np.asarray(np.add.reduce(x, axis=axes, keepdims=keepdims, out=...), order="C")
    first, second = ([_of(loop, shape, strides) for loop in (*adding, *going)] + [(1, 0)])[:2]
    down, at_once = _kind(first, second, itemsize)
    inner, loops = (first[0], second[0]) if down else first[:1], [*going[::-1], *adding[::-1]]
    if down:
        loops[-2:] = loops[:-3:-1]
    order = [axis for axis in range(len(shape)) if shape[axis] == 1] + [axis for loop in loops for axis in loop[::-1]]
    lead = math.prod(shape) // math.prod(inner)
    seen = (lead, *inner) if lead > 1 else inner
    add = _down(seen, at_once) if down else _along(seen, at_once)
    steps = tuple(itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    if down and (seen, strides, result) == (shape, steps, (*shape[:-2], *shape[-1:])) and order == [*range(len(shape))]:
        return add  # as it lies
    return _composed(add, order, seen, math.prod(_of(loop, shape, strides)[0] for loop in adding[1:]), result)


def _composed(add: Sum, order: Loop, seen: Shape, turns: int, result: Shape) -> Sum:
    straight = order == sorted(order)

    def total(x: Array) -> Array:
        x = add(x.reshape(seen) if straight else x.transpose(order).reshape(seen))
        if turns > 1:
            x = np.add.accumulate(x.reshape(-1, turns), axis=1)[:, -1].copy()
        return np.asarray(x, order="C") if x.shape == result else np.asarray(x, order="C").reshape(result)

    return total


def _of(loop: Loop, shape: Shape, strides: Shape) -> tuple[int, int]:
    """How often it is gone round, and the step in memory."""
    return math.prod(shape[axis] for axis in loop), strides[loop[0]]


def _by_steps(axes: list[int], shape: Shape, strides: Shape) -> list[int]:
    """The axes in the order of PyTorch's loops, innermost first: shorter steps before longer ones."""
    for place in range(1, len(axes)):
        here = place
        for before in range(place - 1, -1, -1):
            first, second = axes[before], axes[here]
            if not strides[first] or not strides[second]:
                continue
            if (strides[first], shape[first]) > (strides[second], shape[second]):
                axes[before], axes[here] = second, first
                here = before
            elif strides[first] < strides[second]:
                break
    return axes


def _as_one(axes: list[int], shape: Shape, strides: Shape) -> list[Loop]:
    """Loops over axes, of which one that continues another is one with it."""
    loops: list[Loop] = []
    for axis in axes:
        if loops and math.prod(_of(loops[-1], shape, strides)) == strides[axis]:
            loops[-1].append(axis)
        else:
            loops.append([axis])
    return loops


def _kind(first: tuple[int, int], second: tuple[int, int], itemsize: int) -> tuple[bool, int]:
    """Whether columns are added rather than rows, from the two innermost loops, and how many numbers at once."""
    (size, step), (columns, across), lanes = first, second, BYTES // itemsize
    if step == itemsize and size >= lanes:
        return False, lanes
    if across == itemsize and columns >= lanes:
        return True, SIDES * lanes
    return (False, 1) if step < across or columns == 1 else (True, SIDES)


def _along(shape: Shape, lanes: int) -> Sum:
    """The sum along the last axis: of vectors, then of what fills none and of the lanes of their sum, in turn."""
    *lead, size = shape
    rows = size // lanes
    vectors, full = (*lead, rows, lanes), rows * lanes
    add, cut, rest = _down_a_column(vectors), _part(len(lead), 0, full), _part(len(lead), full, size)
    if lanes == 1:
        return lambda x: add(x.reshape(vectors)).reshape(lead)
    if not lead:
        if full == size:
            return lambda x: np.add.accumulate(add(x.reshape(vectors)))[-1]
        return lambda x: _in_turn(x[rest], add(x[cut].reshape(vectors)))

    def along(x: Array) -> Array:
        turns = np.empty((size - full + lanes, *lead), x.dtype)
        turns[: size - full], turns[size - full :] = x[rest].T, add(x[cut].reshape(vectors)).T
        return np.add.reduce(turns, 0)

    return along


def _in_turn(first: Array, then: Array) -> Array:
    return np.add.accumulate(np.concatenate((first, then)))[-1]


def _part(axis: int, start: int, end: int) -> Any:
    """The index of a part along an axis."""
    return (slice(None), slice(start, end)) if axis else slice(start, end)


def _down(shape: Shape, at_once: int) -> Sum:
    """The sums along the last axis but one, of so many columns at once, and of each that is left for itself."""
    *lead, size, columns = shape
    many = columns - columns % at_once
    if not many:
        return _down_a_column(shape)
    add, add_one = _in_blocks((*lead, size, many), len(lead)), _down_a_column((*lead, size, columns - many))
    if many == columns:
        return add
    return lambda x: np.concatenate((add(x[..., :many]), add_one(x[..., many:])), axis=-1)


def _down_a_column(shape: Shape) -> Sum:
    """The sum along the last axis but one, by sums side by side."""
    *lead, size, columns = shape
    axis, rows = len(lead), size // SIDES
    if size <= SIDES:
        return lambda x: np.add.reduce(x, axis)
    if rows == 1:
        order = [0, *range(SIDES, size), *range(1, SIDES)]
        return lambda x: np.add.reduce(x.take(order, axis), axis)
    sides, full = (*lead, rows, SIDES, columns), rows * SIDES
    add, cut, rest = _in_blocks(sides, axis), _part(axis, 0, full), _part(axis, full, size)
    if full == size:
        return lambda x: np.add.reduce(add(x.reshape(sides)), axis)
    first, others = _part(axis, 0, 1), _part(axis, 1, SIDES)

    def down(x: Array) -> Array:
        total = add(x[cut].reshape(sides))
        return np.add.reduce(np.concatenate((total[first], x[rest], total[others]), axis), axis)

    return down


def _in_blocks(shape: Shape, axis: int) -> Sum:
    """The sum along an axis that is not the last, of so many rows, by blocks."""
    size, lead, behind = shape[axis], shape[:axis], shape[axis + 1 :]
    block = 1 << max(LEAST, (size - 1).bit_length() // LEVELS)
    cuts: list[Any] = []
    while size > block and len(cuts) < LEVELS - 1:
        full, blocks = size - size % block, size // block
        cuts.append((full < size and _part(axis, 0, full), (*lead, blocks, block, *behind), _part(axis, full, size)))
        size = blocks
    one = (*[slice(None)] * axis, 0)

    def in_blocks(x: Array) -> Array:
        parts = []
        for cut, blocks, rest in cuts:
            if cut:
                parts.append(np.add.reduce(x[rest], axis))
                x = x[cut]
            x = np.add.reduce(x.reshape(blocks), axis + 1)
        parts.append(x[one] if size == 1 else np.add.reduce(x, axis))
        return functools.reduce(np.add, parts)

    return in_blocks if cuts else lambda x: np.add.reduce(x, axis)
