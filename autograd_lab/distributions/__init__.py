"""Probability distributions, as `torch.distributions` has them: draws, log-probabilities, gradients through both."""

from __future__ import annotations

from autograd_lab.distributions import constraints, kl, transforms
from autograd_lab.distributions.bernoulli import Bernoulli, Binomial, Geometric
from autograd_lab.distributions.categorical import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.exponential import Cauchy, Exponential, Gumbel, Laplace
from autograd_lab.distributions.gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from autograd_lab.distributions.independent import Independent
from autograd_lab.distributions.kl import kl_divergence, register_kl
from autograd_lab.distributions.mixture import MixtureSameFamily
from autograd_lab.distributions.multivariate_normal import MultivariateNormal
from autograd_lab.distributions.normal import HalfNormal, Normal
from autograd_lab.distributions.poisson import Poisson
from autograd_lab.distributions.relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from autograd_lab.distributions.transformed import LogNormal, TransformedDistribution
from autograd_lab.distributions.transforms import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    TanhTransform,
    Transform,
)
from autograd_lab.distributions.uniform import Uniform

__all__ = [
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Independent",
    "Laplace",
    "LogNormal",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "SigmoidTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "constraints",
    "kl",
    "kl_divergence",
    "register_kl",
    "transforms",
]
