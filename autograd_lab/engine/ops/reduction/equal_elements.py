"""Which of equal elements are chosen, and in which order they come: that is the matter of how one looks for them.

PyTorch looks by the classic algorithms of C++'s standard library: introsort and introselect (Musser, 1997), a heap for
a few of many, and a selection of its own. What they leave equal elements in is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

FEW = 16
"""So many elements are put in order by insertion, which leaves equal ones as they were."""
MANY = 100_000
"""Of more elements equal ones are left as they were: it would take too long."""


class Row:
    """Positions that are moved about, by the keys that stand at them."""

    def __init__(self, keys: list[Any]) -> None:
        self.keys, self.at = keys, list(range(len(keys)))

    def less(self, one: int, other: int) -> bool:
        """Whether what is at one place comes before what is at another."""
        return bool(self.keys[self.at[one]] < self.keys[self.at[other]])

    def swap(self, one: int, other: int) -> None:
        """Exchange what is at two places."""
        self.at[one], self.at[other] = self.at[other], self.at[one]

    def insert(self, first: int, last: int) -> None:
        """Sort by insertion: of the first few each that is less than the foremost goes before it at once."""
        for end in range(first + 1, last):
            moved, place = self.at[end], end
            if end - first < FEW and self.keys[moved] < self.keys[self.at[first]]:
                place = first
            while place > first and self.keys[moved] < self.keys[self.at[place - 1]]:
                place -= 1
            self.at[place : end + 1] = [moved, *self.at[place:end]]

    def part(self, first: int, last: int) -> int:
        """Put what is less than the median of three before what is greater; where the second part begins."""
        a, b, c = first + 1, first + (last - first) // 2, last - 1
        if self.less(a, b):
            middle = b if self.less(b, c) else c if self.less(a, c) else a
        else:
            middle = a if self.less(a, c) else c if self.less(b, c) else b
        self.swap(first, middle)
        low, high = first + 1, last
        while True:
            while self.less(low, first):
                low += 1
            high -= 1
            while self.less(first, high):
                high -= 1
            if low >= high:
                return low
            self.swap(low, high)
            low += 1

    def sort(self, first: int, last: int) -> None:
        """Sort by parts, and the small ones by insertion."""
        self._parted(first, last, 2 * max(last - first, 1).bit_length() - 2)
        self.insert(first, last)

    def _parted(self, first: int, last: int, depth: int) -> None:
        while last - first > FEW:
            if depth == 0:
                self.least(first, last, last)
                return
            depth -= 1
            cut = self.part(first, last)
            self._parted(cut, last, depth)
            last = cut

    def select(self, place: int) -> None:
        """Have what belongs at a place be there, what comes before it before, and the rest behind."""
        first, last = 0, len(self.at)
        depth = 2 * max(last, 1).bit_length() - 2
        while last - first > 3:
            if depth == 0:
                self._heap(first, place + 1, last)
                self.swap(first, place)
                return
            depth -= 1
            cut = self.part(first, last)
            first, last = (cut, last) if cut <= place else (first, cut)
        self.insert(first, last)

    def least(self, first: int, middle: int, last: int) -> None:
        """The least of all, in order, by a heap."""
        self._heap(first, middle, last)
        for end in range(middle - 1, first, -1):
            self._popped(first, end, end)

    def _heap(self, first: int, middle: int, last: int) -> None:
        for parent in range((middle - first - 2) // 2, -1, -1):
            self._sunk(first, parent, middle - first, self.at[first + parent])
        for end in range(middle, last):
            if self.less(end, first):
                self._popped(first, middle, end)

    def _popped(self, first: int, last: int, end: int) -> None:
        value, self.at[end] = self.at[end], self.at[first]
        self._sunk(first, 0, last - first, value)

    def _sunk(self, first: int, top: int, size: int, value: int) -> None:
        """Let a hole sink to the ground of the heap, put a value in, and let that rise."""
        hole = child = top
        while child < (size - 1) // 2:
            child = 2 * (child + 1)
            child -= self.less(first + child, first + child - 1)
            self.at[first + hole] = self.at[first + child]
            hole = child
        if size % 2 == 0 and child == (size - 2) // 2:
            child = 2 * (child + 1) - 1
            self.at[first + hole] = self.at[first + child]
            hole = child
        while hole > top and self.keys[self.at[first + (hole - 1) // 2]] < self.keys[value]:
            self.at[first + hole] = self.at[first + (hole - 1) // 2]
            hole = (hole - 1) // 2
        self.at[first + hole] = value

    def quick(self, place: int) -> None:
        """Have what belongs at a place be there (Hoare's selection, by the median of three)."""
        low, high = 0, len(self.at) - 1
        while high > low + 1:
            self.swap(low + (high - low) // 2, low + 1)
            for one, other in ((low + 1, high), (low, high), (low + 1, low)):
                if self.less(other, one):
                    self.swap(one, other)
            i, j = low + 1, high
            while True:
                i += 1
                while self.less(i, low):
                    i += 1
                j -= 1
                while self.less(low, j):
                    j -= 1
                if j < i:
                    break
                self.swap(i, j)
            self.swap(low, j)
            low, high = (i if j <= place else low), (j - 1 if j >= place else high)
        if high == low + 1 and self.less(high, low):
            self.swap(low, high)


def _equal(x: Array, y: Array) -> Array:
    return (x == y) | ((x != x) & (y != y))


def _keys(row: Array) -> Array:
    """For each element how many different ones are less; NaN is the greatest."""
    return np.unique(row, return_inverse=True)[1].reshape(-1)


def _chosen_anew(x: Array, found: Array, dim: int, anew: Array, choose: Callable[[Array], list[int]]) -> Array:
    """Positions along a dimension, of which those are found `anew` that are said for each row."""
    places = np.ascontiguousarray(np.moveaxis(found, dim, -1))
    rows, flat = np.moveaxis(x, dim, -1).reshape(-1, x.shape[dim]), places.reshape(-1, places.shape[-1])
    for number in np.flatnonzero(anew):
        flat[number] = choose(rows[number])
    return np.ascontiguousarray(np.moveaxis(flat.reshape(places.shape), -1, dim))


def foremost(x: Array, order: Array, k: int, dim: int, largest: bool, in_order: bool) -> Array:
    """The positions of the `k` greatest or least along a dimension, of which a stable sort knows an `order`."""
    found = np.take(order, range(k), dim)
    if not k or x.size > MANY:
        return found
    first = np.moveaxis(np.take_along_axis(x, np.take(order, range(min(k + 1, x.shape[dim])), dim), dim), dim, -1)
    anew = _equal(first[..., 1:], first[..., :-1]).any(-1).reshape(-1) | (not in_order)

    def choose(row: Array) -> list[int]:
        keys = _keys(row)
        tried = Row((keys.max() - keys if largest else keys).tolist())
        if k * 64 <= len(keys):
            tried.least(0, k, len(keys))
        else:
            tried.select(k - 1)
            if in_order:
                tried.sort(0, k - 1)
        return tried.at[:k]

    return _chosen_anew(x, found, dim, anew, choose)


def selected(x: Array, found: Array, k: int, dim: int) -> Array:
    """The position of the `k`-th least along a dimension, of which a stable sort has `found` another."""
    if x.size > MANY:
        return found
    anew = _equal(x, np.take_along_axis(x, found, dim)).sum(axis=dim).reshape(-1) > 1

    def choose(row: Array) -> list[int]:
        tried = Row(_keys(row).tolist())
        tried.quick(k - 1)
        return [tried.at[k - 1]]

    return _chosen_anew(x, found, dim, anew, choose)


def most_frequent(row: Array) -> int:
    """Where the last of those stands, in sorted order, of which there are most; the least of several such."""
    tried = Row(row.tolist())
    tried.sort(0, len(row))
    best, most, run = tried.at[0], 0, 0
    for place, at in enumerate(tried.at, 1):
        run += 1
        if place == len(row) or tried.keys[at] != tried.keys[tried.at[place]]:
            best, most = (at, run) if run > most else (best, most)
            run = 0
    return best
