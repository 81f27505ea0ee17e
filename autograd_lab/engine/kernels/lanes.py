"""Sums of products by lanes, as a processor that computes with sixteen numbers at once makes them.

The first of sixteen lanes has the products 0, 16, 32, …; in the end lanes are added to each other. So PyTorch's library
multiplies what lies in memory along what is summed: a matrix and a vector, two vectors, few rows or columns. A matrix
that lies otherwise is multiplied with a vector eight columns at a time.

Here lanes come of a product of matrices, in which each factor stands in its lane, with 0 in the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from autograd_lab.engine.kernels.in_turn import LONGEST, chain
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

WIDTH = 16
HALVES = np.array([at + half for half in (0, 8) for at in (0, 4, 2, 6, 1, 5, 3, 7)])
"""The order in which numpy adds the second half of all lanes to the first, and so on, when it adds neighbours."""
NEIGHBOURS = np.array([at + half for half in (0, 8) for at in (0, 4, 1, 5, 2, 6, 3, 7)])
"""The same for two vectors, of which the last four are added as neighbours."""
ONE = np.eye(WIDTH, dtype=F32)
PLACED = ONE[HALVES]
TWO = np.kron(np.eye(2, dtype=F32), PLACED)
"""Two sums in each lane."""
BOTH = np.concatenate((TWO, np.concatenate((PLACED, PLACED))), axis=1)
MANY = 1e6
"""Of so many products at once numpy's library adds parts."""


def dotted(u: Array, v: Array) -> Array:
    """Two vectors: four sums in each lane, then two of what is left, then one."""
    terms = np.multiply(u, v, dtype=F64)
    size = terms.size // 64 * 64
    total = np.zeros(64, F32)
    for at in range(0, size, 64):
        total += terms[at : at + 64]
    if terms.size - size >= 32:
        total[:32] += terms[size : size + 32]
        size += 32
    for at in range(size, terms.size, WIDTH):
        part = terms[at : at + WIDTH]
        total[: part.size] += part
    if terms.size >= 32:
        total = (total[:WIDTH] + total[WIDTH:32]) + (total[32:48] + total[48:])
    return np.asarray(np.add.reduce(total[NEIGHBOURS]))


def applied(x: Array, v: Array) -> Array:
    """A matrix that lies in memory by rows, and a vector: rows go by four, and what is left one by one."""
    if 1 < len(v) <= FEW:
        return _of_short_rows(x, v)
    whole = len(x) // 4 * 4
    if whole == len(x):
        made = _by_fours(x, v)
    else:
        made = x[whole:, 0] * v[0]
        made += _each(x[whole:, 1:], v[None, 1:].repeat(2, axis=0))[:, 0]  # the first product is added at last
        made = np.concatenate((_by_fours(x[:whole], v), made)) if whole else made
    return _checked(made, x, v)


def _by_fours(x: Array, v: Array) -> Array:
    """The first product starts the first lane; and so does their sum among what fills no lanes."""
    start = 1 + (len(v) - 1) // WIDTH * WIDTH
    if start == 1:
        return np.add.reduce(x.dot(_placed(v)), axis=1)
    factors = np.empty((start, WIDTH), F32)
    np.multiply(PLACED[0], v[0], out=factors[0])
    np.multiply(PLACED, v[1:start].reshape(-1, WIDTH, 1), out=factors[1:].reshape(-1, WIDTH, WIDTH))
    total = np.add.reduce(_laid(x[:, :start], factors), axis=1)
    if start == len(v):
        return total
    rest = np.concatenate((total[:, None], x[:, start:]), axis=1)
    return np.add.reduce(rest.dot(_placed(np.concatenate((ONE[0, :1], v[start:])))), axis=1)


def _placed(v: Array) -> Array:
    """A number that starts the first lane, and a number for each lane."""
    return FROM_FIRST[: len(v)] * v[:, None]


FROM_FIRST = np.concatenate((PLACED[:1], PLACED))


def _of_short_rows(x: Array, v: Array) -> Array:
    """The same of so few numbers that each has a lane of its own."""
    products = (x * v).T
    first = np.multiply(x[:, 1], v[1], dtype=F64)
    first += products[0]
    made = _in_lanes([first.astype(F32), *products[2:]])
    if left := len(x) % 4:
        made[-left:] = (products[0] + _in_lanes([*products[1:]]))[-left:]
    return made


FEW = 4
"""So few numbers need no product of matrices."""


def _in_lanes(numbers: Sequence[Array]) -> Array:
    """The sum of what stands in the first lanes."""
    match numbers:
        case [one]:
            return one
        case [one, two]:
            return one + two
        case [one, two, three]:
            return (one + three) + two
        case _:
            one, two, three, four = numbers
            return (one + three) + (two + four)


def by_halves(x: Array, y: Array) -> Array:
    """Few rows and columns."""
    if 1 < len(y) <= FEW:
        return _in_lanes([x[:, at, None] * y[at] for at in range(len(y))])
    return _checked(_each(x, y.T), x, y)


def _each(x: Array, columns: Array) -> Array:
    """Every other row has two sums in each lane, as far as numbers fill both."""
    rows, inner = x.shape
    even = inner // 32 * 32
    shape = len(columns), rows, -1
    if even:
        lanes = _laid(columns[:, :even], _spread(x[:, :even], BOTH)).reshape(shape)
        total = lanes[..., :WIDTH] + lanes[..., WIDTH:32]
        total[:, 1::2] = lanes[:, 1::2, 32:]
        if even < inner:
            total = _carried(total.reshape(len(columns), -1), columns[:, even:], _spread(x[:, even:], PLACED))
    else:
        total = columns.dot(_spread(x, PLACED))
    return np.ascontiguousarray(np.add.reduce(total.reshape(shape), axis=2).T)


def by_quarters(x: Array, y: Array) -> Array:
    """Few rows: the lanes are added four by four, then neighbours."""
    total = _laid(y.T, _spread(x, ONE)).reshape(y.shape[1], len(x), 4, 4)
    four = total[:, :, 0] + total[:, :, 1] + total[:, :, 2] + total[:, :, 3]
    made = (four[..., 0] + four[..., 1]) + (four[..., 2] + four[..., 3])
    return _checked(np.ascontiguousarray(made.T), x, y)


def _spread(x: Array, lanes: Array) -> Array:
    """Each number of each row in its lane: (inner, rows * lanes)."""
    (rows, inner), (width, size) = x.shape, lanes.shape
    full = inner // width * width
    factors = np.empty((inner, rows, size), F32)
    if full:
        blocks = x[:, :full].T.reshape(-1, width, rows, 1)
        np.multiply(lanes[:, None], blocks, out=factors[:full].reshape(-1, width, rows, size))
    if full < inner:
        np.multiply(lanes[: inner - full, None], x[:, full:].T[:, :, None], out=factors[full:])
    return factors.reshape(inner, rows * size)


def _laid(x: Array, factors: Array) -> Array:
    """The sums of all lanes, however long."""
    if len(factors) <= LONGEST or x.size * factors.shape[1] <= MANY:
        return x.dot(factors)
    total = x[:, :LONGEST].dot(factors[:LONGEST])
    step = LONGEST - factors.shape[1]
    for at in range(LONGEST, len(factors), step):
        total = _carried(total, x[:, at : at + step], factors[at : at + step])
    return total


def _carried(total: Array, x: Array, factors: Array) -> Array:
    """More products, added to what is summed so far."""
    size = total.shape[1]
    return np.concatenate((total, x), axis=1).dot(np.concatenate((np.eye(size, dtype=F32), factors)))


def _checked(made: Array, x: Array, y: Array) -> Array:
    """What was made, if it is finite: infinity times 0 would be in all other lanes."""
    return made if math.isfinite(np.vdot(made, made)) else x.dot(y)


def applied_down(x: Array, v: Array, start: Array | None = None) -> Array:
    """A matrix that lies in memory by columns, and a vector: eight columns at a time are added to sixteen rows."""
    y, wide = x.T, len(x) // 16 * 16
    if len(v) < 8 or not wide:
        return chain(v, y, start)
    factors, rows = _in_eights(v, y[:, :wide])
    if wide == len(x):
        return chain(factors, rows, start)
    firsts, rests = (None, None) if start is None else (start[:wide], start[wide:])
    return np.concatenate((chain(factors, rows, firsts), chain(v, y[:, wide:], rests)))


def _in_eights(v: Array, y: Array) -> tuple[Array, Array]:
    """What is added in turn: of eight products the sixth and fourth, and two sums."""
    groups, columns = len(v) // 8, y.shape[1]
    size = groups * 8
    eight, numbers = y[:size].reshape(groups, 8, columns), v[:size].reshape(groups, 8, 1)
    factors, rows = np.ones(groups * 4 + len(v) - size, F32), np.empty((groups * 4 + len(v) - size, columns), F32)
    factors[groups * 4 :], rows[groups * 4 :] = v[size:], y[size:]
    once, four = factors[: groups * 4].reshape(groups, 4), rows[: groups * 4].reshape(groups, 4, columns)
    once[:, :2], four[:, :2] = numbers[:, 6:3:-2, 0], eight[:, 6:3:-2]
    fifth = np.multiply(eight[:, 5], numbers[:, 5], dtype=F64)
    fifth += eight[:, 7] * numbers[:, 7]
    four[:, 2] = fifth
    pairs = np.multiply(eight[:, :2], numbers[:, :2], dtype=F64)
    pairs += eight[:, 2:4] * numbers[:, 2:4]
    first, second = pairs.astype(F32).swapaxes(0, 1)
    np.add(first, second, out=four[:, 3])
    return factors, rows
