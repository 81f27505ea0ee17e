"""Elements at positions along a dimension: taken, and put."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import Dims


def grid(x: Array, dim: int, index: Array) -> tuple[Any, ...]:
    """Positions along one dimension as an index of the whole: in the others, each element's own place."""
    if not x.ndim or not index.size:  # no positions may have any shape
        return (np.zeros(index.shape, np.int64),) * max(x.ndim, 1)
    if not index.ndim:
        return (index,)
    places: list[Any] = list(np.ogrid[tuple(map(slice, index.shape))])
    places[dim] = index
    return tuple(places)


def check_fits(x: Array, dim: int, index: Array) -> None:
    """Raise RuntimeError for a position that is not there; negative ones are not."""
    size = x.shape[dim] if x.ndim else 1
    bad = index[(index < 0) | (index >= size)]
    if bad.size:
        raise RuntimeError(f"index {bad[0]} is out of bounds for dimension {dim} with size {size}")


def cells(x: Array) -> Array:
    """What `grid` is an index of: the array, with a dimension of one element if it has none; a view."""
    return x if x.ndim else x.reshape(1)


def used(src: Any, index: Any) -> Any:
    """As much of a source as there are positions for it."""
    if tuple(src.shape) == tuple(index.shape):
        return src
    if not len(src.shape) or not len(index.shape) or 0 in tuple(index.shape):
        return src.reshape((-1,))[: 0 if 0 in tuple(index.shape) else 1].reshape(tuple(index.shape))
    return src[tuple(map(slice, index.shape))]


@contextmanager
def refusing(x: Array, dim: int, index: Array) -> Iterator[None]:
    """Have a position that is not there any more, since it was written to or exchanged, told in PyTorch's words."""
    try:
        yield
    except IndexError:
        if index.dtype.kind not in "iu":
            raise RuntimeError("scatter(): Expected dtype int32/int64 for index") from None
        check_fits(x, dim % max(x.ndim, 1), index.reshape(-1))
        raise


def gathered(g: Any, dim: int, index: Any) -> Any:
    """The elements at the positions."""
    if isinstance(g, Variable):
        return g.gather(dim, index)
    g, index = np.asarray(g), np.asarray(index).astype(np.int64, copy=False)
    if not g.ndim:
        check_fits(g, 0, index.reshape(-1))
        return np.array(np.broadcast_to(g, index.shape))
    with refusing(g, dim, index):
        return np.asarray(g[grid(g, dim, index)])


def placed(g: Any, dim: int, index: Any, shape: Dims) -> Any:
    """Zeros, with elements added at positions along a dimension."""
    if isinstance(g, Variable):
        return formulas.blank(shape, g).scatter_add(dim, index, g)
    whole = np.zeros(shape, g.dtype)
    index = np.asarray(index).astype(np.int64, copy=False)
    if not shape:
        check_fits(whole, 0, index.reshape(-1))
        return np.asarray(g).sum()
    with refusing(whole, dim, index):
        np.add.at(whole, grid(whole, dim, index), g)
    return whole
