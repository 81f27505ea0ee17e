"""e^x² erfc x, which stays finite where erfc vanishes, and what is computed by it."""

from __future__ import annotations

import math

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.special.special_functions import erfc

FAR = 25.0
"""From here on `erfcx` is its asymptotic series, whose fifth term falls below 1e-16 there."""


def erfcx(x: Array) -> Array:
    """e^x² erfc x, in float64."""
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        near, far = np.minimum(wide, FAR), np.maximum(wide, FAR)
        small = 1 / (2 * far * far)
        tail = (1 - small * (1 - 3 * small * (1 - 5 * small * (1 - 7 * small)))) / (far * math.sqrt(math.pi))
        return np.where(wide < FAR, np.exp(near * near) * erfc(near), np.where(np.isnan(wide), wide, tail))


def log_ndtr(x: Array) -> Array:
    """The logarithm of the normal distribution's share below x, in float64."""
    with np.errstate(all="ignore"):
        t = x.astype(np.float64) / math.sqrt(2)
        low, high = np.minimum(t, -0.5), np.maximum(t, -0.5)
        return np.where(t < -0.5, np.log(erfcx(-low) / 2) - low * low, np.log1p(-erfc(high) / 2))
