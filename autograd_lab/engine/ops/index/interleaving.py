"""Elements taken again and again: repeat_interleave, combinations."""

from __future__ import annotations

from itertools import combinations as choices
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.numbers.dtypes import of_kind
from autograd_lab.engine.ops.ground.answers import answered
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.copying import in_order
from autograd_lab.engine.ops.ground.dims import checked_dim
from autograd_lab.engine.ops.index.gathering import index_select
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.ops.shape.views import expand, flatten, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["combinations", "repeat_interleave"]


def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: Any = None) -> Tensor:
    """Each element (or slice along `dim`) so many times in a row; of counts alone, the positions that they name."""
    if repeats is None:
        counts = of_kind("i", input._array, "repeat_interleave_cpu")
        return wrap(np.repeat(np.arange(counts.size), counts))
    if dim is None:
        input, dim = flatten(input), 0
    dim = checked_dim(input, dim) % max(input._array.ndim, 1)
    if is_tensor(repeats) and repeats._array.size != 1:
        return _each_repeated(input, repeats, dim)
    count = int(repeats.item()) if is_tensor(repeats) else repeats
    if count < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = list(input._array.shape)
    wide = expand(unsqueeze(input, dim + 1), (*shape[: dim + 1], count, *shape[dim + 1 :]))
    return flatten(in_order(wide), dim, dim + 1)


def _each_repeated(input: Tensor, repeats: Tensor, dim: int) -> Tensor:
    counts, length = of_kind("i", repeats._array, "repeat_interleave_cpu"), input._array.shape[dim]
    if counts.size != length:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({dim}) = {length}"
        )
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return index_select(input, dim, wrap(np.repeat(np.arange(length), counts)))


@composed
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements of a vector, a row each."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return answered("combinations", np.empty(0, input._array.dtype), input)
    ways = (combinations_with_replacement if with_replacement else choices)(range(input._array.size), r)
    rows = np.array(list(ways), np.int64).reshape(-1, r)
    return stack([index_select(input, 0, wrap(np.ascontiguousarray(rows[:, at]))) for at in range(r)], 1)
