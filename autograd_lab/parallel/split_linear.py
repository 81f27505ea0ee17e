"""A linear layer in parts, one a lane, and what has to be added up between the lanes, forward or backward."""

from __future__ import annotations

from typing import Any

from autograd_lab.autograd.function import Function
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.linear import Linear
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import Parameter
from autograd_lab.parallel.lanes import all_reduce, lane, lanes


class Copied(Function):
    """The same tensor in each lane; each lane sends a gradient back, and they are added up."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return wrap(all_reduce(g._array))


class Summed(Function):
    """The sum of the tensors of all lanes, the same in each; so each gets the whole gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return wrap(all_reduce(x._array))

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g


def _part(size: int, what: str) -> slice:
    """This lane's share of so many rows or columns. Raises ValueError unless all lanes get equally many."""
    if size % lanes():
        raise ValueError(f"{size} {what} cannot be split over {lanes()} lanes equally")
    width = size // lanes()
    return slice(lane() * width, (lane() + 1) * width)


class ColumnParallelLinear(Module):
    """Of y = x Wᵀ + b each lane has some rows of W, and computes those elements of y.

    Every lane needs all of x, and so the gradient of x is a sum over the lanes.
    """

    def __init__(self, whole: Linear) -> None:
        super().__init__()
        part = _part(whole.out_features, "outputs")
        self.weight = Parameter(whole.weight.detach()[part].clone())
        self.bias = None if whole.bias is None else Parameter(whole.bias.detach()[part].clone())

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(Copied.apply(input), self.weight, self.bias)


class RowParallelLinear(Module):
    """Of y = x Wᵀ + b each lane has some columns of W, and gets those elements of x; y is a sum over the lanes.

    The bias is added afterwards, by each lane for itself.
    """

    def __init__(self, whole: Linear) -> None:
        super().__init__()
        part = _part(whole.in_features, "inputs")
        self.weight = Parameter(whole.weight.detach()[:, part].clone())
        self.bias = None if whole.bias is None else Parameter(whole.bias.detach().clone())

    def forward(self, input: Tensor) -> Tensor:
        y = Summed.apply(F.linear(input, self.weight))
        return y if self.bias is None else y + self.bias
