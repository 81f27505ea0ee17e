"""`conv_tbc`: a convolution along the first dimension, of sequences as (time, batch, channels)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.layer.padding import constant_pad
from autograd_lab.engine.ops.shape.joining import stack

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor


class ConvTbcBackward0(Node):
    """z_t = b + Σ x_(t + k - pad) w_k, so x gets Σ g_(t - k + pad) w_kᵀ, w_k gets Σ xᵀ g, and b gets Σ g."""

    inputs = ("self", "weight", "bias")
    saves = inputs
    __slots__ = ("pad",)
    tangent = "own"

    def forward(self, x: Array, w: Array, b: Array | None, pad: int) -> Array:
        self.pad = pad
        wide = np.pad(x, ((pad, pad), (0, 0), (0, 0)))
        count = len(wide) - len(w) + 1
        z = sum((wide[k : k + count] @ w[k] for k in range(len(w))), np.zeros((), x.dtype))
        return np.asarray(z if b is None else z + b)

    def backward(self, g: Any, x: Any, w: Any, b: Any) -> Any:
        recorded = isinstance(g, Variable)
        g, x, w = (one if isinstance(one, Variable) else wrap(one) for one in (g, x, w))
        count, size = g.shape[0], w.shape[0]
        wide = constant_pad(x, (0, 0, 0, 0, self.pad, self.pad))
        spread = constant_pad(g, (0, 0, 0, 0, size - 1, size - 1))
        whole = formulas.added([spread[size - 1 - k :][: wide.shape[0]] @ w[k].t() for k in range(size)])
        rows = g.reshape((-1, g.shape[2]))
        to_w = [wide[k : k + count].reshape((-1, x.shape[2])).t() @ rows for k in range(size)]
        found = whole[self.pad : self.pad + x.shape[0]], stack(to_w), g.sum((0, 1))
        needs = [edge[0] is not None for edge in self.next_functions]
        kept = [one if need else None for one, need in zip(found, needs, strict=True)]
        return tuple(one if one is None or recorded else one._array for one in kept)

    def pushed(self, push: Push) -> Sequence[Any]:
        """A product with a bias added to each place."""
        (x, w, b), (dx, dw, db) = push.operands, push.tangents
        nothing = wrap(np.zeros_like(b._array))
        parts = [push.again([x1, w1, nothing])[0] for x1, w1 in ((dx, w), (x, dw)) if x1 is not None and w1 is not None]
        parts += push.idle(0, 1)
        parts += [] if db is None else [db.expand(push.outputs[0]._array.shape)]
        return (formulas.added(parts),)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """The convolution of sequences, (time, batch, channels), with weights (width, channels in, channels out)."""
    x, w, b = input._array, weight._array, bias._array
    if x.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if w.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if b.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if x.shape[2] != w.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if b.size != w.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return applyn(ConvTbcBackward0, (input, weight, bias), pad)
