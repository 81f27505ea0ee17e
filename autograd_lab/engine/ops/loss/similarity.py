"""How alike vectors are: cosine similarity, distances; and vectors brought to length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, result_dtype
from autograd_lab.engine.ops.loss.common import broadcast
from autograd_lab.engine.ops.reduction.norms import NormBackward1, vector_norm
from autograd_lab.engine.ops.shape.views import expand

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["cosine_similarity", "pairwise_distance"]


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """The vectors along `dim` divided by their lengths."""
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
    only_tensors("cosine_similarity", x1, x2, names=("x1", "x2"))
    kinds = {one._array.dtype.kind for one in (x1, x2)}
    if kinds.isdisjoint("fV"):
        kind = BY_NUMPY[np.promote_types(x1._array.dtype, x2._array.dtype)].title
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {kind}")
    common = result_dtype([x1._array, x2._array])
    first, second = (one if one.is_floating_point() else one._to(common) for one in (x1, x2))
    if x1._array.shape != x2._array.shape:
        shape = broadcast(x1, x2)[0].shape
        first, second = expand(first, shape), expand(second, shape)
    length, other_length = _length(first, dim, eps), _length(second, dim, eps)
    other = second / other_length  # PyTorch takes the second factor first
    return (first / length * other).sum(dim)


def _length(x: Tensor, dim: int, eps: float) -> Tensor:
    """The length of vectors; it counts as at least `eps`, which gradients do not see."""
    length = vector_norm(x, 2, dim, True).clone()
    np.maximum(length._array, length._array.dtype.type(eps), out=length._array)
    return length


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The length of the difference of vectors along the last dimension."""
    ndim = max(x1._array.ndim, x2._array.ndim)
    return apply1(NormBackward1, (x1 - x2)._plus(eps), p, (ndim - 1,), keepdim)
