"""What `torch.special` has, under the names that it has there."""

from __future__ import annotations

from autograd_lab.engine.modes.pickled_functions import keep
from autograd_lab.engine.ops.activation.probabilities import log_softmax, softmax
from autograd_lab.engine.ops.activation.sigmoids import sigmoid as expit
from autograd_lab.engine.ops.pointwise import special_sums
from autograd_lab.engine.ops.pointwise.bessel import i0, i0e, i1, i1e
from autograd_lab.engine.ops.pointwise.elementary import expm1, log1p
from autograd_lab.engine.ops.pointwise.gamma_functions import igamma as gammainc
from autograd_lab.engine.ops.pointwise.gamma_functions import igammac as gammaincc
from autograd_lab.engine.ops.pointwise.gamma_functions import mvlgamma as multigammaln
from autograd_lab.engine.ops.pointwise.rounding import round
from autograd_lab.engine.ops.pointwise.special import digamma, erf, erfc, erfinv, exp2, logit, polygamma, xlogy
from autograd_lab.engine.ops.pointwise.special import lgamma as gammaln
from autograd_lab.engine.ops.pointwise.special_shares import entr, erfcx, log_ndtr, ndtr, xlog1py
from autograd_lab.engine.ops.pointwise.special_sums import NAMES
from autograd_lab.engine.ops.pointwise.trigonometry import sinc
from autograd_lab.engine.ops.reduction.statistics import logsumexp
from autograd_lab.engine.tensor.outputs import give_errors, give_outputs

psi = digamma
globals().update({name: getattr(special_sums, name) for name in NAMES})
OWN = "entr erfcx gammainc gammaincc i0 i0e i1 i1e log_ndtr ndtr xlog1py"
give_outputs(globals(), " ".join([OWN, *NAMES]), "special_")
give_errors(
    globals(),
    ["digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "log1p", "logit", "polygamma", "sinc", "xlogy"],
    "special_",
)
keep(globals(), "special")

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammainc", "gammaincc",
    "gammaln", "i0", "i0e", "i1", "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln",
    "ndtr", "polygamma", "psi", "round", "sinc", "softmax", "xlog1py", "xlogy",
    *NAMES,
]  # fmt: skip
