"""How a draw of the beta distribution moves with its first parameter."""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.special.special_functions import polygamma

STEP = 1 / 16
STEPS: Array = np.arange(-9, 4, STEP)
"""Where the integrand is asked for: v = 1 / (1 + exp(-π sinh t)), which comes close to 0 and 1 doubly exponentially."""
SINH, LOG_SLOPE = np.pi * np.sinh(STEPS), np.log(np.pi * np.cosh(STEPS))
AT_ONCE = 4096


def beta_slope(x: Array, a: Array, b: Array) -> Array:
    """dx/da of draws x: -(∂F/∂a) / (∂F/∂x), where F(x; a, b) is the probability of at most x."""
    parts = [slice(start, start + AT_ONCE) for start in range(0, len(x), AT_ONCE)]
    return np.concatenate([_slope(x[part, None], a[part, None], b[part, None]) for part in parts] or [x])


def _slope(x: Array, a: Array, b: Array) -> Array:
    """The integral of ∂f/∂a = f (log t + ψ(a + b) - ψ(a)) from x to the end that is away from the mean.

    With t = x v^(1/a) below the mean, 1 - t = (1 - x) v^(1/b) above it, nothing is infinite at that end.
    """
    below = x <= a / (a + b)
    near: Array = np.where(below, x, 1 - x)
    power: Array = np.where(below, a, b)
    other: Array = np.where(below, b, a)
    log_v, log_rest = -np.logaddexp(0, -SINH), -np.logaddexp(0, SINH)
    log_u: Array = log_v / power
    ratio = (other - 1) * np.log1p(np.negative(np.expm1(log_u)) * near / (1 - near))
    log_t = np.where(below, np.log(x) + log_u, np.log1p(np.negative(~below * near * np.exp(log_u))))
    moved = log_t + polygamma(0, a + b) - polygamma(0, a)
    total = (np.exp(LOG_SLOPE + log_v + log_rest + ratio) * moved).sum(-1) * STEP
    sign = np.where(below, -1, 1)
    return np.asarray((sign * near / power)[:, 0] * total)
