"""How far rows are from each other."""

from __future__ import annotations

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.module import Module


class PairwiseDistance(Module):
    """The p-norm of x - y + eps along the last dimension."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
