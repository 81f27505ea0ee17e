"""The incomplete gamma functions of arrays: the share of Γ(a) that lies below x, and that above."""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.special.special_functions import lgamma

TERMS = 2000
"""Of a series or a fraction, at most; it is ended once terms no longer count."""
TINY = 1e-300


def gammainc(a: Array, x: Array, *, upper: bool) -> Array:
    """The share of Γ(a) = ∫ t^(a-1) e^-t dt from 0 to x, or with `upper` that from x on; computed in float64."""
    a, x = np.broadcast_arrays(a.astype(np.float64), x.astype(np.float64))
    with np.errstate(all="ignore"):
        inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
        at, to = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
        scale = np.exp(at * np.log(to) - to - lgamma(at))
        far = to > at + 1
        below = scale * _series(np.where(far, 1.0, at), np.where(far, 1.0, to))
        above = scale * _fraction(np.where(far, at, 1.0), np.where(far, to, 3.0))
        lower = np.where(far, 1 - above, below)
        share = np.where(far, above, 1 - below) if upper else lower
        return np.where(inside, share, _at_the_edges(a, x, upper))


def _series(a: Array, x: Array) -> Array:
    """Σ x^n / (a (a + 1) ... (a + n))."""
    term = total = 1 / a
    for n in range(1, TERMS):
        term = term * x / (a + n)
        total = total + term
        if not (term > 1e-17 * total).any():
            break
    return total


def _fraction(a: Array, x: Array) -> Array:
    """1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)), by Lentz."""
    b = x + 1 - a
    c, d = np.full_like(b, 1 / TINY), 1 / b
    found = d
    for n in range(1, TERMS):
        factor = n * (a - n)
        b = b + 2
        d, c = 1 / _not_zero(factor * d + b), _not_zero(b + factor / c)
        found = found * d * c
        if not (np.abs(d * c - 1) > 1e-16).any():
            break
    return found


def _not_zero(x: Array) -> Array:
    return np.where(np.abs(x) < TINY, TINY, x)


def _at_the_edges(a: Array, x: Array, upper: bool) -> Array:
    """What is so where one of them is 0, below it, infinite or no number, asked in PyTorch's order."""
    none, every = (1.0, 0.0) if upper else (0.0, 1.0)
    return np.select(
        [(x < 0) | (a < 0), a == 0, x == 0, np.isinf(a), np.isinf(x)],
        [np.nan, np.where(x > 0, every, np.nan), none, np.where(np.isinf(x), np.nan, none), every],
        np.nan,
    )
