"""Pooling by powers, and channels divided by the size of their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.activation.rectifiers import relu
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.layer.padding import pad
from autograd_lab.engine.ops.layer.pooling import avg_pool1d, avg_pool2d
from autograd_lab.engine.ops.layer.windows import each

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def _root(z: Any, count: Any, norm_type: float) -> Any:
    return (z.sign() * relu(z.abs())).mul(count).pow(1.0 / norm_type)


@composed
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of what a window along a sequence sees: the root of the sum of powers."""
    z = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _root(z, kernel_size, norm_type)


@composed
def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of what a window over a picture sees: the root of the sum of powers."""
    width, height = each(kernel_size, 2)
    z = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _root(z, width * height, norm_type)


class _AcrossChannels(Node):
    """What both nodes of means across channels keep: the window lies along the first of the last three dimensions."""

    __slots__ = (
        "ceil_mode", "count_include_pad", "divisor_override", "kernel_size", "padding", "stride",
    )  # fmt: skip

    def keep(self, size: int) -> None:
        self.ceil_mode, self.count_include_pad, self.divisor_override = False, True, None
        self.kernel_size, self.padding, self.stride = (size, 1, 1), (0, 0, 0), (1, 1, 1)


class AvgPool3DBackward0(_AcrossChannels):
    """The mean of each channel and those beside it."""

    saves = ("self",)
    tangent = "linear"
    op = "avg_pool3d"

    def forward(self, x: Array, size: int) -> Array:
        self.keep(size)
        return _means(x, size)

    def backward(self, g: Any, x: Any) -> Any:
        size = self.kernel_size[0]
        return apply2(AvgPool3DBackwardBackward0, g, x, size) if isinstance(g, Variable) else _spread(g, size)


class AvgPool3DBackwardBackward0(_AcrossChannels):
    """The reverse, inside the graph of a gradient."""

    inputs = ("grad_output", "self")
    op = "avg_pool3d_backward"
    tangent = "linear"
    __slots__ = ("self_info",)

    def forward(self, g: Array, x: Array, size: int) -> Array:
        self.keep(size)
        return _spread(g, size)

    def backward(self, h: Any) -> Any:
        size = self.kernel_size[0]
        again = apply1(AvgPool3DBackward0, h, size) if isinstance(h, Variable) else _means(h, size)
        return again, formulas.zeros_like(h)


def _means(x: Array, size: int) -> Array:
    count = x.shape[-3] - size + 1
    total = x[..., :count, :, :].copy()
    for at in range(1, size):
        total += x[..., at : at + count, :, :]
    return np.divide(total, size, out=total)


def _spread(g: Array, size: int) -> Array:
    count = g.shape[-3]
    whole = np.zeros((*g.shape[:-3], count + size - 1, *g.shape[-2:]), g.dtype)
    for at in range(size):
        whole[..., at : at + count, :, :] += g / g.dtype.type(size)
    return whole


@composed
def local_response_norm(input: Any, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Each channel divided by a power of the mean square of itself and the channels beside it."""
    shape = input._array.shape
    if len(shape) < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {len(shape)} dimensions)")
    if not input._array.size:
        return input
    squares, margin = input.mul(input), (size // 2, (size - 1) // 2)
    if len(shape) == 3:
        means = avg_pool2d(pad(squares.unsqueeze(1), (0, 0, *margin)), (size, 1), 1).squeeze(1)
    else:
        of_kind("biufV", input._array, "avg_pool3d_out_frame", least=4 if input._array.dtype.kind in "fV" else 1)
        deep = pad(squares.view(shape[0], 1, shape[1], shape[2], -1), (0, 0, 0, 0, *margin))
        means = apply1(AvgPool3DBackward0, deep, size).squeeze(1).view(shape)
    return input / means.mul(alpha).add(k).pow(beta)
