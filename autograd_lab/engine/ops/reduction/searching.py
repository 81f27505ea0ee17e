"""Where in a sorted row a value goes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, mixed, of_kind
from autograd_lab.engine.ops.ground.answers import answered

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["bucketize", "searchsorted"]


def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Where each value would go in a sorted row, before equal ones or after them."""
    rows = sorted_sequence._array
    rows, values = mixed(rows, input._array if isinstance(input, Variable) else input)
    where: Any = side or ("right" if right else "left")
    _check_searched(rows, values, side, right, sorter)
    for name, one in {"input value": values, "boundary": rows}.items():
        if not one.flags.c_contiguous:
            warn_once(COPIED.format(name))
    if sorter is not None:
        rows = np.take_along_axis(rows, sorter._array.astype(np.int64, copy=False), -1)
    if rows.ndim == 1:
        found: Any = np.searchsorted(rows, values, where)
    else:
        count = math.prod(rows.shape[:-1])
        pairs = zip(rows.reshape(count, rows.shape[-1]), values.reshape(count, values.shape[-1]), strict=True)
        each = [np.searchsorted(row, those, where) for row, those in pairs]
        found = np.array(each, np.int64).reshape(values.shape)
    return answered("searchsorted", np.asarray(found, np.int32 if out_int32 else np.int64), sorted_sequence)


COPIED = (
    "torch.searchsorted(): {0} tensor is non-contiguous, this will lower the performance due to extra data copy when "
    "converting non-contiguous tensor to contiguous, please use contiguous {0} tensor if possible. This message will "
    "only appear once per program."
)


def _check_searched(rows: Array, values: Array, side: str | None, right: bool, sorter: Any) -> None:
    """Raise RuntimeError for rows that cannot be searched for these values, as PyTorch does."""
    name = "torch.searchsorted(): "
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{name}side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(f"{name}side and right can't be set to opposites, got side of left while right was True")
    if not values.ndim and rows.ndim != 1:
        raise RuntimeError(
            f"{name}input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
            f"tensor dim({rows.ndim}) and input value's dim(0) numel(1)"
        )
    if not rows.ndim:
        raise RuntimeError(f"{name}boundaries tensor should have positive dimension, but got 0 dimension")
    if rows.ndim > 1 and rows.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            f"{name}boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
            f"value tensor must match, but we got boundaries tensor {list(rows.shape)} and input value tensor "
            f"{list(values.shape)}"
        )
    if sorter is not None:
        _check_sorter(rows, sorter._array)
    of_kind("uifV", rows, "searchsorted_out_cpu")


def _check_sorter(rows: Array, sorter: Array) -> None:
    name = "torch.searchsorted(): "
    if rows.shape != sorter.shape:
        raise RuntimeError(
            f"{name}boundary and sorter must have the same size, but got boundary tensor {list(rows.shape)}and got "
            f"sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype != np.int64:
        raise RuntimeError(f"{name}sorter must be a tensor of long dtype but got dtype {BY_NUMPY[sorter.dtype].title}")
    if sorter.size and not (sorter.min() >= 0 and sorter.max() < rows.shape[-1]):
        raise RuntimeError(f"{name}sorter index out of range")


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Which of the stretches between sorted boundaries each value is in."""
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
