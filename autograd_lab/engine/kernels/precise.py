"""exp, log and their kin, as close to the true number as PyTorch's kernels come."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import F32, F64, Array


def asked(function: Any, *args: Any) -> Any:
    """What `function` gives, if an argument stands for an array, as where a program is compiled, and takes the whole as
    one call; else None."""
    ask = next((one.precise for one in args if type(one) is not np.ndarray and hasattr(one, "precise")), None)
    return None if ask is None else ask(function, *args)


def precise(function: np.ufunc, x: Array, out: Array | None = None) -> Array:
    """A function of each number: for float32, numpy's own miss the last digit of every third, and PyTorch's of few."""
    if type(x) is np.ndarray:
        if x.dtype is F32:  # numbers are widened a few thousand at a time, so that there is no second array of them
            return function(x, out=np.empty_like(x) if out is None else out, dtype=F64)
        return function(x, out=... if out is None else out)
    if (made := asked(function, x)) is not None:
        return made
    if isinstance(x, np.generic):
        return precise(function, np.asarray(x), out)
    return function(x, out=...) if x.dtype is not F32 else function(x, out=..., dtype=F64).astype(F32)


AT_ONCE = 32
"""So many float32 PyTorch's loops take at once, with constants of float32; of fewer one by one, some with float64."""


def as_exponent(x: Array, number: Any) -> Any:
    """A number as the exponent of an array."""
    return F64.type(number) if x.dtype is F32 and x.size < AT_ONCE else x.dtype.type(number)


def precise_of_two(function: np.ufunc, x: Any, y: Any, out: Array | None = None) -> Array:
    """A function of two numbers each, as a power: of float32 taken in float64, and rounded."""
    if (made := asked(function, x, y)) is not None:
        return made
    if x.dtype is not F32 and y.dtype is not F32:
        return function(x, y, out=... if out is None else out)
    if out is None:
        return function(x, y, dtype=F64, out=...).astype(F32)
    return function(x, y, dtype=F64, out=out, casting="same_kind")
