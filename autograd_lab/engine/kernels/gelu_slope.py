"""The slope of gelu in float32, step by step as oneDNN has it, by which PyTorch computes it: last digits are the same.

erf is taken of its formula in the handbook of Abramowitz and Stegun (7.1.26), which is exact to seven digits.
"""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.kernels.precise import asked
from autograd_lab.engine.kernels.vectors import polynomial
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

ROOT_OF_HALF, OVER_ROOT_OF_PI = map(np.float32, (0.70710678, 0.56418955))
"""The second is one unit of its last place too small."""
NEAR, HANDBOOK = (
    tuple(float(np.float32(each)) for each in series)
    for series in (
        (0.3275911, 1),
        (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592),
    )
)
PER_LOG_2, LOG_2 = map(np.float32, (1.44269502, 0.693147182))
SERIES = tuple(
    float(np.float32(each)) for each in (0.00828929059, 0.0418978221, 0.166676521, 0.499991506, 0.999999701, 1)
)
LEAST = np.float32(-87.3365479)
"""Below this, exp is 0."""
MOST = 1 << 14
"""Of more numbers, digits are as close, but others: these steps take numpy three times as long."""


def suits(x: Array) -> bool:
    """Whether these are several numbers of float32, and not too many."""
    return x.dtype is F32 and 1 < x.size <= MOST


def slope(x: Array) -> Array:
    """P(x) + x p(x) of a normal distribution."""
    if (made := asked(slope, x)) is not None:
        return made
    with np.errstate(all="ignore"):
        r = x * ROOT_OF_HALF
        bell = _exp(-(r * r))
        way = r * OVER_ROOT_OF_PI * bell
        near = np.reciprocal(polynomial(np.abs(r), NEAR))
        erf = np.multiply(polynomial(near, HANDBOOK), -bell * near, dtype=F64)
        erf += 1
        erf = np.copysign(erf.astype(x.dtype), r)
        return np.asarray(erf * np.float32(0.5) + (way + np.float32(0.5)))


def _exp(x: Array) -> Array:
    """2^n e^r with a whole n and a small r, of numbers up to 0."""
    kept = np.maximum(x, LEAST)
    n = np.floor(kept * PER_LOG_2 + np.float32(0.5), out=...)
    r = np.multiply(n, -LOG_2, dtype=F64)
    r += kept
    y = polynomial(r.astype(x.dtype), SERIES)
    np.ldexp(y, n.astype(np.int32), out=y)
    y[x < LEAST] = 0
    return y
