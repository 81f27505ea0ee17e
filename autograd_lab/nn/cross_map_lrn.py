"""Response normalisation as Lua Torch had it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.autograd.function import Function
from autograd_lab.engine.core.variable import wrap


def _summed(x: Any, weights: Any) -> Any:
    """For each channel the sum of some of the channels."""
    matrix = wrap(weights.astype(x._array.dtype))
    return (matrix @ x.flatten(2)).view_as(x)


class CrossMapLRN2d(Function):
    """Each channel divided by a power of the sum of squares of those beside it."""

    @staticmethod
    def forward(ctx: Any, input: Any, size: int, alpha: float, beta: float, k: float) -> Any:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        ctx.size, ctx.alpha, ctx.beta, ctx.k = size, alpha, beta, k
        reach = int((size - 1) / 2 + 1)
        to, of = np.ogrid[: input.shape[1], : input.shape[1]]
        seen = (of < to + reach) & ((of == 0) | (of > to - reach))  # the first channel is never left out again
        ctx.scale = _summed(input * input, seen) * (alpha / size) + k
        output = ctx.scale**-beta * input
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (grad,), (input, output) = grads, ctx.saved_tensors
        before = int(ctx.size - (ctx.size - 1) / 2)
        to, of = np.ogrid[: input.shape[1], : input.shape[1]]
        seen = (of >= to - before) & (of < to - before + ctx.size)
        shares = _summed(grad * output / ctx.scale, seen)
        return ctx.scale**-ctx.beta * grad - 2 * ctx.alpha * ctx.beta / ctx.size * input * shares, *[None] * 4
