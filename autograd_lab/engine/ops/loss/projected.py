"""The cross entropy of scores that a linear layer gives."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.layer.linear import linear
from autograd_lab.engine.ops.loss.classification import cross_entropy
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

IGNORED = (
    "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {{'mean','sum','none'}}, "
    "label_smoothing == 0, target.dtype == int64, out_features == (). Got reduction={reduction!r}, "
    "label_smoothing={smoothing}, target.dtype={dtype}, out_features={out}, tracing=False, linear_bias.shape={bias}."
)


@composed
def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
    weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
    label_smoothing: float = 0.0, options: Any = None,
) -> Tensor:  # fmt: skip
    """`cross_entropy(linear(input, linear_weight, linear_bias), target)`; `options` change nothing of the result."""
    only_tensors("linear_cross_entropy", input)
    count, out = linear_weight.shape[0] if linear_weight.dim() else 0, tuple(linear_weight.shape[1:-1])
    _check(input, linear_weight, linear_bias, (count, *out))
    scores = (*input.shape[:-1], count, *out)
    if tuple(target.shape) == scores and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if options is not None:
        _warn_of_ignored(reduction, label_smoothing, target, out, linear_bias)
    if out:
        flat = math.prod(out, start=count)
        linear_weight = linear_weight.reshape((flat, input.shape[-1]))
        linear_bias = None if linear_bias is None else linear_bias.reshape((flat,))
    found = linear(input, linear_weight, linear_bias).reshape(scores)
    left_out = -100 if ignore_index is None else ignore_index
    return cross_entropy(
        found, target, weight, ignore_index=left_out, reduction=reduction, label_smoothing=label_smoothing
    )


def _check(input: Tensor, weight: Tensor, bias: Tensor | None, shape: tuple[int, ...]) -> None:
    """Raise RuntimeError unless the operands of the layer fit one another."""
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {weight.dim()}")
    size = input.shape[-1]
    if size != weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {size} and {weight.shape[-1]}, respectively"
        )
    if bias is not None and tuple(bias.shape) != shape:
        raise RuntimeError(f"expected linear_bias shape {shape}, got {tuple(bias.shape)}")
    if len(shape) > 1 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched input, "
            f"(N, {size}), got unbatched input with shape {tuple(input.shape)}"
        )


def _warn_of_ignored(reduction: str, smoothing: float, target: Tensor, out: tuple[int, ...], bias: Any) -> None:
    usual = reduction in ("mean", "sum", "none") and smoothing == 0 and target._array.dtype.str[1:] == "i8"
    if not usual or out:
        shape = None if bias is None else tuple(bias.shape)
        told = {"reduction": reduction, "smoothing": smoothing, "dtype": target.dtype, "out": out, "bias": shape}
        warnings.warn(IGNORED.format(**told), stacklevel=users_level())
