"""All parameters of a module as one vector, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.parameter import typename


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, one after another, as one vector, through which gradients flow."""
    return cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters their parts of one vector, in its memory."""
    if not is_tensor(vec):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in parameters:
        size = math.prod(parameter.shape)
        parameter.data = vec[start : start + size].view_as(parameter).data
        start += size
