"""Gamma numbers as functions of their parameter, with the gradient that draws have by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.draws import rejection
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.draws.incomplete_beta import beta_slope
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, of_kind
from autograd_lab.engine.ops.ground.kinds import Undifferentiable
from autograd_lab.engine.special.special_functions import polygamma

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

TERMS = 5
"""Of the series, after the first."""


class StandardGammaBackward0(Node):
    """z is drawn from the gamma distribution with this parameter.

    Where F(z; x) is the probability of at most z, the draw with the same F moves by dz/dx = -(∂F/∂x) / (∂F/∂z)
    (Figurnov, Mohamed and Mnih, 2018).
    """

    saves = ("self", "result")

    def forward(self, x: Array, generator: Any = None) -> Array:
        drawn = rejection.each(rejection.gamma, numbers_of(generator), x)
        return np.maximum(drawn.astype(x.dtype), np.finfo(x.dtype).tiny)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        if isinstance(g, Variable):
            return g * wrap(slope(x._array, z._array))
        return g * slope(x, z)


def slope(x: Array, z: Array) -> Array:
    """dz/dx of a draw z, as exactly as PyTorch computes it, which is to three digits or more."""
    a, at = x.astype(np.float64), z.astype(np.float64)
    with np.errstate(all="ignore"):
        rest = np.where(
            a > 8, np.where(abs(at - a) <= 0.1 * a, _at_the_mean(a, at), _by_stirling(a, at)), _fitted(a, at)
        )
        found: Array = np.where(at < 0.8, np.nan_to_num(_by_series(a, at), nan=0.0), rest).astype(x.dtype)
    return found


def _by_series(a: Array, z: Array) -> Array:
    """F is z^a / Γ(a) times the sum of (-z)^n / (n! (a + n)), and each term is differentiated by itself."""
    numer, whole, moved = np.ones_like(z), 1 / a, 1 / (a * a)
    for n in range(1, TERMS + 1):
        numer = numer * -z / n
        whole, moved = whole + numer / (a + n), moved + numer / (a + n) ** 2
    change = (np.log(z) - polygamma(0, a)) * z**a * whole - z**a * moved
    return np.asarray(-change / (z ** (a - 1) * np.exp(-z)))


def _at_the_mean(a: Array, z: Array) -> Array:
    """Of many degrees and near the mean, where `_by_stirling` divides by next to nothing."""
    power = 1440 * a**2 + 6 * z * (53 - 120 * z) - 65 * z * z / a + a * (107 + 3600 * z)
    return np.asarray((1 + 24 * a * (1 + 12 * a)) * power / (1244160 * a**4))


def _by_stirling(a: Array, z: Array) -> Array:
    """Of many degrees: F at a saddle point (Rice, 1968)."""
    log, root = np.log(z / a), np.sqrt(8 * a)
    farther = (z - a - a * log) ** -1.5
    both = root / (a - z) + np.where(z < a, -farther, farther)
    part = log * both - np.sqrt(2 / a) * (a + z) / (a - z) ** 2
    return np.asarray(-(1 + 1 / (12 * a) * (1 + 1 / (24 * a))) * z * part / root)


FITTED = (
    (0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084),
    (0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623),
    (0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 850.92367e-6, -1.5247877e-7),
)  # fmt: skip
"""By powers of log(z / a): numbers by powers of log a, four above the fraction stroke and four below."""


def _fitted(a: Array, z: Array) -> Array:
    """Elsewhere: the exponential of a fraction, fitted to the true slope."""
    u, v = np.log(z / a), np.log(a)
    c = [first + u * (second + u * third) for first, second, third in zip(*FITTED, strict=True)]
    above, below = (c[n] + v * (c[n + 1] + v * (c[n + 2] + v * c[n + 3])) for n in (0, 4))
    return np.asarray(np.exp(above / below))


def standard_gamma(input: Tensor, generator: Any = None) -> Tensor:
    """A draw for each parameter, through which gradients flow to it."""
    return apply1(StandardGammaBackward0, input, generator)


class StandardGammaGradBackward0(Node):
    """How draws move with their parameters; how that changes is not known."""

    op = "_standard_gamma_grad"

    def forward(self, x: Array, z: Array) -> Array:
        if x.dtype != z.dtype:
            raise RuntimeError(f"Found dtype {BY_NUMPY[z.dtype].title} but expected {BY_NUMPY[x.dtype].title}")
        return slope(*np.broadcast_arrays(of_kind("f", x, "_standard_gamma_grad_cpu"), z))

    def backward(self, g: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{self.op}' is not implemented.")


class DirichletGrad(Undifferentiable):
    """How the share of one class moves with the parameter of that class, of all of which there is the sum."""

    inputs = ("x", "alpha", "total")
    op = "_dirichlet_grad"

    def forward(self, x: Array, alpha: Array, total: Array) -> Array:
        share, a, whole = np.broadcast_arrays(*(one.astype(np.float64) for one in (x, alpha, total)))
        found = beta_slope(share.reshape(-1), a.reshape(-1), (whole - a).reshape(-1)).reshape(share.shape) / (1 - share)
        return np.asarray(found).astype(x.dtype)


def standard_gamma_grad(self: Tensor, output: Tensor) -> Tensor:
    """How draws, `output`, of gamma distributions move with their parameters."""
    return apply1(StandardGammaGradBackward0, self, output._array)


def dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How draws of a Dirichlet distribution move with `alpha`, of which `total` is the sum, if the rest stays apart."""
    return applyn(DirichletGrad, (x, alpha, total))


_standard_gamma, _standard_gamma_grad, _dirichlet_grad = standard_gamma, standard_gamma_grad, dirichlet_grad
"""By the names that `torch` has for them."""
