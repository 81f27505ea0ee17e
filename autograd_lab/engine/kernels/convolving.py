"""Convolutions of float32 to the last bit as in PyTorch on a processor with vectors of 512 bits.

Its library (oneDNN) takes sixteen channels at a time, and adds one product after another: for each place in the window
those of all channels. Sums of sixteen channels are added up. What comes of a weight is summed over all places of all
examples, one after another, and so is what comes of the bias.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import F32, Array

CHANNELS = 16
LONGEST = 448
"""So many products numpy's library adds one after another, whatever the sizes are."""
SMALL = 1e6
"""In products of so many numbers it adds all."""


def convolved(seen: Array, w: Array, b: Array | None = None, channels: int = CHANNELS, first: bool = False) -> Array:
    """What comes of windows (N, C, places, window) and weights (O, C, window); sums may have the bias `first`."""
    n = w.ndim - 2
    alone = math.prod(w.shape[2:]) == 1
    first = first or alone
    total = None
    for at in range(0, w.shape[1], channels := w.shape[1] if alone else channels):
        group = slice(at, at + channels)
        matrix = w[:, group].transpose(0, *range(2, 2 + n), 1).reshape(len(w), -1)
        part = _chained(matrix, _columns(seen[:, group], n), b if first else None)
        if total is None:
            total = part if b is None or first else np.add(part, b[:, None], out=part)
        else:
            total += part
    assert total is not None
    return total.reshape(len(seen), len(w), *seen.shape[2 : 2 + n])


def spread(g: Array, w: Array, stride: tuple[int, ...], sizes: tuple[int, ...], even: bool) -> Array:
    """What comes of the input, of those sizes, where windows go in steps; `even` if these fill its last dimension.

    Elements that are a step apart are seen by the same part of the window. All channels are in one sum; if steps are
    even, there is one for each place in the last dimension of the window.
    """
    image = np.zeros((len(g), w.shape[1], *sizes), F32)
    for first in product(*map(range, stride)):
        where: tuple[Any, ...] = (..., *map(_from, first, stride))
        part, place = w[where], image[where]
        if not part.size or not place.size:
            continue
        place[...] = _by_last(_around(g, part.shape[2:], place.shape[2:]), part.swapaxes(0, 1), even)
    return image


def _from(first: int, step: int) -> slice:
    return slice(first, None, step)


def _around(g: Array, window: tuple[int, ...], places: tuple[int, ...]) -> Array:
    """For each place what it had a share in: (N, O, places, window), where the window starts at the place itself."""
    n = len(window)
    sizes = [(k - 1, max(many - size, 0)) for k, many, size in zip(window, places, g.shape[2:], strict=True)]
    wide = np.pad(g, ((0, 0), (0, 0), *sizes))
    seen = np.lib.stride_tricks.sliding_window_view(wide, window, axis=tuple(range(2, 2 + n)))
    return np.flip(seen[(slice(None), slice(None), *map(slice, places))], tuple(range(-n, 0)))


def _by_last(seen: Array, w: Array, even: bool) -> Array:
    total, step = None, 1 if even else w.shape[-1]
    for at in range(0, w.shape[-1], step):
        one = slice(at, at + step)
        part = convolved(seen[..., one], w[..., one], channels=w.shape[1])
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    return total


def _columns(seen: Array, n: int) -> Array:
    """All windows, in the order in which they are summed: (N, window and channels, places)."""
    order = (0, *range(2 + n, 2 + 2 * n), 1, *range(2, 2 + n))
    return seen.transpose(order).reshape(len(seen), -1, math.prod(seen.shape[2 : 2 + n]))


def _chained(matrix: Array, columns: Array, start: Array | None) -> Array:
    """A matrix times each of many, one product after another."""
    (rows, inner), places = matrix.shape, columns.shape[2]
    if start is not None:
        matrix = np.concatenate((start[:, None], matrix), axis=1)
        columns = np.concatenate((np.ones((len(columns), 1, places), F32), columns), axis=1)
    if rows == 1:
        matrix = matrix.repeat(2, axis=0)
    if places == 1:
        columns = columns.repeat(2, axis=2)
    step = inner + 1 if inner < LONGEST or rows * inner * places <= SMALL else LONGEST - max(rows, 2)
    total = np.matmul(matrix[:, :step].T.copy().T, columns[:, :step])
    for at in range(step, matrix.shape[1], step):
        more = np.concatenate((np.eye(len(matrix), dtype=F32), matrix[:, at : at + step]), axis=1)
        total = np.matmul(more.T.copy().T, np.concatenate((total, columns[:, at : at + step]), axis=1))
    return total[:, :rows, :places]


def correlated(g: Array, seen: Array, window: tuple[int, ...]) -> Array:
    """What comes of the weights (O, C, window): one sum over all places, of all examples unless the window is one."""
    n, made = len(window), g.shape[1]
    sent = _by_place(g)
    shown = seen.transpose(1, *range(2 + n, 2 + 2 * n), 0, *range(2, 2 + n))
    if math.prod(window) > 1:
        total = _summed(sent, shown, n)
    else:
        each = enumerate(sent.reshape(len(g), -1, sent.shape[1]))
        total = np.add.reduce(
            [_summed(some, shown[(..., slice(at, at + 1), *(slice(None),) * n)], n) for at, some in each]
        )
    return total[:made].reshape(made, seen.shape[1], *window)


def _by_place(g: Array) -> Array:
    """What was sent to each place: (places of all examples, channels), and at least two of these."""
    sent = np.moveaxis(g, 1, -1).reshape(-1, g.shape[1])
    return sent if g.shape[1] > 1 else sent.repeat(2, axis=1)


def _summed(sent: Array, shown: Array, n: int) -> Array:
    """Sums along the places, one product after another: what is summed so far is taken once. (channels and window)."""
    made, size, count = sent.shape[1], math.prod(shown.shape[: 1 + n]), math.prod(shown.shape[-n:])
    many = max(1, _most(made, size) // count)
    total, before = np.zeros((made, size), F32), 0
    for first in range(0, shown.shape[1 + n], many):
        rows = shown[(..., slice(first, first + many), *(slice(None),) * n)].reshape(size, -1)
        total = _more(total, sent[before : before + rows.shape[1]], rows)
        before += rows.shape[1]
    return total


def _most(made: int, size: int) -> int:
    """How many products numpy's library adds one after another, besides what is there."""
    return max(LONGEST, int(SMALL) // (made * size)) - made


def _more(total: Array, sent: Array, rows: Array) -> Array:
    made, size = total.shape
    identity, step = np.eye(made, dtype=F32), _most(made, size)
    for at in range(0, len(sent), step):
        factors = np.concatenate((identity, sent[at : at + step]))
        total = np.matmul(factors.T, np.concatenate((total.T, rows[:, at : at + step]), axis=1).T)
    return total


def added_up(g: Array) -> Array:
    """What comes of the bias: one sum over all places of all examples."""
    sent = _by_place(g)
    total = np.zeros(sent.shape[1], F32)
    step = int(SMALL) // (2 * sent.shape[1]) - 1
    for at in range(0, len(sent), step):
        some = np.concatenate((total[None], sent[at : at + step]))
        total = np.ones((len(some), 2), F32).T.dot(some)[0]
    return total[: g.shape[1]]
