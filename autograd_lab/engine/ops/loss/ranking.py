"""Losses that compare: margins, pairs and triplets of vectors; and likelihoods of counts and of measurements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.exact.elementless import beside
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import Array, Size
from autograd_lab.engine.ops.loss.common import reduction_of, together
from autograd_lab.engine.ops.loss.similarity import pairwise_distance
from autograd_lab.engine.ops.pointwise.arithmetic import SubBackward1

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

SMALL = 1e-12


def _chosen(target: Tensor, first: Tensor, second: Tensor, when: tuple[Array, Array]) -> Tensor:
    """The first where it counts plus the second where it counts, 0 elsewhere."""
    zeros = beside(np.zeros_like(second._array), second)
    return first.where(wrap(when[0]), zeros) + second.where(wrap(when[1]), zeros)


def _number(value: float, like: Tensor) -> Tensor:
    return wrap(np.array(value, like._array.dtype))


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """x where the target is 1, and how far x is below the margin where it is -1."""
    if autocast.used:
        input, target = autocast.widened(input, target)
    number = reduction_of(reduction, size_average, reduce)
    below = (_number(margin, input) - input).clamp_min_(0)
    y = target._array
    return together(_chosen(target, below, input, (y != 1, y != -1)), number)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cosine where the target is 1, and how far the cosine is above the margin where it is -1."""
    if autocast.used:
        input1, input2, target = autocast.widened(input1, input2, target)
    number = reduction_of(reduction, size_average, reduce)
    y, shapes = target._array, (input1._array.shape, input2._array.shape)
    if y.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len({len(shape) for shape in shapes} | {y.ndim + 1}) > 1:
        raise RuntimeError(
            f"{y.ndim}D target tensor expects {y.ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(shapes[0])} and {list(shapes[1])}."
        )
    dots, first, second = ((a * b).sum(y.ndim) for a, b in ((input1, input2), (input1, input1), (input2, input2)))
    cosine = dots / (first._plus(SMALL) * second._plus(SMALL)).sqrt()
    near = _number(1, cosine).expand(cosine.shape) - cosine
    far = apply1(SubBackward1, cosine, margin).clamp_min_(0)
    return together(_chosen(target, near, far, (y == 1, y == -1)), number)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How far the first is from being above the second by the margin, or below it where the target is -1."""
    if autocast.used:
        input1, input2, target = autocast.widened(input1, input2, target)
    number = reduction_of(reduction, size_average, reduce)
    ndims = {one._array.ndim for one in (input1, input2, target)}
    if len(ndims) > 1:
        sizes = [Size(one._array.shape) for one in (input1, input2, target)]
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{sizes[0]}, input2: {sizes[1]}, target: {sizes[2]} "
        )
    return together((-target * (input1 - input2))._plus(margin).clamp_min_(0), number)


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How far the anchor is from being nearer to the positive example than to the negative one, by the margin."""
    if autocast.used:
        anchor, positive, negative = autocast.widened(anchor, positive, negative)
    number = reduction_of(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ndims = [one._array.ndim for one in (anchor, positive, negative)]
    if len(set(ndims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {ndims[0]}D, positive {ndims[1]}D, and negative {ndims[2]}D inputs"
        )
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return together((near._plus(margin) - far).clamp_min(0), number)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None,
    eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How surprising counts are, given their expected numbers or the logarithms of those."""
    if autocast.used:
        input, target = autocast.widened(input, target)
    number = reduction_of(reduction, size_average, reduce)
    errors = input.exp() - target * input if log_input else input - target * input._plus(eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        errors = errors + stirling.masked_fill(target <= 1, 0)
    return together(errors, number)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """How surprising measurements are, given their means and variances."""
    if isinstance(var, float):
        var = beside(np.full_like(input._array, var), input)
    if (var._array < 0).any():
        raise ValueError("var has negative entry/entries")
    x, v = input._array.shape, var._array.shape
    if x != v:
        if x[:-1] == v:
            var = var.unsqueeze(-1)
        elif len(x) != len(v) or sum(b for a, b in zip(x, v, strict=True) if a != b) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    errors = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        errors += 0.5 * math.log(2 * math.pi)
    return together(errors, reduction_of(reduction))
