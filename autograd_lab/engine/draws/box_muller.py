"""Normally distributed float32 numbers of uniform ones, to the last bit as PyTorch makes them by sixteens.

Box and Muller (1958): of u and v, uniform in (0, 1], √(-2 log u) cos 2πv and √(-2 log u) sin 2πv are normal and
independent. PyTorch takes logarithm, sine and cosine from Moshier's Cephes library in float32, where its processor has
AVX2, and its compiler joins a product with the sum that follows it into one operation, rounded once (`joined`).
"""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.numbers.dtypes import F32, Array

TOGETHER = 16
"""So many are made of so many, the second half of them with the sines."""
_F = np.float32
_LOG = [
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
]  # fmt: skip
"""log(1 + x) = x - x²/2 + x³ (… + 0.333 - …), highest power first."""
_LOG_OF_2 = _F(-2.12194440e-4), _F(0.693359375)
_ROOT_OF_HALF = _F(0.707106781186547524)
_SIN = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1]
_COS = [2.443315711809948e-005, -1.388731625493765e-003, 4.166664568298827e-002]
_QUARTER = _F(-0.78515625), _F(-2.4187564849853515625e-4), _F(-3.77489497744594108e-8)
"""-π/4 in three parts, so that its multiples are taken off exactly."""
_MANTISSA, _HALF = np.int32(0x7FFFFF), np.int32(0x3F000000)


def box_muller(uniform: Array, mean: float, std: float) -> Array:
    """As many normal numbers as there are uniform ones from 0 below 1, a multiple of sixteen."""
    rows = uniform.reshape(-1, TOGETHER)
    radius = np.sqrt(_F(-2) * _log(_F(1) - rows[:, :8]))
    sine, cosine = _sine_and_cosine(_F(2 * np.pi) * rows[:, 8:])
    made = np.concatenate([radius * cosine, radius * sine], axis=1)
    return joined(made, _F(std), _F(mean)).reshape(-1)


def joined(x: Array, y: Array | np.float32, z: Array | np.float32) -> Array:
    """x y + z, rounded once: a product of two float32 is exact in float64."""
    return (x.astype(np.float64) * y + z).astype(F32)


def _polynomial(coefficients: list[float], x: Array) -> Array:
    total = np.full_like(x, coefficients[0])
    for each in coefficients[1:]:
        total = joined(total, x, _F(each))
    return total


def _log(x: Array) -> Array:
    """Of numbers above 0 and up to 1."""
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 126).astype(F32)
    x = ((bits & _MANTISSA) | _HALF).view(F32)  # from a half below 1
    is_small = x < _ROOT_OF_HALF
    exponent, x = exponent - is_small, (x - _F(1)) + np.where(is_small, x, _F(0))
    square = x * x
    rest = joined(_polynomial(_LOG, x) * x, square, exponent * _LOG_OF_2[0])
    return joined(exponent, _LOG_OF_2[1], x + joined(square, _F(-0.5), rest))


def _sine_and_cosine(x: Array) -> tuple[Array, Array]:
    """Of angles from 0 to 2π."""
    octant = ((x * _F(4 / np.pi)).astype(np.int32) + 1) & ~1
    for part in _QUARTER:
        x = joined(octant.astype(F32), part, x)
    square = x * x
    cosine = joined(_polynomial(_COS, square) * square, square, square * _F(-0.5)) + _F(1)
    sine = joined(_polynomial(_SIN, square) * square, x, x)
    is_straight = octant & 2 == 0
    of_sine, of_cosine = np.where(is_straight, sine, cosine), np.where(is_straight, cosine, sine)
    return np.where(octant & 4, -of_sine, of_sine), np.where((octant - 2) & 4, of_cosine, -of_cosine)
