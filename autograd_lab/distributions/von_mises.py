"""The normal distribution of angles."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.utils import broadcast_all, lazy_property
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import float64
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.tensor.factories import zeros
from autograd_lab.engine.tensor.randomness import rand

__all__ = ["VonMises"]

SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
"""Of the modified Bessel functions of order 0 and 1 up to 3.75, by powers of (x / 3.75)² (Abramowitz and Stegun)."""
LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
     0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
     -0.420059e-2),
)  # fmt: skip
"""Beyond it, by powers of 3.75 / x."""


def _polynomial(x: Any, numbers: tuple[float, ...]) -> Any:
    return reduce(lambda found, number: number + x * found, reversed(numbers[:-1]), numbers[-1])


def _log_bessel(x: Any, order: int) -> Any:
    """The logarithm of the modified Bessel function, for positive x."""
    near = x / 3.75
    small = _polynomial(near * near, SMALL[order])
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, LARGE[order]).log()
    return where(x < 3.75, small, large)


class VonMises(Distribution):
    """Angles around `loc`, the nearer the greater `concentration` is; mean and variance are those on the circle."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    loc: Any
    concentration: Any

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        weight = self.concentration * (value - self.loc).cos()
        return weight - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        """1 - the length of the mean vector."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()

    def _reach(self, kappa: Any) -> Any:
        """What the proposals depend on."""
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Any = ()) -> Any:
        """Proposals that are refused or accepted, in double precision (Best and Fisher, 1979)."""
        with no_grad():
            loc, kappa = self.loc.to(float64), self.concentration.to(float64)
            reach = self._reach(kappa)
            x = zeros(self._extended_shape(sample_shape), dtype=float64)
            done = x != x
            while not bool(done.all()):
                u1, u2, u3 = rand((3, *x.shape), dtype=float64).unbind()
                z = (math.pi * u1).cos()
                f = (1 + reach * z) / (reach + z)
                c = kappa * (reach - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                x = where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
