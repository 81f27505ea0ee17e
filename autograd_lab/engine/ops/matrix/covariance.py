"""How measurements vary together: covariance and correlation. A row is a variable, a column an observation."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.matrix.products import mm
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["corrcoef", "cov"]


@composed
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariances of the rows; observations may count several times, or with weights."""
    only_tensors("cov", input)
    if input._array.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows: Any = input if input._array.ndim == 2 else input.view(1, -1)
    count = rows._array.shape[1]
    weight = _weights(count, fweights, aweights)
    total = wrap(np.asarray(count)) if weight is None else weight.sum()
    if weight is not None and not total._array.all():
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = (rows if weight is None else rows * weight).sum(1) / total
    if weight is None or aweights is None or not correction:
        norm = total - correction
    else:
        norm = total - correction * (weight * aweights).sum() / total
    if norm._array <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            UserWarning,
            stacklevel=users_level(),
        )
        norm.zero_()
    rows = rows - mean.unsqueeze(1)
    return mm(rows, (rows if weight is None else rows * weight).t()).true_divide(norm).squeeze()


def _weights(count: int, fweights: Any, aweights: Any) -> Any:
    """How much each observation counts; None if all count the same."""
    for name, given, kinds, word in (
        ("fweights", fweights, "ui", "integral"),
        ("aweights", aweights, "fV", "floating point"),
    ):
        if given is None:
            continue
        x = given._array
        if x.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with {x.ndim} dimensions"
            )
        if x.dtype.kind not in kinds:
            raise RuntimeError(
                f"cov(): expected {name} to have {word} dtype but got {name} with {given.dtype.title} dtype"
            )
        if x.size != count:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but got "
                f"{x.size} != {count}"
            )
        if not (x >= 0).all():  # nor what is no number
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


@composed
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of the rows: their covariances over the roots of both variances, from -1 to 1."""
    only_tensors("corrcoef", input)
    if input._array.ndim > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    found: Any = cov(input)
    if not found._array.ndim:
        return found / found
    deviation = found.diagonal().sqrt()
    return (found / deviation.view(-1, 1) / deviation.view(1, -1)).clip(-1, 1)
