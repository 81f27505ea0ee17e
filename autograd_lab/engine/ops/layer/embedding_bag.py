"""Bags of embeddings: rows of a matrix, summed, averaged or compared by bags, without the rows themselves."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array
from autograd_lab.engine.ops.layer.embedding import _shorten
from autograd_lab.engine.ops.shape.slicing import narrow
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = []

MODES = ("sum", "mean", "max")
SWAPPED = (
    "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
    "deprecated, and should now be `embedding_bag(input, weight, ...)`."
)


class EmbeddingBagBackward0(Node):
    """z_b sums s_u W[k_u] over the uses u of a bag, or takes the largest: so g_b goes to each W[k_u], by its share."""

    inputs = ("weight", "per_sample_weights")
    saves = ("weight", "per_sample_weights")
    __slots__ = ("_bags", "_best", "_indices", "_shares", "mode")

    def forward(
        self, w: Array, weights: Array, indices: Array, bags: Array, count: int, mode: str, padding: int
    ) -> Array:
        self._indices, self._bags, self.mode = indices, bags, MODES.index(mode)
        self._best: Array | None = None
        kept = (indices != padding).astype(w.dtype)
        sizes = np.bincount(bags, kept, count)
        self._shares = kept / np.maximum(sizes, 1)[bags].astype(w.dtype) if mode == "mean" else kept
        if mode == "max":
            return self._largest(w, count, kept)
        out = np.zeros((count, w.shape[1]), w.dtype)
        np.add.at(out, bags, w[indices] * (self._shares * weights)[:, None])
        return out

    def _largest(self, w: Array, count: int, kept: Array) -> Array:
        """Of each bag the largest in each column, and which use it was; 0 and none for an empty bag."""
        out, best = np.zeros((count, w.shape[1]), w.dtype), np.full((count, w.shape[1]), -1)
        for bag in range(count):
            uses = np.flatnonzero((self._bags == bag) & (kept > 0))
            if uses.size:
                rows = w[self._indices[uses]]
                best[bag] = uses[rows.argmax(0)]
                out[bag] = rows.max(0)
        self._best = best
        return out

    def backward(self, g: Any, w: Any, weights: Any) -> Any:
        recorded = isinstance(g, Variable)
        w, weights, g = (one if isinstance(one, Variable) else wrap(one) for one in (w, weights, g))
        rows, zeros = g[wrap(self._bags)], wrap(np.zeros_like(w._array))
        indices = wrap(self._indices)
        if self._best is not None:
            uses = np.arange(len(self._bags))[:, None] == self._best[self._bags]
            found = [zeros.index_add(0, indices, rows * wrap(uses.astype(w._array.dtype))), None]
        else:
            shares = wrap(self._shares)
            to_w = None
            if self.next_functions[0][0] is not None:
                to_w = zeros.index_add(0, indices, rows * (shares * weights).unsqueeze(-1))
            wanted = self.next_functions[1][0] is not None
            found = [to_w, (rows * w[indices]).sum(-1) * shares if wanted else None]
        return tuple(one if one is None or recorded else one._array for one in found)


def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """The rows of `weight` with these numbers, summed, averaged or compared over each bag."""
    if weight._array.dtype.kind == "i" and input._array.dtype.kind in "fV":
        warnings.warn(SWAPPED, stacklevel=users_level())
        weight, input = input, weight
    if scale_grad_by_freq:
        raise NotImplementedError("embedding_bag: scale_grad_by_freq is not there")
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    rows = len(weight._array)
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got {padding_idx}"
        )
    to_the_end = mode == "max" or padding_idx is not None  # the last offset says where the last bag ends for a sum only
    numbers, bags, count = bags_of(input, offsets, include_last_offset, to_the_end)
    if per_sample_weights is not None and per_sample_weights._array.shape != input._array.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    if per_sample_weights is not None and per_sample_weights._array.dtype != weight._array.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {weight.type()} does not equal {per_sample_weights.type()} "
            "(while checking arguments for embedding_bag)"
        )
    if ((numbers < 0) | (numbers >= rows)).any():
        found = _outside(numbers, rows)
        raise RuntimeError(f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {found}")
    if max_norm is not None:
        _shorten(weight._array, np.unique(numbers), max_norm, norm_type)
    given = per_sample_weights
    weights = wrap(np.ones(numbers.size, weight._array.dtype)) if given is None else given.reshape(-1)
    if weights._array.size > numbers.size:  # what comes after the last bag
        weights = narrow(weights, 0, 0, numbers.size)
    padding = -1 if padding_idx is None else padding_idx % rows
    return applyn(EmbeddingBagBackward0, (weight, weights), numbers, bags, count, mode, padding)


def _outside(numbers: Array, rows: int) -> int:
    return int(numbers[(numbers < 0) | (numbers >= rows)][0])


def bags_of(
    input: Tensor, offsets: Tensor | None, include_last: bool, to_the_end: bool = False
) -> tuple[Array, Array, int]:
    """The numbers in a row, in which bag each is, and how many bags there are."""
    numbers = input._array
    if numbers.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        starts, include_last = np.arange(len(numbers)) * numbers.shape[1], False
    elif numbers.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {numbers.ndim}")
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    elif offsets._array.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    else:
        starts = offsets._array
    numbers = numbers.reshape(-1)
    _check(input, numbers, starts)
    count = len(starts) - include_last
    numbers = numbers[: starts[-1]] if include_last and not to_the_end else numbers
    return numbers, np.searchsorted(starts[:count], np.arange(numbers.size), side="right") - 1, count


def _check(input: Tensor, numbers: Array, starts: Array) -> None:
    if numbers.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{BY_NUMPY[numbers.dtype].title}Tensor instead (while checking arguments for embedding_bag)"
        )
    if len(starts) and starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}"
        )
    if len(starts) and starts[-1] > numbers.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {numbers.size} but got offsets[-1] of {starts[-1]}"
        )
