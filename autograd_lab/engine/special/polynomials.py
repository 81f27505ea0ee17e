"""Orthogonal polynomials of arrays, by their recurrences: as `torch.special` computes them, corner by corner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

Step = Callable[[int, Any, Any, Any], Any]


def _recurred(x: Array, n: Array, first: Any, step: Step) -> Array:
    """p₀ = 1, p₁ = `first`, and so on by `step`, each element as far as its n says; 0 below."""
    before, now = np.ones_like(x), np.broadcast_to(np.asarray(first, x.dtype), x.shape)
    z = np.where(n == 0, before, np.where(n == 1, now, x.dtype.type(0)))
    for k in range(1, int(n.max(initial=0))):
        before, now = now, np.asarray(step(k, x, now, before), x.dtype)
        z = np.where(n == k + 1, now, z)
    return z


def _turned(k: int, x: Any, now: Any, before: Any) -> Any:
    return (x + x) * now - before


def _sign(n: Array) -> Array:
    return np.where(n % 2 == 0, 1, -1)


def _chebyshev(x: Array, n: Array, first: Any, ends: tuple[Any, Any], least: int, wave: Callable[..., Any]) -> Array:
    """By the recurrence; far on between -1 and 1 as a wave, and at both ends as is known."""
    inside = (np.abs(x) < 1) & (n > least)
    known = inside | (np.abs(x) == 1)
    z = _recurred(x, np.where(known, 0, n), first, _turned)
    angle = np.arccos(np.clip(x, -1, 1))
    z = np.where(inside, wave(angle, n.astype(x.dtype)), z)
    z = np.where(x == 1, ends[0], np.where(x == -1, ends[1], z))
    return np.where(n < 0, 0, z)


def chebyshev_polynomial_t(x: Array, n: Array) -> Array:
    """cos(n arccos x)."""
    return _chebyshev(x, n, x, (1, _sign(n)), 6, lambda angle, n: np.cos(n * angle))


def chebyshev_polynomial_u(x: Array, n: Array) -> Array:
    """sin((n + 1) arccos x) / sin(arccos x)."""
    ends = n + 1, _sign(n) * (n + 1)
    return _chebyshev(x, n, x + x, ends, 8, lambda angle, n: np.sin((n + 1) * angle) / np.sin(angle))


def chebyshev_polynomial_v(x: Array, n: Array) -> Array:
    """cos((n + 1/2) arccos x) / cos(arccos(x) / 2)."""
    ends = np.ones_like(n), _sign(n) * (n + n + 1)
    return _chebyshev(x, n, x + x - 1, ends, 8, lambda angle, n: np.cos((n + 0.5) * angle) / np.cos(angle / 2))


def chebyshev_polynomial_w(x: Array, n: Array) -> Array:
    """sin((n + 1/2) arccos x) / sin(arccos(x) / 2)."""
    ends = n + n + 1, _sign(n)
    return _chebyshev(x, n, x + x + 1, ends, 8, lambda angle, n: np.sin((n + 0.5) * angle) / np.sin(angle / 2))


def _limited(x: Array, n: Array, first: Any, step: Step) -> Array:
    """No number where n is greater than PyTorch goes."""
    most = 512 if x.dtype.itemsize == 8 else 128
    return np.where(n > most, np.nan, _recurred(x, np.where(n > most, 0, n), first, step))


def hermite_polynomial_h(x: Array, n: Array) -> Array:
    """The polynomials that go with e^-x²."""
    return _limited(x, n, x + x, lambda k, x, now, before: (x + x) * now - (k + k) * before)


def hermite_polynomial_he(x: Array, n: Array) -> Array:
    """The polynomials that go with e^-(x² / 2)."""
    return _limited(x, n, x, lambda k, x, now, before: x * now - k * before)


def laguerre_polynomial_l(x: Array, n: Array) -> Array:
    """The polynomials that go with e^-x, for x above 0."""
    return _recurred(x, n, 1 - x, lambda k, x, now, before: ((k + k + (1 - x)) * now - k * before) / (k + 1))


def legendre_polynomial_p(x: Array, n: Array) -> Array:
    """The polynomials that are orthogonal between -1 and 1."""
    z = _recurred(x, n, x, lambda k, x, now, before: ((k + k + 1) * x * now - k * before) / (k + 1))
    return np.where((np.abs(x) == 1) & (n >= 0), np.where(x == 1, 1, _sign(n)), z)


def _shifted(polynomial: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda x, n: polynomial(x + x - 1, n)


POLYNOMIALS: dict[str, Callable[[Array, Array], Array]] = {
    each.__name__: each
    for each in (
        chebyshev_polynomial_t, chebyshev_polynomial_u, chebyshev_polynomial_v, chebyshev_polynomial_w,
        hermite_polynomial_h, hermite_polynomial_he, laguerre_polynomial_l, legendre_polynomial_p,
    )
}  # fmt: skip
POLYNOMIALS |= {f"shifted_{name}": _shifted(each) for name, each in POLYNOMIALS.items() if name.startswith("cheb")}
