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
from autograd_lab.engine.special.special_functions import lgamma, polygamma

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

TERMS = 500
"""Of the series, at most; it is ended once terms no longer count."""


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
    """dz/dx of a draw z: F is z^x e^-z Σ z^n / Γ(x + n + 1), and each term is differentiated by itself."""
    a, at = x.astype(np.float64), np.maximum(z.astype(np.float64), 1e-300)
    log = np.log(at)
    term = np.exp(a * log - at - lgamma(a + 1))
    psi = polygamma(0, a + 1)
    total = term * (log - psi)
    for n in range(1, TERMS):
        psi = psi + 1 / (a + n)
        term = term * at / (a + n)
        total = total + term * (log - psi)
        if not (np.abs(term) > 1e-17 * np.abs(total)).any():
            break
    density = np.exp((a - 1) * log - at - lgamma(a))
    found: Array = (-total / np.maximum(density, 1e-300)).astype(x.dtype)
    return found


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
