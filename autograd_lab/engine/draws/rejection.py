"""Random numbers that are drawn until one is good: gamma, Poisson and binomial ones, as PyTorch draws them one by one.

Each function takes what draws, a `Twister`, and asks it for uniform numbers from 0 below 1, or for normal ones. What
depends on the parameters alone is computed in their dtype, as PyTorch does it; the rest is in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.engine.draws.twister import Twister
from autograd_lab.engine.numbers.dtypes import Array

OVERFLOWN = -(2**63)
"""The whole number that a processor takes a float for that is none of 64 bits."""
_TAILS = [
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
]  # fmt: skip
"""What Stirling's formula lacks of log k!, for k below 10."""


_THIRD, _FACTOR = np.float32(1 / 3), float(np.float32(0.0331))


def each(draw: Callable[..., float], numbers: Twister, *parameters: Array) -> Array:
    """One number for each parameter, or for those that stand at the same place, in float64."""
    arrays = np.broadcast_arrays(*parameters)
    rows = zip(*[array.reshape(-1) for array in arrays], strict=True)
    return np.asarray([draw(numbers, *row) for row in rows], np.float64).reshape(arrays[0].shape)


def _uniform(numbers: Twister) -> float:
    return float(numbers.random(1)[0])


def gamma(numbers: Twister, alpha: Any) -> float:
    """By Marsaglia and Tsang (2000); for `alpha` below 1 by a number of `alpha` + 1, scaled down."""
    if alpha == 0:
        return 0.0
    scale = 1.0
    if alpha < 1:
        scale = (1 - _uniform(numbers)) ** float(1 / alpha)
        alpha = alpha + 1
    d = float(alpha - _THIRD)
    c = 1 / math.sqrt(9 * d)
    while True:
        x = float(numbers.normals(1)[0])
        while (y := 1 + c * x) <= 0:
            x = float(numbers.normals(1)[0])
        v, u = y * y * y, 1 - _uniform(numbers)
        if u < 1 - _FACTOR * (x * x) * (x * x) or math.log(u) < 0.5 * (x * x) + d * (1 - v + math.log(v)):
            return scale * d * v


def poisson(numbers: Twister, rate: Any) -> float:
    """How often something happens: counted while a product of uniform numbers is large, or by Hörmann (1993)."""
    rate = float(rate)
    if not rate >= 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate >= 10:
        return _many_events(numbers, rate)
    count, product, least = 0, 1.0, math.exp(-rate)
    while rate and (product := product * _uniform(numbers)) > least:
        count += 1
    return float(count)


def _many_events(numbers: Twister, rate: float) -> float:
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse, enough = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = _uniform(numbers) - 0.5, _uniform(numbers)
        inside = 0.5 - abs(u)
        found = (2 * a / inside + b) * u + rate + 0.43 if inside else math.nan
        k = math.floor(found) if math.isfinite(found) else OVERFLOWN
        if inside >= 0.07 and v <= enough:
            return float(k)
        if k < 0 or (inside < 0.013 and v > inside):
            continue
        odds = math.log(v) + math.log(inverse) - math.log(a / (inside * inside) + b)
        if odds <= -rate + k * math.log(rate) - math.lgamma(k + 1):
            return float(k)


def binomial(numbers: Twister, count: Any, chance: Any) -> float:
    """How many of `count` trials succeed: of what is rarer it is counted how long it takes to each time, or, where that
    happens ten times or more, it is drawn by Hörmann (1993)."""
    if math.isnan(chance):
        return math.nan
    if count <= 0 or chance <= 0:
        return 0.0
    if chance >= 1:
        return float(count)
    rare = chance if chance <= 0.5 else 1 - chance
    found = (_many_successes if count * rare >= 10 else _few_successes)(numbers, count, rare)
    return found if chance <= 0.5 else float(count) - found


def _few_successes(numbers: Twister, count: Any, chance: Any) -> float:
    trials, found, log = 0.0, 0.0, float(type(chance)(math.log1p(-chance)))
    while (trials := trials + math.ceil(math.log(_uniform(numbers)) / log)) <= count:
        found += 1
    return found


def _many_successes(numbers: Twister, count: Any, chance: Any) -> float:
    spread, mean = float(np.sqrt(count * chance * (1 - chance))), float(count * chance)
    odds, middle = float(chance / (1 - chance)), math.floor((count + 1) * chance)
    count, chance = float(count), float(chance)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    alpha = (2.83 + 5.1 / b) * spread
    while True:
        u, v = _uniform(numbers) - 0.5, _uniform(numbers)
        inside = 0.5 - abs(u)
        k = math.floor((2 * a / inside + b) * u + mean + 0.5) if inside else -1
        if not 0 <= k <= count:
            continue
        if inside >= 0.07 and v <= 0.92 - 4.2 / b:
            return float(k)
        if math.log(v * alpha / (a / (inside * inside) + b)) <= _log_odds(count, odds, middle, k):
            return float(k)


def _log_odds(count: float, odds: float, middle: float, k: float) -> float:
    """The logarithm of how much likelier `middle` successes are than k, less what does not hang on k."""
    ways = (count + 1) * math.log((count - middle + 1) / (count - k + 1))
    at_middle = (middle + 0.5) * math.log((middle + 1) / (odds * (count - middle + 1)))
    at_k = (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
    return at_middle + ways + at_k + _tail(middle) + _tail(count - middle) - _tail(k) - _tail(count - k)


def _tail(k: float) -> Any:
    if k < len(_TAILS):
        return _TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
