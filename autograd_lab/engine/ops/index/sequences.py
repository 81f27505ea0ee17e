"""Padded sequences without their padding, one time after another, and with it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.kinds import Linear

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class PackPaddedSequenceBackward0(Linear):
    """z has the rows of x, (times, examples, …), at which an example is not over yet."""

    __slots__ = ("_at", "_shape")

    def forward(self, x: Array, at: tuple[Array, Array]) -> Array:
        self._at, self._shape = at, x.shape
        return x[at]

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return apply1(PadPackedSequence, g, self._at, self._shape, 0.0)
        return _padded(g, self._at, self._shape, 0.0)


class PadPackedSequence(Linear):
    """z has these rows at their places, and a number elsewhere."""

    __slots__ = ("_at",)

    def forward(self, x: Array, at: tuple[Array, Array], shape: tuple[int, ...], value: float) -> Array:
        self._at = at
        return _padded(x, at, shape, value)

    def backward(self, g: Any) -> Any:
        return apply1(PackPaddedSequenceBackward0, g, self._at) if isinstance(g, Variable) else g[self._at]


def _padded(rows: Array, at: tuple[Array, Array], shape: tuple[int, ...], value: float) -> Array:
    whole = np.full(shape, value, rows.dtype)
    whole[at] = rows
    return whole


def places(lengths: Array) -> tuple[Array, Array]:
    """The times and the examples of all rows, for lengths that do not grow."""
    times, examples = np.nonzero(np.arange(lengths.max())[:, None] < lengths)
    return times, examples


def pack(input: Tensor, lengths: Array) -> tuple[Tensor, Tensor]:
    """The rows of (times, examples, …) that are no padding, and how many examples there are at each time."""
    at = places(lengths)
    return apply1(PackPaddedSequenceBackward0, input, at), wrap(np.bincount(at[0]).astype(np.int64))
