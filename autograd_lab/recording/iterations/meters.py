"""Who measures the tensors of an engine, unseen by its hooks and modes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

SAMPLE = 65_536
"""By how much a large weight has changed is told by so many of its elements."""

Number = Callable[[], float]
"""A number that may have to be fetched from where it was computed, which can wait."""


class Meter(Protocol):
    """Measures the tensors of one engine, unseen by its hooks and modes."""

    def is_tensor(self, thing: Any) -> bool: ...

    def number(self, tensor: Any) -> Number | None:
        """The number in a tensor of one element; None if there are more."""

    def norms(self, tensors: Sequence[Any]) -> Sequence[Number]:
        """The Euclidean norm of each tensor."""

    def zeros(self, tensors: Sequence[Any]) -> Sequence[Number]:
        """The share of zeros among the elements of each tensor."""

    def copies(self, tensors: Sequence[Any]) -> Sequence[Any]:
        """What each tensor holds now; of a large one, a sample. None for one that does not tell."""

    def changes(self, tensors: Sequence[Any], copies: Sequence[Any]) -> Sequence[Number]:
        """By how much of the norm of its copy each tensor has changed since."""


class _Arrays:
    """Measures the tensors of this package."""

    def is_tensor(self, thing: Any) -> bool:
        return hasattr(thing, "_array")

    def number(self, tensor: Any) -> Number | None:
        array = tensor._array
        return constant(float(array.reshape(()))) if array.size == 1 and array.dtype.kind in "fiub" else None

    def norms(self, tensors: Sequence[Any]) -> Sequence[Number]:
        flat = [np.asarray(each._array, np.float64).reshape(-1) for each in tensors]
        return [constant(math.sqrt(each.dot(each))) for each in flat]

    def zeros(self, tensors: Sequence[Any]) -> Sequence[Number]:
        arrays = [each._array for each in tensors]
        return [constant(1 - np.count_nonzero(each) / max(each.size, 1)) for each in arrays]

    def copies(self, tensors: Sequence[Any]) -> Sequence[Any]:
        return [_sample(each._array) for each in tensors]

    def changes(self, tensors: Sequence[Any], copies: Sequence[Any]) -> Sequence[Number]:
        pairs = [(before, _sample(each._array) - before) for each, before in zip(tensors, copies, strict=True)]
        return [constant(share(_length(moved), _length(old))) for old, moved in pairs]


def _sample(array: Any) -> Any:
    flat = array.reshape(-1)
    return flat[:: stride_for(flat.size)].astype(np.complex128 if flat.dtype.kind == "c" else np.float64)


def _length(vector: Any) -> float:
    return math.sqrt(np.vdot(vector, vector).real)


def stride_for(count: int) -> int:
    """Every which of so many elements is looked at."""
    return -(-max(count, 1) // SAMPLE)


def share(part: float, whole: float) -> float:
    """How much of a whole a part is; of nothing, it is infinitely much."""
    return part / whole if whole else math.inf if part else 0.0


def constant(number: float) -> Number:
    """A number that is there."""
    return lambda: number


meters: list[Meter] = [_Arrays()]
"""Who measures tensors; a bridge to another engine adds its own."""


def meter_of(thing: Any) -> Meter | None:
    """Who measures a tensor, if anybody does."""
    return next((meter for meter in meters if meter.is_tensor(thing)), None)
