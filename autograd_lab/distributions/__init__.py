"""Probability distributions, as `torch.distributions` has them: draws, log-probabilities, gradients through both."""

from __future__ import annotations

from autograd_lab.distributions import (
    constraint_registry,
    constraints,
    kl,
    kl_alike,
    kl_unlike,
    kl_vectors,
    transforms,
    utils,
)
from autograd_lab.distributions.bernoulli import Bernoulli
from autograd_lab.distributions.beta import Beta
from autograd_lab.distributions.binomial import Binomial
from autograd_lab.distributions.categorical import Categorical
from autograd_lab.distributions.cauchy import Cauchy
from autograd_lab.distributions.chi2 import Chi2
from autograd_lab.distributions.constraint_registry import biject_to, transform_to
from autograd_lab.distributions.continuous_bernoulli import ContinuousBernoulli
from autograd_lab.distributions.dirichlet import Dirichlet
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.exponential import Exponential
from autograd_lab.distributions.fishersnedecor import FisherSnedecor
from autograd_lab.distributions.gamma import Gamma
from autograd_lab.distributions.generalized_pareto import GeneralizedPareto
from autograd_lab.distributions.geometric import Geometric
from autograd_lab.distributions.gumbel import Gumbel
from autograd_lab.distributions.half_cauchy import HalfCauchy
from autograd_lab.distributions.half_normal import HalfNormal
from autograd_lab.distributions.independent import Independent
from autograd_lab.distributions.inverse_gamma import InverseGamma
from autograd_lab.distributions.kl import kl_divergence, register_kl
from autograd_lab.distributions.kumaraswamy import Kumaraswamy
from autograd_lab.distributions.laplace import Laplace
from autograd_lab.distributions.lkj_cholesky import LKJCholesky
from autograd_lab.distributions.log_normal import LogNormal
from autograd_lab.distributions.logistic_normal import LogisticNormal
from autograd_lab.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from autograd_lab.distributions.mixture_same_family import MixtureSameFamily
from autograd_lab.distributions.multinomial import Multinomial
from autograd_lab.distributions.multivariate_normal import MultivariateNormal
from autograd_lab.distributions.negative_binomial import NegativeBinomial
from autograd_lab.distributions.normal import Normal
from autograd_lab.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from autograd_lab.distributions.pareto import Pareto
from autograd_lab.distributions.poisson import Poisson
from autograd_lab.distributions.relaxed_bernoulli import RelaxedBernoulli
from autograd_lab.distributions.relaxed_categorical import RelaxedOneHotCategorical
from autograd_lab.distributions.studentT import StudentT
from autograd_lab.distributions.transformed_distribution import TransformedDistribution
from autograd_lab.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from autograd_lab.distributions.uniform import Uniform
from autograd_lab.distributions.von_mises import VonMises
from autograd_lab.distributions.weibull import Weibull
from autograd_lab.distributions.wishart import Wishart

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraint_registry",
    "constraints",
    "identity_transform",
    "kl",
    "kl_alike",
    "kl_divergence",
    "kl_unlike",
    "kl_vectors",
    "register_kl",
    "transform_to",
    "transforms",
    "utils",
]
