"""How far a distribution is from another of its kind."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions.bernoulli import Bernoulli
from autograd_lab.distributions.beta import Beta
from autograd_lab.distributions.binomial import Binomial
from autograd_lab.distributions.categorical import Categorical
from autograd_lab.distributions.cauchy import Cauchy
from autograd_lab.distributions.continuous_bernoulli import ContinuousBernoulli
from autograd_lab.distributions.dirichlet import Dirichlet
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.exponential import Exponential
from autograd_lab.distributions.gamma import Gamma
from autograd_lab.distributions.geometric import Geometric
from autograd_lab.distributions.gumbel import Gumbel
from autograd_lab.distributions.half_normal import HalfNormal
from autograd_lab.distributions.independent import Independent
from autograd_lab.distributions.kl import kl_divergence, register_kl
from autograd_lab.distributions.laplace import Laplace
from autograd_lab.distributions.normal import Normal
from autograd_lab.distributions.one_hot_categorical import OneHotCategorical
from autograd_lab.distributions.pareto import Pareto
from autograd_lab.distributions.poisson import Poisson
from autograd_lab.distributions.transformed_distribution import TransformedDistribution
from autograd_lab.distributions.uniform import Uniform
from autograd_lab.distributions.utils import _sum_rightmost, euler_constant
from autograd_lab.engine.ops.activation.sigmoids import softplus
from autograd_lab.engine.ops.pointwise.selection import where


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


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independents(p: Independent, q: Independent) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Binomial, Binomial)
def _binomials(p: Binomial, q: Binomial) -> Any:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return where(p.total_count > q.total_count, math.inf, p.total_count * each)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoullis(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Any:
    norms = p._cont_bern_log_norm() + (-p.probs).log1p() - q._cont_bern_log_norm() - (-q.probs).log1p()
    return p.mean * (p.logits - q.logits) + norms


@register_kl(Gumbel, Gumbel)
def _gumbels(p: Gumbel, q: Gumbel) -> Any:
    ratio, q_loc, p_loc = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    away = (q_loc + (1 + ratio).lgamma() - p_loc).exp()
    return -ratio.log() - q_loc + p_loc + ratio * euler_constant + away - (1 + euler_constant)


@register_kl(Cauchy, Cauchy)
def _cauchys(p: Cauchy, q: Cauchy) -> Any:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _paretos(p: Pareto, q: Pareto) -> Any:
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return where(p.scale < q.scale, math.inf, found)


@register_kl(ExponentialFamily, ExponentialFamily)
def _families(p: ExponentialFamily, q: ExponentialFamily) -> Any:
    """The Bregman divergence of the log-normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot \
                            be computed using Bregman divergences"
        )
    natural, normalizer, slopes = p._slopes()
    others = q._natural_params
    found = q._log_normalizer(*others) - normalizer
    for one, other, slope in zip(natural, others, slopes, strict=True):
        found = found - _sum_rightmost((other - one) * slope, len(q.event_shape))
    return found
