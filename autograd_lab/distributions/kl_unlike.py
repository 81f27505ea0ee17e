"""How far a distribution is from one of another kind: infinitely far, where it gives what the other never gives."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions.bernoulli import Bernoulli
from autograd_lab.distributions.beta import Beta
from autograd_lab.distributions.binomial import Binomial
from autograd_lab.distributions.continuous_bernoulli import ContinuousBernoulli
from autograd_lab.distributions.exponential import Exponential
from autograd_lab.distributions.gamma import Gamma
from autograd_lab.distributions.gumbel import Gumbel
from autograd_lab.distributions.kl import register_all, register_kl
from autograd_lab.distributions.laplace import Laplace
from autograd_lab.distributions.normal import Normal
from autograd_lab.distributions.pareto import Pareto
from autograd_lab.distributions.poisson import Poisson
from autograd_lab.distributions.uniform import Uniform
from autograd_lab.distributions.utils import euler_constant
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.ops.pointwise.special import xlogy
from autograd_lab.engine.tensor.factories import full_like


def _infinitely(p: Any, q: Any) -> Any:
    return full_like(getattr(p, next(name for name in FIRST if name in p.__dict__)), math.inf)


FIRST = ("loc", "rate", "concentration1", "concentration", "scale", "probs", "logits")
"""Of these parameters the first that a distribution was told has the shape of its batch."""
BOUNDED = (Beta, ContinuousBernoulli, Uniform)
register_all((Normal, Gumbel, Laplace), (*BOUNDED, Exponential, Gamma, Pareto), _infinitely)
register_all((Exponential, Gamma), (*BOUNDED, Pareto), _infinitely)
register_all((Beta, ContinuousBernoulli), (Pareto,), _infinitely)
register_all((Pareto,), BOUNDED, _infinitely)
register_all((Poisson,), (Bernoulli, Binomial), _infinitely)


def _gamma_norm(q: Gamma) -> Any:
    return q.concentration.lgamma() - q.concentration * q.rate.log()


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Beta, q: ContinuousBernoulli) -> Any:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_exponential(p: Beta, q: Exponential) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _beta_gamma(p: Beta, q: Gamma) -> Any:
    logs = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() + _gamma_norm(q) - (q.concentration - 1) * logs + q.rate * p.mean


@register_kl(Beta, Normal)
def _beta_normal(p: Beta, q: Normal) -> Any:
    mean, variance = p.mean, q.scale.pow(2)
    square = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    away = square - q.loc * mean + q.loc.pow(2) * 0.5
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + away / variance


@register_kl(Beta, Uniform)
def _beta_uniform(p: Beta, q: Uniform) -> Any:
    return where((q.low > 0) | (q.high < 1), math.inf, -p.entropy() + (q.high - q.low).log())


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p: ContinuousBernoulli, q: Exponential) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p: ContinuousBernoulli, q: Normal) -> Any:
    norm = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    away = (p.variance + p.mean.square() - 2.0 * q.loc * p.mean) / (2.0 * q.scale.square())
    return -p.entropy() + norm + away


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: ContinuousBernoulli, q: Uniform) -> Any:
    return where((q.low >= 0) | (q.high <= 1), math.inf, -p.entropy() + (q.high - q.low).log())


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Any:
    ratio = q.rate / p.rate
    norm = q.concentration.lgamma() + q.concentration * euler_constant
    return -q.concentration * ratio.log() + ratio + norm - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Any:
    product, place = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - place + place.exp() * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p: Exponential, q: Normal) -> Any:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    away = (square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance
    return 0.5 * (square * variance * 2 * math.pi).log() - 1 + away


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Gamma, q: Exponential) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


def _gamma_weight(p: Gamma) -> Any:
    return (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Gamma, q: Gumbel) -> Any:
    product, place = p.rate * q.scale, q.loc / q.scale
    tail = place.exp() * (1 + product.reciprocal()).pow(-p.concentration) - place
    return _gamma_weight(p) + product.log() + p.concentration / product + tail


@register_kl(Gamma, Normal)
def _gamma_normal(p: Gamma, q: Normal) -> Any:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    away = 0.5 * (p.concentration.pow(2) + p.concentration) / square
    away = away - q.loc * p.concentration / p.rate + 0.5 * q.loc.pow(2)
    return 0.5 * (square * variance * 2 * math.pi).log() + _gamma_weight(p) + away / variance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Gumbel, q: Normal) -> Any:
    ratio = p.scale / q.scale
    away = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    norm = -(ratio / math.sqrt(2 * math.pi)).log() + (math.pi * ratio * 0.5).pow(2) / 3
    return norm + away - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Laplace, q: Normal) -> Any:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    away = (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / variance
    return -0.5 * (2 * ratio / math.pi).log() + ratio + away - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Any:
    mean, ratio, place = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = (-mean + 0.5 * ratio + place).exp()
    return -ratio.log() * 0.5 + (mean - place) + tail - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Any:
    away = p.loc - q.loc
    steps = away / p.scale
    near = math.sqrt(2 / math.pi) * p.scale * (-0.5 * steps.pow(2)).exp()
    far = away * (math.sqrt(0.5) * steps).erf()
    return -(p.scale / q.scale).log() + (near + far) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Pareto, q: Exponential) -> Any:
    product = p.scale * q.rate
    found = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return where(p.alpha <= 1, math.inf, found)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Pareto, q: Gamma) -> Any:
    log = p.scale.log() + p.alpha.reciprocal()
    mean = q.rate * p.alpha * p.scale / (p.alpha - 1)
    found = p.alpha.log() - log + _gamma_norm(q) + (1 - q.concentration) * log + mean - 1
    return where(p.alpha <= 1, math.inf, found)


@register_kl(Pareto, Normal)
def _pareto_normal(p: Pareto, q: Normal) -> Any:
    part = p.scale / (p.alpha - 1)
    away = p.alpha * part.pow(2) / (p.alpha - 2) + (p.alpha * part - q.loc).pow(2)
    norm = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    return where(p.alpha <= 2, math.inf, norm + away / (2 * q.scale.pow(2)) - 1)


def _mean_log(low: Any, high: Any) -> Any:
    """The mean of the logarithm over an interval."""
    return (xlogy(high, high) - xlogy(low, low) - (high - low)) / (high - low)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Any:
    a, b = q.concentration1, q.concentration0
    norm = a.lgamma() + b.lgamma() - (a + b).lgamma() - (p.high - p.low).log()
    found = norm - (a - 1) * _mean_log(p.low, p.high) - (b - 1) * _mean_log(1 - p.high, 1 - p.low)
    return where((p.high > 1) | (p.low < 0), math.inf, found)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Any:
    found = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    return where((p.high >= 1) | (p.low <= 0), math.inf, found)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Uniform, q: Exponential) -> Any:
    found = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return where(p.low < 0, math.inf, found)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Uniform, q: Gamma) -> Any:
    logs = (1 - q.concentration) * _mean_log(p.low, p.high)
    found = -(p.high - p.low).log() + _gamma_norm(q) + logs + q.rate * (p.high + p.low) / 2
    return where(p.low < 0, math.inf, found)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Any:
    part = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return part.log() + 0.5 * (high + low) - part * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Any:
    width = p.high - p.low
    away = 0.5 * (width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)) / q.scale.pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + away


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Uniform, q: Pareto) -> Any:
    norm = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    return where(p.low < q.scale, math.inf, _mean_log(p.low, p.high) * (q.alpha + 1) - norm)
