"""How alike vectors are: cosine similarity, distances; and vectors brought to length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autograd_lab.engine.dtypes import BY_NUMPY
from autograd_lab.engine.ops.losses import broadcast
from autograd_lab.engine.ops.norms import vector_norm

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """The vectors along `dim` divided by their lengths."""
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
    kinds = {one._array.dtype.kind for one in (x1, x2)}
    if "f" not in kinds:
        kind = BY_NUMPY[np.promote_types(x1._array.dtype, x2._array.dtype)].title
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {kind}")
    first, second = broadcast(x1, x2)
    return (_unit(first, dim, eps) * _unit(second, dim, eps)).sum(dim)


def _unit(x: Tensor, dim: int, eps: float) -> Tensor:
    """Vectors of length 1; the length counts as at least `eps`, which gradients do not see."""
    length = vector_norm(x, 2, dim, True).clone()
    np.maximum(length._array, length._array.dtype.type(eps), out=length._array)
    return x / length


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The length of the difference of vectors along the last dimension."""
    ndim = max(x1._array.ndim, x2._array.ndim)
    return (x1 - x2)._raised(eps).norm(p, (ndim - 1,), keepdim)
