"""What `torch.special` has, under the names that it has there."""

from __future__ import annotations

from autograd_lab.engine.ops.activation.probabilities import log_softmax, softmax
from autograd_lab.engine.ops.activation.sigmoids import sigmoid as expit
from autograd_lab.engine.ops.pointwise.elementary import expm1, log1p
from autograd_lab.engine.ops.pointwise.rounding import round
from autograd_lab.engine.ops.pointwise.special import digamma, erf, erfc, erfinv, exp2, logit, polygamma, xlogy
from autograd_lab.engine.ops.pointwise.special import lgamma as gammaln
from autograd_lab.engine.ops.pointwise.trigonometry import sinc
from autograd_lab.engine.ops.reduction.statistics import logsumexp

psi = digamma

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "log_softmax", "logit",
    "logsumexp", "polygamma", "psi", "round", "sinc", "softmax", "xlogy",
]  # fmt: skip
