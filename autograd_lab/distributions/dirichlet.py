"""Probabilities of classes."""

from __future__ import annotations

from typing import Any

from autograd_lab.autograd.function import Function, once_differentiable
from autograd_lab.distributions import constraints
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.engine.draws.incomplete_beta import beta_slope
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.ops.layer.embedding import one_hot
from autograd_lab.engine.ops.pointwise.special import xlogy
from autograd_lab.engine.tensor.factories import from_numpy
from autograd_lab.engine.tensor.gammas import standard_gamma

__all__ = ["Dirichlet"]


class _Dirichlet(Function):
    """A draw, which moves with each parameter as if it were drawn of a beta distribution: one class, or any other."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        drawn = standard_gamma(concentration.double())  # of small ones there are draws that are 0 in single precision
        value, kind = (drawn / drawn.sum(-1, True)).to(concentration.dtype), finfo(concentration.dtype)
        value.clamp_(min=kind.tiny, max=1 - kind.eps / 2)
        ctx.save_for_backward(value, concentration)
        return value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        value, concentration = ctx.saved_tensors
        x, a = (one.detach().double().numpy() for one in (value, concentration))
        b = a.sum(-1, keepdims=True) - a
        slopes = beta_slope(*(one.reshape(-1) for one in (x, a, b))).reshape(x.shape) / (1 - x)
        return from_numpy(slopes).to(g.dtype) * (g - (value * g).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Probabilities of classes: gamma numbers, divided by their sum."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    event_dims = {"concentration": 1}
    support = constraints.simplex
    has_rsample = True
    concentration: Any

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Any:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        at_corners = (self.concentration < 1).all(dim=-1)
        corners = mode[at_corners].argmax(dim=-1)
        mode[at_corners] = one_hot(corners, above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Any:
        whole = self.concentration.sum(-1, True)
        return self.concentration * (whole - self.concentration) / (whole.pow(2) * (whole + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        a = self.concentration
        return xlogy(a - 1.0, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Any:
        a, count = self.concentration, self.concentration.size(-1)
        whole = a.sum(-1)
        spread = ((a - 1.0) * a.digamma()).sum(-1)
        return a.lgamma().sum(-1) - whole.lgamma() - (count - whole) * whole.digamma() - spread
