"""Channels that become places of a larger picture, and back; channels dealt out to groups anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.kinds import Linear

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class PixelShuffleBackward0(Linear):
    """z has r times as many rows and columns as x, from r² times as many channels."""

    __slots__ = ("upscale_factor",)

    def forward(self, x: Array, factor: int) -> Array:
        self.upscale_factor = factor
        *batch, channels, height, width = x.shape
        parts = x.reshape(*batch, channels // factor**2, factor, factor, height, width)
        n = len(batch)
        order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
        return np.ascontiguousarray(parts.transpose(order)).reshape(
            *batch, channels // factor**2, height * factor, width * factor
        )

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return apply1(PixelUnshuffleBackward0, g, self.upscale_factor)
        return PixelUnshuffleBackward0().forward(g, self.upscale_factor)


class PixelUnshuffleBackward0(Linear):
    """z has r² times as many channels as x, from r times as many rows and columns."""

    __slots__ = ("downscale_factor",)

    def forward(self, x: Array, factor: int) -> Array:
        self.downscale_factor = factor
        *batch, channels, height, width = x.shape
        parts = x.reshape(*batch, channels, height // factor, factor, width // factor, factor)
        n = len(batch)
        order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
        return np.ascontiguousarray(parts.transpose(order)).reshape(
            *batch, channels * factor**2, height // factor, width // factor
        )

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return apply1(PixelShuffleBackward0, g, self.downscale_factor)
        return PixelShuffleBackward0().forward(g, self.downscale_factor)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(…, C r², H, W) becomes (…, C, H r, W r)."""
    only_tensors("pixel_shuffle", input)
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    if shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return apply1(PixelShuffleBackward0, input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(…, C, H r, W r) becomes (…, C r², H, W)."""
    only_tensors("pixel_unshuffle", input)
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for dim, word in ((-2, "height"), (-1, "width")):
        if shape[dim] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but input.size({dim})="
                f"{shape[dim]} is not divisible by {downscale_factor}"
            )
    return apply1(PixelUnshuffleBackward0, input, downscale_factor)


class ChannelShuffleBackward0(Linear):
    """z has the first channel of each group, then the second of each, and so on."""

    __slots__ = ("groups", "self_sym_sizes")

    def forward(self, x: Array, groups: int) -> Array:
        self.groups, self.self_sym_sizes = groups, x.shape
        parts = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
        return np.ascontiguousarray(parts.swapaxes(1, 2)).reshape(x.shape)

    def backward(self, g: Any) -> Any:
        back = self.self_sym_sizes[1] // self.groups
        if isinstance(g, Variable):
            return apply1(ChannelShuffleBackward0, g, back)
        return ChannelShuffleBackward0().forward(g, back)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels in the order in which `groups` groups of them would each give one in turn."""
    only_tensors("channel_shuffle", input)
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    return apply1(ChannelShuffleBackward0, input, groups)
