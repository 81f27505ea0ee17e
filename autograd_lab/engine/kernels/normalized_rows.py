"""Layer and group normalisation of float32, step by step as PyTorch's kernels compute them, so that last digits agree.

A row is read by vectors of eight numbers. Sixteen vectors in turn make a chunk, whose mean and squares each lane keeps
up to date; then chunks are joined two by two, and at last what fills no vector and the lanes, one after another.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_lab.engine.kernels import vectors
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

LANES = 8
BYTES = 4 * LANES
"""Of a vector: these kernels know AVX2 alone."""
CHUNK = 16
"""Vectors, at most, that are gone through in turn."""
SHARES = tuple(F64.type(np.float32(1) / np.float32(turn)) for turn in range(1, CHUNK + 1))
MOST = 1 << 14
"""Of more numbers, digits are as close, but others: these steps take numpy three times as long as sums of its own."""

Moments = tuple[Array, Array]
"""Of each row the mean, and the sum of squares of what is left of its numbers."""


def suit(x: Array, *others: Array | None) -> bool:
    """Whether all are float32, and not too many."""
    return 0 < x.size <= MOST and all(one is None or one.dtype is F32 for one in (x, *others))


def moments(x: Array) -> Moments:
    """The mean of each row, and its variance."""
    rows, width = x.shape
    vectors, full = width // LANES, width - width % LANES
    mean, squares = _in_turn(x[:, full:])
    if vectors:
        means, spreads = _joined(*_chunks(x, rows, vectors), _lengths(vectors))
        mean, squares = _lanes_joined(mean, squares, np.ascontiguousarray(means.T), spreads.T, vectors, width - full)
    return mean, squares / np.float32(width)


def _in_turn(x: Array) -> Moments:
    """Of a few numbers, one after another."""
    mean = squares = np.zeros(len(x), F32)
    for turn, one in enumerate(x.T, start=1):
        left = one - mean
        mean = mean + left / np.float32(turn)
        squares = squares + left * (one - mean)
    return mean, squares


def _chunks(x: Array, rows: int, count: int) -> Moments:
    """Of each chunk, by lanes: all chunks take a step at once, and the last may be done before the others."""
    chunks, over = -(-count // CHUNK), count % CHUNK
    whole = count // CHUNK
    steps = np.empty((min(count, CHUNK), chunks, rows, LANES), F32)
    if whole:
        end = whole * CHUNK * LANES
        steps[:, :whole] = x[:, :end].reshape(rows, whole, CHUNK, LANES).transpose(2, 1, 0, 3)
    if over:
        rest = x[:, whole * CHUNK * LANES : count * LANES]
        steps[:over, whole] = rest.reshape(rows, over, LANES).transpose(1, 0, 2)
    means, squares = steps[0].copy(), np.zeros(steps.shape[1:], F32)
    parts = means, squares, *(np.empty(means.shape, F64) for _ in range(2))
    for turn in range(1, len(steps)):
        there = whole if over and turn >= over else chunks
        _step(steps[turn, :there], SHARES[turn], *(part[:there] for part in parts))
    return means, squares


def _step(one: Array, share: Any, mean: Array, squares: Array, apart: Array, product: Array) -> None:
    """One number more, in place; the last two are room for what is not rounded yet."""
    apart[...] = one - mean
    np.multiply(apart, share, product)
    product += mean
    mean[...] = product
    apart *= one - mean
    apart += squares
    squares[...] = apart


@lru_cache(maxsize=256)
def _lengths(vectors: int) -> Array:
    """How many vectors each chunk has."""
    lengths = np.full(-(-vectors // CHUNK), CHUNK)
    lengths[-1] -= -vectors % CHUNK
    return lengths


def _joined(means: Array, squares: Array, lengths: Array) -> Moments:
    """Of all chunks: neighbours are joined, then their neighbours; those left over are joined to the smallest."""
    left = []
    while len(lengths) > 1:
        even = len(lengths) // 2 * 2
        if even < len(lengths):
            left.append((means[even], squares[even], lengths[even]))
        first, second = slice(0, even, 2), slice(1, even, 2)
        count = [lengths[part].reshape(-1, 1, 1) for part in (first, second)]
        means, squares = _join(means[first], squares[first], count[0], means[second], squares[second], count[1])
        lengths = lengths[first] + lengths[second]
    left.append((means[0], squares[0], lengths[0]))
    (mean, spread, length), *more = left
    for other, others, size in more:
        mean, spread = _join(mean, spread, length, other, others, size)
        length = length + size
    return mean, spread


def _join(mean: Array, squares: Array, count: Any, other: Array, others: Array, more: Any) -> Moments:
    apart = other - mean
    way = apart * (np.asarray(more, F32) / np.asarray(count + more, F32))
    return mean + way, fused(squares + others, apart * np.asarray(count, F32), way)


def _lanes_joined(mean: Array, squares: Array, means: Array, spreads: Array, vectors: int, over: int) -> Moments:
    """Of what is left over of rows and all lanes, which have as many numbers as there are vectors, in turn."""
    for share, count, one, more in zip(*_growth(vectors, over), means, spreads, strict=True):
        apart = one - mean
        mean = np.add(apart * share, mean, out=np.empty_like(mean), casting="same_kind")
        spread = apart * apart
        spread *= np.float32(share)
        squares = squares + np.add(spread * count, more, out=spread, casting="same_kind")
    return mean, squares


@lru_cache(maxsize=256)
def _growth(vectors: int, over: int) -> tuple[list[Any], list[Any]]:
    """Before each lane is joined: its share of all numbers, and how many there are."""
    counts = [over + lane * vectors for lane in range(LANES)]
    shares = [F64.type(np.float32(vectors) / np.float32(count + vectors)) for count in counts]
    return shares, [F64.type(count) for count in counts]


def brought(x: Array, w: Array | None, b: Array | None, eps: float) -> tuple[Array, Array, Array]:
    """z = (x - mean) s w + b, and of each row the mean and s = 1 / √(variance + eps)."""
    w, b = (None if one is None else one.reshape(-1) for one in (w, b))
    mean, variance = moments(x)
    scale = np.float32(1) / np.sqrt(variance + np.float32(eps))
    z, factor = x - mean[:, None], scale[:, None]
    if w is not None:
        z *= factor
        factor = w
    if b is None:
        z *= factor
    else:
        np.add(np.multiply(z, factor, dtype=F64), b, out=z, casting="same_kind")
    return z, mean, scale


def brought_by_groups(x: Array, w: Array | None, b: Array | None, eps: float) -> tuple[Array, Array, Array]:
    """z = α x + β for α = s w and β = b - mean α, and mean and s of each group; x is (N, groups, channels, numbers)."""
    mean, variance = moments(x.reshape(x.shape[0] * x.shape[1], -1))
    scale = (1 / np.sqrt(variance.astype(F64) + eps)).astype(F32)
    mean, scale = (one.reshape(*x.shape[:2], 1, 1) for one in (mean, scale))
    if w is None and b is None:
        return (x - mean) * scale, mean, scale
    shape = (1, *x.shape[1:3], 1)
    alpha = scale if w is None else scale * w.reshape(shape)
    beta = fused(np.zeros(1, F32) if b is None else b.reshape(shape), -alpha, mean)
    return fused(beta, alpha, x), mean, scale


def gradients(
    g: Array, x: Array, w: Array | None, mean: Array, scale: Array, needs: list[bool]
) -> tuple[Array | None, ...]:
    """dL/dx = s w g + k x + c with k = s³ (mean Σ w g - Σ w g x) / n and c = -k mean - s Σ w g / n; and dL/dw, dL/db.

    For dL/dw rows of g x̂ are added in turn, each before it is rounded, where x̂ = s x - s mean.
    """
    w, mean, scale = (None if one is None else one.reshape(-1) for one in (w, mean, scale))
    column, to_w = scale[:, None], None
    if needs[1]:
        xhat = fused((-scale * mean)[:, None], column, x)
        to_w = _products_added(g, xhat)
    to_b = np.add.accumulate(g)[-1] if g.shape[1] == 1 else np.add.reduce(g)
    return _to_rows(g, x, w, mean, scale) if needs[0] else None, to_w, to_b if needs[2] else None


def _to_rows(g: Array, x: Array, w: Array | None, mean: Array, scale: Array) -> Array:
    if w is None:
        products, total = vectors.dotted(g, x, BYTES)[:, 0], vectors.summed(g, BYTES)[:, 0]
    else:
        every = np.broadcast_to(w, g.shape)
        products, total = vectors.dotted(g * x, every, BYTES)[:, 0], vectors.dotted(g, every, BYTES)[:, 0]
    share = np.float32(1) / np.float32(x.shape[1])
    slope = fused(-products, total, mean) * scale * scale * scale * share
    rest = fused(-(total * scale * share), -slope, mean)
    to_x = scale[:, None] * g
    if w is not None:
        to_x *= w
    np.add(np.multiply(slope[:, None], x, dtype=F64), to_x, out=to_x, casting="same_kind")
    to_x += rest[:, None]
    return to_x


def _products_added(x: Array, y: Array) -> Array:
    """Σ x y down the rows, each product added before it is rounded."""
    total, wide = np.zeros(x.shape[1], F32), np.zeros(x.shape[1], F64)
    for product in np.multiply(x, y, dtype=F64):
        np.add(product, wide, wide)
        total[...] = wide
        wide[...] = total
    return total


def gradients_by_groups(
    g: Array, x: Array, w: Array | None, mean: Array, scale: Array, needs: list[bool]
) -> tuple[Array | None, ...]:
    """The same of groups of channels: Σ g and Σ g x of each channel come first, and dL/dw = Σ s (Σ g x - mean Σ g)."""
    sums, products = (vectors.summed(one, BYTES)[..., 0] for one in (g, g * x))
    weights = np.ones(x.shape[1:3], F32) if w is None else w.reshape(x.shape[1:3])
    to_x, to_w = None, None
    if needs[0]:
        share = np.float32(1) / np.float32(x.shape[2] * x.shape[3])
        total, product = (_weighed(one, weights)[..., None, None] for one in (sums, products))
        slope = fused(-product, total, mean) * scale * scale * scale * share
        to_x = fused(slope * x, scale * weights[..., None], g)
        to_x += fused(-slope * mean, -(total * scale), share)
    if needs[1]:
        left = fused(products, -sums, mean[..., 0])
        many = np.broadcast_to(scale[..., 0], left.shape)
        to_w = _products_added(left.reshape(len(x), -1), many.reshape(len(x), -1))
    return to_x, to_w, np.add.accumulate(sums)[-1].reshape(-1) if needs[2] else None


def _weighed(x: Array, w: Array) -> Array:
    """Σ w x along the last dimension: by vectors, then lane by lane, then four at once, and what is left is fused."""
    size, total = x.shape[-1], np.zeros(x.shape[:-1], F32)
    full = size - size % LANES
    four = size - size % (LANES // 2)
    if full:
        lanes = x[..., :LANES] * w[..., :LANES]
        for at in range(LANES, full, LANES):
            lanes = fused(lanes, x[..., at : at + LANES], w[..., at : at + LANES])
        total = np.add.accumulate(lanes, axis=-1)[..., -1]
    for at in range(full, size):
        one, weight = x[..., at], w[..., at]
        total = total + one * weight if at < four else fused(total, one, weight)
    return total
