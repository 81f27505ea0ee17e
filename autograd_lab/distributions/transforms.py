"""Functions that can be undone, of which the density of what they make is known."""

from __future__ import annotations

from autograd_lab.distributions.composed import ComposeTransform, identity_transform
from autograd_lab.distributions.partwise import CatTransform, StackTransform
from autograd_lab.distributions.pointwise import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from autograd_lab.distributions.reshaped import IndependentTransform, ReshapeTransform
from autograd_lab.distributions.transform import Transform, _InverseTransform
from autograd_lab.distributions.unconstrained import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "_InverseTransform",
    "identity_transform",
]
