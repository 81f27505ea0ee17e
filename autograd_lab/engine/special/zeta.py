"""Hurwitz' zeta function, and the normal distribution's quantiles: element by element, in float64."""

from __future__ import annotations

import math
from statistics import NormalDist

DIVISORS = (
    12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10, -2.950130727918164224e12,
    1.1646782814350067249e14, -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18,
)  # fmt: skip
"""(2 n)! / B₂ₙ: what the terms of Euler and Maclaurin's series are divided by."""
EPSILON = 1.11022302462515654042e-16


def zeta(x: float, q: float) -> float:
    """Σ (q + n)^-x, over all n from 0."""
    if x == 1:
        return math.inf
    if not x > 1 or math.isnan(q):
        return math.nan
    if q <= 0:
        if q == math.floor(q):
            return math.inf
        if x != math.floor(x):
            return math.nan
    total, at, count, term = q**-x, q, 0, 0.0
    while count < 9 or at <= 9:
        at, count = at + 1, count + 1
        term = at**-x
        total += term
        if abs(term) < EPSILON * abs(total):
            return total
    total += term * at / (x - 1) - 0.5 * term
    factor = 1.0
    for number, divisor in enumerate(DIVISORS):
        factor *= x + 2 * number
        term /= at
        total += factor * term / divisor
        factor *= x + 2 * number + 1
        term /= at
    return total


def ndtri(p: float) -> float:
    """The number below which the normal distribution has a share of p."""
    if 0 < p < 1:
        return NormalDist().inv_cdf(p)
    return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)
