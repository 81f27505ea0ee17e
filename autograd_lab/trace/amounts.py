"""What the numbers of a `Value` say: whether they are finite, all zero, how large.

>>> finite(Value(numbers=[1.0, float("nan")])), finite(Value(norm=2.0, nans=0)), finite(None)
(False, True, True)
>>> norm(Value(numbers=[[3.0, 4.0]])), is_zero(Value(numbers=[0.0, 0.0]))
(5.0, True)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from autograd_lab.events import Value


def flat(numbers: Any) -> Iterator[float]:
    """The numbers in nested lists, one after another; complex ones, told as text, are left out."""
    if isinstance(numbers, list | tuple):
        for each in numbers:
            yield from flat(each)
    elif isinstance(numbers, int | float):
        yield float(numbers)


def finite(value: Value | None) -> bool:
    """Whether all numbers are finite, as far as is known."""
    if value is None:
        return True
    if value.numbers is None:
        return not value.nans and not value.infs
    return math.isfinite(_total(value.numbers)) or all(map(math.isfinite, flat(value.numbers)))


def _total(numbers: Any) -> float:
    """A sum is not finite if any number is not; the other way round it may have left the range of numbers."""
    if isinstance(numbers, list | tuple):
        try:
            return float(sum(numbers))
        except TypeError:
            return sum(map(_total, numbers))
    return float(numbers) if isinstance(numbers, int | float) else 0.0


def astray(value: Value) -> str:
    """What is not finite among numbers: "NaN" if any is, else "infinite"."""
    if value.numbers is None:
        return "NaN" if value.nans else "infinite"
    return "NaN" if any(map(math.isnan, flat(value.numbers))) else "infinite"


def norm(value: Value | None) -> float | None:
    """The Euclidean norm; None if it is not known."""
    if value is None:
        return None
    if value.numbers is None:
        return value.norm
    return math.sqrt(sum(number * number for number in flat(value.numbers) if math.isfinite(number)))


def is_zero(value: Value | None) -> bool:
    """Whether all numbers are known to be zero."""
    if value is None:
        return False
    if value.numbers is None:
        return value.minimum == 0 == value.maximum and not value.nans and not value.infs
    return not any(flat(value.numbers))


def maximum(value: Value) -> float | None:
    """The largest number; None if it is not known, or there is none."""
    return value.maximum if value.numbers is None else max(flat(value.numbers), default=None)


def zeros(value: Value) -> float | None:
    """The share of zeros among the numbers; None if it is not known."""
    if value.numbers is None:
        return 1.0 if is_zero(value) else None
    numbers = list(flat(value.numbers))
    return numbers.count(0.0) / len(numbers) if numbers else None


def change(before: Value, after: Value) -> float | None:
    """How large a change is beside what it changed: of large arrays, in the sample that is known. None if it is not."""
    old, new = (list(flat(v.numbers if v.numbers is not None else v.thumbnail)) for v in (before, after))
    if len(old) != len(new) or not any(old):
        return None
    moved = math.hypot(*(b - a for a, b in zip(old, new, strict=True)))
    return moved / math.hypot(*old) if math.isfinite(moved) else math.inf


def size(value: Value) -> int:
    """How many numbers there are."""
    if value.numbers is None:
        return math.prod(value.shape or ())
    return sum(1 for _ in flat(value.numbers))
