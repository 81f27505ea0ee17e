"""Tiles: the loop that a fused operation becomes, and the small buffers that it computes in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value, dense
from autograd_lab.compiler.program.buffers import Plan, planned
from autograd_lab.engine.numbers.dtypes import Array

SPREAD = {np.maximum, np.minimum}
"""Functions that numpy does five times as fast with an array in the place of a number, and bit for bit the same."""
CACHE_BYTES = 3 * 2**18
"""What the arrays of one tile may take together: three quarters of a cache of one MiB, as processors have per core."""


Shape = tuple[int, ...]


@dataclass(frozen=True)
class Loop:
    """A fused operation, on stretches of its operands along one dimension, the `axis`; those before it go one by one.

    `tile` computes one stretch; `sliced` are the operands of the whole `shape`, `across` those that are repeated in it
    but have a stretch, too. The others go in as they are, but for those constants that are `spread` over an array. If
    `flat`, operands count as one row of elements, whatever their shapes.
    """

    name: str
    tile: Graph
    plan: Plan
    sliced: tuple[Value, ...]
    across: tuple[Value, ...]
    spread: dict[Constant, Value]
    shape: Shape
    axis: int
    rows: int
    flat: bool

    @property
    def count(self) -> int:
        """How many tiles there are."""
        return math.prod(self.shape[: self.axis]) * -(-self.shape[self.axis] // self.rows)

    def tiles(self) -> list[tuple[Any, ...]]:
        """For each tile its place, those of operands `across`, and its parts of small buffers and spread constants.

        The buffers are the same memory for all tiles.
        """
        spread = [np.full(value.shape, constant.array) for constant, value in self.spread.items()]
        buffers = [np.empty(buffer.nbytes, np.uint8) for buffer in self.plan.buffers]
        found = []
        total = self.shape[self.axis]
        for *before, at in product(*map(range, self.shape[: self.axis]), range(0, total, self.rows)):
            rows = min(self.rows, total - at)
            where = (*(slice(one, one + 1) for one in before), slice(at, at + rows))
            others = [_within(where, value.shape, len(self.shape)) for value in self.across]
            parts = self._parts(buffers, tile_shape(self.shape, self.axis, rows))
            cut = (*(slice(None) for _ in before), slice(rows))
            found.append((where, *others, *parts, *(one[cut] for one in spread)))
        return found

    def _parts(self, buffers: list[Array], shape: Shape) -> Iterator[Array]:
        for value, number in self.plan.homes.items():
            yield np.ndarray(shape, value.dtype, buffers[number])


def tile_shape(shape: Shape, axis: int, rows: int) -> Shape:
    """The shape of a tile of so many rows along an axis."""
    return (*(1 for _ in shape[:axis]), rows, *shape[axis + 1 :])


def _within(where: tuple[slice, ...], shape: Shape, ndim: int) -> tuple[slice, ...]:
    """Where in an operand of this shape, which is repeated in one of `ndim` dimensions, a tile finds its elements."""
    whole = (*where, *(slice(None) for _ in range(ndim - len(where))))
    return tuple(one if size > 1 else slice(None) for one, size in zip(whole[ndim - len(shape) :], shape, strict=True))


def loop_of(name: str, operation: Operation) -> Loop:
    """The loop for a fused operation, with tiles as large as fit into a cache."""
    whole = operation.results[0].shape
    flat = all(not one.shape or (one.shape == whole and one.is_dense) for one in operation.args)
    shape = (math.prod(whole),) if flat else whole
    sliced = tuple(one for one in operation.args if one.shape == whole)
    across: tuple[Value, ...] = ()
    widest = max(value.dtype.itemsize for each in operation.body for value in each.results)
    axis, rows = 0, shape[0]
    for _ in range(2):  # a plan tells how many arrays there are, and so how long they may be
        spread, tile = _tile(operation, sliced, across, shape, axis, rows)
        plan = planned(tile, {})
        arrays = len(plan.buffers) + len(sliced) + len(across) + len(spread) + len(operation.results)
        axis, rows = _stretch(shape, widest * arrays)
        across = tuple(one for one in operation.args if one not in sliced and _is_cut(one.shape, len(shape), axis))
    spread, tile = _tile(operation, sliced, across, shape, axis, rows)
    plan = replace(planned(tile, {}), onto={one: one for one in tile.outputs if one is not None})
    return Loop(name, tile, plan, sliced, across, spread, shape, axis, rows, flat)


def _stretch(shape: Shape, nbytes: int) -> tuple[int, int]:
    """Along which axis to cut, and how many rows a tile has, if each element takes so many bytes in all arrays.

    The first axis whose rows fit into the cache; the last one if a row has but one element.
    """
    fitting = (axis for axis in range(len(shape)) if math.prod(shape[axis + 1 :]) * nbytes <= CACHE_BYTES)
    axis = next(fitting, len(shape) - 1)
    tiles = max(1, -(-math.prod(shape[axis:]) * nbytes // CACHE_BYTES))
    return axis, -(-shape[axis] // tiles)


def _is_cut(shape: Shape, ndim: int, axis: int) -> bool:
    """Whether an operand of this shape, repeated in one of `ndim` dimensions, is another one in each tile."""
    return any(size > 1 for size in shape[: max(0, axis + 1 - ndim + len(shape))])


def _spread(operation: Operation, shape: tuple[int, ...]) -> dict[Constant, Value]:
    """The constants that are better had as arrays, with what these are called."""
    found = [one for each in operation.body if each.kernel.run in SPREAD for one in each.operands]
    numbers = [one for one in found if isinstance(one, Constant) and not one.shape]
    return {one: Value(f"{one}_spread", shape, one.dtype, dense(shape, one.dtype)) for one in numbers}


def _tile(
    operation: Operation, sliced: tuple[Value, ...], across: tuple[Value, ...], shape: Shape, axis: int, rows: int
) -> tuple[dict[Constant, Value], Graph]:
    """The constants to spread, and the operations on one stretch.

    Their values are called as the whole ones are; `_part` if both are in use.
    """
    own = tile_shape(shape, axis, rows)
    spread = _spread(operation, own)
    both = {*sliced, *operation.results}
    values = dict.fromkeys(one for each in operation.body for one in each.results) | dict.fromkeys(sliced)
    part = {one: _part(one, own, one in both) for one in values}
    for one in across:
        at = axis - len(shape) + len(one.shape)
        part[one] = _part(one, tuple(_cut(size, d - at, rows) for d, size in enumerate(one.shape)), True)
    body = [
        replace(each.taking(partial(_in_tile, each, part, spread)), results=tuple(part[one] for one in each.results))
        for each in operation.body
    ]
    return spread, Graph(
        (*(part.get(one, one) for one in operation.args), *spread.values()),
        tuple(body),
        tuple(part[one] for one in operation.results),
    )


def _part(value: Value, shape: Shape, is_both: bool) -> Value:
    return Value(f"{value}_part" if is_both else value.name, shape, value.dtype, dense(shape, value.dtype))


def _cut(size: int, beyond: int, rows: int) -> int:
    """How much of a dimension a tile has: one before the axis, `rows` along it, all after it."""
    return size if beyond > 0 else min(size, rows if beyond == 0 else 1)


def _in_tile(operation: Operation, part: dict[Value, Value], spread: dict[Constant, Value], operand: Value) -> Value:
    if isinstance(operand, Constant) and operation.kernel.run in SPREAD:
        return spread.get(operand) or part.get(operand, operand)
    return part.get(operand, operand)
