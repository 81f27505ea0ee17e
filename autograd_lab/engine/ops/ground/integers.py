"""Between which bounds random whole numbers of a dtype are drawn."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import BY_NUMPY, NumpyDtype, finfo
from autograd_lab.whose import users_level

GAPS = (
    "{0} is out of bounds [-(2^{1}), 2^{1}]. Due to precision limitations {2} can support discrete uniform "
    "distribution only within this range. This warning will become an error in version 1.7 release, please fix the "
    "code in advance"
)


def bounds_in(kind: NumpyDtype, low: int, high: int) -> tuple[int, int]:
    """From where up to where whole numbers are drawn that a dtype is to hold: a little less far where floats have gaps.

    Raises RuntimeError for bounds that have no number between them, or that the dtype does not hold; warns of gaps.
    """
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if kind.kind in "fV":
        low, high = _rounded_inwards(kind, low, high)
        if low >= high:
            cast = "'from' casted to dtype to be less than 'to' casted to dtype"
            raise RuntimeError(f"random_ expects {cast}, but got from={low} >= to={high}")
    _check(kind, low, high)
    return low, high


def _rounded_inwards(kind: NumpyDtype, low: int, high: int) -> tuple[int, int]:
    """Bounds such that no number between them is rounded to one outside."""
    with np.errstate(over="ignore"):
        least, most = (float(np.array(float(number)).astype(kind)) for number in (low + 1, high - 1))
    digits = _digits(kind)
    if math.isfinite(least) and least < low:
        low = int(least) + (1 << (abs(low + 1).bit_length() - digits))
    if math.isfinite(most) and most >= high:
        high = int(most) - (1 << (abs(high - 1).bit_length() - digits))
    return low, high


def _check(kind: NumpyDtype, low: int, high: int) -> None:
    digits, cpp = _digits(kind), BY_NUMPY[kind].cpp
    least, most = _limits(kind)
    for what, bound in (("from", low), ("to - 1", high - 1)):
        if not least <= bound <= most:
            raise RuntimeError(f"{what} is out of bounds for {cpp}")
    for what, bound in (("from", low), ("to - 1", high - 1)):
        if kind.kind in "fV" and abs(bound) > 2**digits:
            warnings.warn(GAPS.format(what, digits, cpp), stacklevel=users_level())


def _limits(kind: NumpyDtype) -> tuple[int, int]:
    """The least and the largest number of a dtype."""
    if kind.kind == "b":
        return 0, 1
    info: Any = np.iinfo(kind) if kind.kind in "iu" else finfo(BY_NUMPY[kind])
    return int(info.min), int(info.max)


def _digits(kind: NumpyDtype) -> int:
    """How many binary digits a number of a dtype has."""
    return count_in(kind).bit_length() - 1


def count_in(kind: NumpyDtype) -> int:
    """How many whole numbers from 0 on a dtype has without a gap."""
    if kind.kind in "bui":
        return 2 if kind.kind == "b" else int(np.iinfo(kind).max) + 1
    return int(2 / finfo(BY_NUMPY[kind]).eps) + 1
