"""`kl_divergence`: how far one distribution is from another, as the mean of log p - log q over draws of p."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autograd_lab.distributions.bernoulli import Bernoulli, Geometric
from autograd_lab.distributions.categorical import Categorical, OneHotCategorical
from autograd_lab.distributions.exponential import Exponential, Laplace
from autograd_lab.distributions.gamma import Beta, Dirichlet, Gamma
from autograd_lab.distributions.independent import Independent, summed
from autograd_lab.distributions.multivariate_normal import MultivariateNormal
from autograd_lab.distributions.normal import HalfNormal, Normal
from autograd_lab.distributions.poisson import Poisson
from autograd_lab.distributions.transformed import LogNormal, TransformedDistribution
from autograd_lab.distributions.uniform import Uniform
from autograd_lab.engine.ops.activation.sigmoids import softplus
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.linalg import solve

Rule = Callable[[Any, Any], Any]
RULES: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Have a function tell the divergence of distributions of two kinds, and of those derived from them."""

    def registered(rule: Rule) -> Rule:
        RULES[type_p, type_q] = rule
        return rule

    return registered


def kl_divergence(p: Any, q: Any) -> Any:
    """KL(p || q), for each of the batch. Raises NotImplementedError for a pair that has no rule."""
    known = [
        (type(p).__mro__.index(one), type(q).__mro__.index(other), rule)
        for (one, other), rule in RULES.items()
        if isinstance(p, one) and isinstance(q, other)
    ]
    if not known:
        kinds = f"p type {type(p).__name__} and q type {type(q).__name__}"
        raise NotImplementedError(f"No KL(p || q) is implemented for {kinds}")
    return min(known, key=lambda found: found[:2])[2](p, q)


@register_kl(Normal, Normal)
def _normals(p: Normal, q: Normal) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    away = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + away - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normals(p: HalfNormal, q: HalfNormal) -> Any:
    return _normals(p.base_dist, q.base_dist)


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p: Bernoulli, q: Bernoulli) -> Any:
    yes = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    yes = where(q.probs == 0, math.inf, yes)
    yes = where(p.probs == 0, 0.0, yes)
    no = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    no = where(q.probs == 1, math.inf, no)
    return yes + where(p.probs == 1, 0.0, no)


@register_kl(Categorical, Categorical)
def _categoricals(p: Categorical, q: Categorical) -> Any:
    each = p.probs * (p.logits - q.logits)
    each = where(q.probs == 0, math.inf, each)
    return where((p.probs == 0).expand(each.shape), 0.0, each).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hots(p: OneHotCategorical, q: OneHotCategorical) -> Any:
    return _categoricals(Categorical(logits=p.logits), Categorical(logits=q.logits))


@register_kl(Uniform, Uniform)
def _uniforms(p: Uniform, q: Uniform) -> Any:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), math.inf, found)


@register_kl(Exponential, Exponential)
def _exponentials(p: Exponential, q: Exponential) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Laplace, Laplace)
def _laplaces(p: Laplace, q: Laplace) -> Any:
    ratio = p.scale / q.scale
    away = (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * (-away / p.scale).exp() - 1


@register_kl(Poisson, Poisson)
def _poissons(p: Poisson, q: Poisson) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Geometric, Geometric)
def _geometrics(p: Geometric, q: Geometric) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gamma, Gamma)
def _gammas(p: Gamma, q: Gamma) -> Any:
    a, b = p.concentration, q.concentration
    size = b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma()
    return size + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p: Dirichlet, q: Dirichlet) -> Any:
    a, b = p.concentration, q.concentration
    whole = a.sum(-1)
    norms = whole.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return norms + ((a - b) * (a.digamma() - whole.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Beta, Beta)
def _betas(p: Beta, q: Beta) -> Any:
    return _dirichlets(p._both(), q._both())


@register_kl(MultivariateNormal, MultivariateNormal)
def _vectors(p: MultivariateNormal, q: MultivariateNormal) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    spread = solve(q.factor, p.factor).pow(2).sum((-2, -1))
    away = solve(q.factor, (q.loc - p.loc).unsqueeze(-1)).pow(2).sum((-2, -1))
    return q._half_log_det() - p._half_log_det() + 0.5 * (spread + away - p.event_shape[0])


@register_kl(LogNormal, LogNormal)
def _log_normals(p: LogNormal, q: LogNormal) -> Any:
    return _normals(p.base_dist, q.base_dist)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    extra = len(p.event_shape) - len(p.base_dist.event_shape)
    return summed(kl_divergence(p.base_dist, q.base_dist), extra)


@register_kl(Independent, Independent)
def _independents(p: Independent, q: Independent) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return summed(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
