"""Sums of products by lanes, as a processor that computes with sixteen numbers at once makes them.

The first of sixteen lanes has the products 0, 16, 32, …; in the end lanes are added to each other. So PyTorch's library
multiplies what lies in memory along what is summed: a matrix and a vector, two vectors, few rows or columns. A matrix
that lies otherwise is multiplied with a vector eight columns at a time.
"""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.kernels.in_turn import LONGEST, chain, in_turn
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

WIDTH = 16
SHORT = 65
"""Of more products those of a lane are added by a matrix product, in which all other lanes have a factor 0."""


def dotted(u: Array, v: Array) -> Array:
    """Two vectors: four sums in each lane, then two of what is left, then one."""
    terms = np.multiply(u, v, dtype=F64)
    size = terms.size // 64 * 64
    total = _lanes(terms[:size], 64, np.zeros(64, F32))
    if terms.size - size >= 32:
        total[:32] += terms[size : size + 32]
        size += 32
    first = _lanes(terms[size:], WIDTH, total[:WIDTH])
    total = (first + total[WIDTH:32]) + (total[32:48] + total[48:])
    total = total[:8] + total[8:]
    total = total[:4] + total[4:]
    return np.asarray((total[0] + total[1]) + (total[2] + total[3]))


def applied(x: Array, v: Array) -> Array:
    """A matrix that lies in memory by rows, and a vector: rows go by four, and what is left one by one."""
    whole = len(x) // 4 * 4
    if whole == len(x):
        return _by_fours(x, v)
    rest = _one_by_one(x[whole:], v)
    return np.concatenate((_by_fours(x[:whole], v), rest)) if whole else rest


def _by_fours(x: Array, v: Array) -> Array:
    """The first product starts the first lane, and their sum that of what fills no lanes."""
    y, full = x.T, (len(v) - 1) // WIDTH * WIDTH
    total = y[0] * v[0]
    if len(v) > SHORT:
        factors = np.zeros((1 + full, WIDTH), F32)
        factors[0, 0] = v[0]
        factors[1:].reshape(-1, WIDTH * WIDTH)[:, :: WIDTH + 1] = v[1 : 1 + full].reshape(-1, WIDTH)
        total = _halved(_laid(factors, y[: 1 + full]))
        if not np.isfinite(total).all():
            return x.dot(v)
        full += 1
        terms = np.multiply(y[full:], v[full:, None], dtype=F64)
    else:
        terms = np.multiply(y[1:], v[1:, None], dtype=F64)
        if full:
            start = np.zeros((WIDTH, len(x)), F32)
            start[0] = total
            total, terms = _halved(_lanes(terms[:full], WIDTH, start)), terms[full:]
    if len(terms):
        terms[0] += total
        total = _halved(terms.astype(F32))
    return total


def _one_by_one(x: Array, v: Array) -> Array:
    """The first product is added at last."""
    return x[:, 0] * v[0] + _each(np.multiply(x.T[1:], v[1:, None], dtype=F64))


def by_halves(x: Array, y: Array) -> Array:
    """Few rows and columns."""
    return _each(np.multiply(x.T[:, :, None], y[:, None], dtype=F64))


def _each(terms: Array) -> Array:
    """Sums along the first dimension; every other row has two in each lane, as far as numbers fill both."""
    even = len(terms) // 32 * 32
    if not even:
        return _halved(_lanes(terms))
    total = np.empty(terms.shape[1:], F32)
    both = _lanes(terms[:even, ::2], 32)
    total[::2] = _halved(_lanes(terms[even:, ::2], WIDTH, both[:WIDTH] + both[WIDTH:]))
    total[1::2] = _halved(_lanes(terms[:, 1::2]))
    return total


def _lanes(terms: Array, width: int = WIDTH, total: Array | None = None) -> Array:
    """What falls to each lane, added one after another, and to what is there."""
    if total is None:
        total, terms = terms[:width].astype(F32), terms[width:]
    for at in range(0, len(terms), width):
        part = terms[at : at + width]
        total[: len(part)] += part
    return total


def _halved(total: Array) -> Array:
    """Lanes added, the second half to the first, until one is left."""
    size, half = len(total), WIDTH // 2
    while half:
        if size > half:
            total[: size - half] += total[half:size]
            size = half
        half //= 2
    return total[0] + 0.0  # to -0 an empty lane is added


def by_quarters(x: Array, y: Array) -> Array:
    """Few rows: the lanes are added four by four, then neighbours."""
    (rows, inner), columns = x.shape, y.shape[1]
    full = inner // WIDTH
    factors = np.zeros((-(-inner // WIDTH), WIDTH, rows, WIDTH), F32)
    np.einsum("bjrj->rbj", factors[:full])[...] = x[:, : full * WIDTH].reshape(rows, full, WIDTH)
    if inner % WIDTH:
        np.einsum("jrj->rj", factors[-1])[:, : inner % WIDTH] = x[:, full * WIDTH :]
    total = _laid(factors.reshape(-1, rows * WIDTH)[:inner], y).reshape(rows, 4, 4, columns)
    four = total[:, 0] + total[:, 1] + total[:, 2] + total[:, 3]
    made = (four[:, 0] + four[:, 1]) + (four[:, 2] + four[:, 3])
    return made if np.isfinite(made).all() else x.dot(y)  # infinity times 0 is in no lane


def _laid(factors: Array, y: Array) -> Array:
    """The sums of lanes as a matrix product, however long: what is summed so far is taken once."""
    total = in_turn(factors[:LONGEST].T, y[:LONGEST])
    lanes = factors.shape[1]
    for at in range(LONGEST, len(factors), LONGEST - lanes):
        part = slice(at, at + LONGEST - lanes)
        more = np.concatenate((np.eye(lanes, dtype=F32), factors[part]))
        total = in_turn(more.T, np.concatenate((total, y[part])))
    return total


def applied_down(x: Array, v: Array, start: Array | None = None) -> Array:
    """A matrix that lies in memory by columns, and a vector: eight columns at a time are added to sixteen rows."""
    y, wide = x.T, len(x) // 16 * 16
    if len(v) < 8 or not wide:
        return chain(v, y, start)
    groups = len(v) // 8
    size = groups * 8
    eight, factors = y[:size, :wide].reshape(groups, 8, wide), v[:size].reshape(groups, 8, 1)
    parts = np.empty((groups, 4, wide), F32)
    parts[:, 0], parts[:, 1] = eight[:, 6], eight[:, 4]
    products = np.multiply(eight, factors, dtype=F64)
    products[:, (0, 1, 5)] += products[:, (2, 3, 7)].astype(F32)
    parts[:, 2] = products[:, 5]
    parts[:, 3] = products[:, 0].astype(F32) + products[:, 1].astype(F32)
    once = np.ones((groups, 4), F32)
    once[:, 0], once[:, 1] = factors[:, 6, 0], factors[:, 4, 0]
    firsts, rests = (None, None) if start is None else (start[:wide], start[wide:])
    more = np.concatenate((parts.reshape(-1, wide), y[size:, :wide]))
    total = chain(np.concatenate((once.reshape(-1), v[size:])), more, firsts)
    return total if wide == len(x) else np.concatenate((total, chain(v, y[:, wide:], rests)))
