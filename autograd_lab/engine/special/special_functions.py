"""Special functions of arrays that numpy does not have: erf and its inverse, lgamma, polygamma, Bessel functions."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

STEPS = 64
"""`erf` is known at so many points a unit, and a Taylor polynomial leads from the nearest one to x."""
REACH = 6
"""Beyond it, `erf` is 1 in float64."""


@cache
def _known() -> Array:
    return np.array([math.erf(step / STEPS) for step in range(REACH * STEPS + 1)])


def erf(x: Array) -> Array:
    """2 / √π ∫ e^-t² dt from 0 to x, with an error below 1e-15."""
    size = np.minimum(np.abs(x.astype(np.float64)), REACH)
    nearest = np.rint(np.nan_to_num(size) * STEPS)
    at = nearest / STEPS
    d = size - at
    square = at * at
    # The derivatives of e^-t², divided by it, over factorials: Hermite polynomials.
    series = 1 + d * (
        -at + d * ((2 * square - 1) / 3 + d * (at * (3 - 2 * square) / 6 + d * (4 * square * (square - 3) + 3) / 30))
    )
    value = _known()[nearest.astype(np.intp)] + 2 / math.sqrt(math.pi) * np.exp(-square) * d * series
    return np.asarray(np.copysign(value, x), x.dtype)


def each(function: Any, x: Array) -> Array:
    """A function of Python floats, element by element, in the dtype of `x`; infinite where it has a pole."""

    def value(number: float) -> float:
        try:
            return float(function(number))
        except (ValueError, OverflowError):
            return math.inf

    flat = [value(number) for number in np.ravel(x).tolist()]
    return np.array(flat, x.dtype).reshape(x.shape)


def erfc(x: Array) -> Array:
    """1 - erf x, with small errors also where that is small."""
    return each(math.erfc, x)


def lgamma(x: Array) -> Array:
    """The logarithm of |Γ(x)|."""
    return each(math.lgamma, x)


def erfinv(x: Array) -> Array:
    """The number whose `erf` is x: a first guess, then Newton's steps, in float64."""
    with np.errstate(all="ignore"):
        y = x.astype(np.float64)
        spread = np.log1p(-y * y)
        part = 2 / (math.pi * 0.147) + spread / 2
        z = np.copysign(np.sqrt(np.sqrt(part * part - spread / 0.147) - part), y)
        for _ in range(4):
            error = np.where(
                np.abs(z) < 1, erf(z) - y, np.copysign(1, y) * (1 - np.abs(y)) - np.copysign(erfc(np.abs(z)), y)
            )
            z = z - error * math.sqrt(math.pi) / 2 * np.exp(z * z)
        z = np.where(np.abs(y) == 1, np.copysign(np.inf, y), np.where(np.abs(y) > 1, np.nan, z))
    return np.asarray(z, x.dtype)


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""B₂, B₄, ... of the series for large x."""


def polygamma(n: int, x: Array) -> Array:
    """The derivative number n + 1 of ln Γ(x): a recurrence up to x > 10, a series from there on."""
    return each(lambda number: _polygamma(n, number), x)


def _polygamma(n: int, x: float) -> float:
    if x <= 0 and x == math.floor(x):
        return math.nan if n or x else -math.copysign(math.inf, x)
    sign = -1.0 if n % 2 == 0 else 1.0
    if x < 0 and n == 0:  # reflected
        return _polygamma(0, 1 - x) - math.pi / math.tan(math.pi * x)
    found = 0.0
    while x < 10:
        found += sign * math.factorial(n) / x ** (n + 1)
        x += 1
    tail = math.log(x) - 1 / (2 * x) if n == 0 else 0.0
    if n:
        tail = sign * (math.factorial(n - 1) / x**n + math.factorial(n) / (2 * x ** (n + 1)))
    for k, number in enumerate(BERNOULLI, 1):
        scale = 1 / (2 * k) if n == 0 else math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        tail += (-1 if n == 0 else sign) * number * scale / x ** (2 * k + n)
    return found + tail


FAR = 20.0
"""From here on a modified Bessel function is its asymptotic series, whose terms fall below 1e-16 there."""


def bessel(order: int, x: Array, *, scaled: bool) -> Array:
    """The modified Bessel function of the first kind; `scaled` by e^-|x|, which keeps it finite."""
    size = np.abs(x.astype(np.float64))
    with np.errstate(all="ignore"):
        near, far = np.minimum(size, FAR), np.maximum(size, FAR)
        term = total = (near / 2) ** order
        for k in range(1, 80):
            term = term * (near * near / 4) / (k * (k + order))
            total = total + term
        tail = rest = np.ones_like(far)
        for k in range(1, 30):
            rest = rest * -(4 * order * order - (2 * k - 1) ** 2) / (8 * k * far)
            tail = tail + rest
        small = total * np.exp(-near)
        found = np.where(size < FAR, small, tail / np.sqrt(2 * math.pi * far))
        found = found if scaled else np.where(size < FAR, total, found * np.exp(size))
    found = np.where(np.isnan(x), np.nan, found)
    return np.asarray(found if order == 0 else np.copysign(found, x), x.dtype)
