"""Tiles: the loop that a fused operation becomes, and the small buffers that it computes in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from autograd_lab.compiler.buffers import Plan, planned
from autograd_lab.compiler.graph import Constant, Graph, Operation, Value, dense
from autograd_lab.engine.dtypes import Array

SPREAD = {np.maximum, np.minimum}
"""Functions that numpy does five times as fast with an array in the place of a number, and bit for bit the same."""
CACHE_BYTES = 3 * 2**18
"""What the arrays of one tile may take together: three quarters of a cache of one MiB, as processors have per core."""


@dataclass(frozen=True)
class Loop:
    """A fused operation, on stretches of its operands along their first dimension.

    `tile` computes one stretch; `sliced` are the operands that have one, the others go in as they are, but for those
    constants that are `spread` over an array. If `flat`, operands count as one row of elements, whatever their shapes.
    """

    name: str
    tile: Graph
    plan: Plan
    sliced: tuple[Value, ...]
    spread: dict[Constant, Value]
    rows: int
    total: int
    flat: bool

    @property
    def count(self) -> int:
        """How many tiles there are."""
        return -(-self.total // self.rows)

    def tiles(self) -> list[tuple[Any, ...]]:
        """For each tile its stretch, and its parts of small buffers and spread constants: the same memory for all."""
        spread = [np.full(value.shape, constant.array) for constant, value in self.spread.items()]
        buffers = [np.empty(buffer.nbytes, np.uint8) for buffer in self.plan.buffers]
        starts = range(0, self.total, self.rows)
        lengths = [(at, min(self.rows, self.total - at)) for at in starts]
        return [(slice(at, at + n), *self._parts(buffers, n), *(one[:n] for one in spread)) for at, n in lengths]

    def _parts(self, buffers: list[Array], rows: int) -> Iterator[Array]:
        for value, number in self.plan.homes.items():
            yield np.ndarray((rows, *value.shape[1:]), value.dtype, buffers[number])


def loop_of(name: str, operation: Operation) -> Loop:
    """The loop for a fused operation, with tiles as large as fit into a cache."""
    shape = operation.results[0].shape
    flat = all(not one.shape or (one.shape == shape and one.is_dense) for one in operation.args)
    total, inner = (math.prod(shape), ()) if flat else (shape[0], shape[1:])
    sliced = tuple(one for one in operation.args if len(one.shape) == len(shape) and one.shape[:1] == shape[:1])
    widest = max(value.dtype.itemsize for each in operation.body for value in each.results) * math.prod(inner)
    rows = total
    for _ in range(2):  # a plan tells how many arrays there are, and so how long they may be
        spread = _spread(operation, (rows, *inner))
        tile = _tile(operation, sliced, spread, (rows, *inner))
        plan = planned(tile, {})
        arrays = len(plan.buffers) + len(sliced) + len(spread) + len(operation.results)
        rows = -(-total // max(1, -(-total * widest * arrays // CACHE_BYTES)))
    spread = _spread(operation, (rows, *inner))
    tile = _tile(operation, sliced, spread, (rows, *inner))
    plan = replace(planned(tile, {}), onto={one: one for one in tile.outputs if one is not None})
    return Loop(name, tile, plan, sliced, spread, rows, total, flat)


def _spread(operation: Operation, shape: tuple[int, ...]) -> dict[Constant, Value]:
    """The constants that are better had as arrays, with what these are called."""
    found = [one for each in operation.body if each.kernel.run in SPREAD for one in each.operands]
    numbers = [one for one in found if isinstance(one, Constant) and not one.shape]
    return {one: Value(f"{one}_spread", shape, one.dtype, dense(shape, one.dtype)) for one in numbers}


def _tile(
    operation: Operation, sliced: tuple[Value, ...], spread: dict[Constant, Value], shape: tuple[int, ...]
) -> Graph:
    """The operations on one stretch, whose values are called as the whole ones are; `_part` if both are in use."""
    both = {*sliced, *operation.results}
    values = {one: None for each in operation.body for one in each.results} | dict.fromkeys(sliced)
    part = {
        one: Value(f"{one}_part" if one in both else one.name, shape, one.dtype, dense(shape, one.dtype))
        for one in values
    }
    body = [
        replace(each.taking(partial(_in_tile, each, part, spread)), results=tuple(part[one] for one in each.results))
        for each in operation.body
    ]
    return Graph(
        (*(part.get(one, one) for one in operation.args), *spread.values()),
        tuple(body),
        tuple(part[one] for one in operation.results),
    )


def _in_tile(operation: Operation, part: dict[Value, Value], spread: dict[Constant, Value], operand: Value) -> Value:
    if isinstance(operand, Constant) and operation.kernel.run in SPREAD:
        return spread.get(operand) or part.get(operand, operand)
    return part.get(operand, operand)
