"""Functions of `torch` that stand below those of `nn.functional`: the same ops, with arguments as C++ has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.ops.ground.applying import apply_with_kept
from autograd_lab.engine.ops.layer import convolution as convolutions
from autograd_lab.engine.ops.layer import embedding_bag as bags
from autograd_lab.engine.ops.layer import normalization, pooling, sampling
from autograd_lab.engine.ops.layer.dropout import native_dropout
from autograd_lab.engine.ops.layer.shuffling import channel_shuffle as native_channel_shuffle
from autograd_lab.engine.ops.layer.time_first import conv_tbc

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "affine_grid_generator", "conv_tbc", "convolution", "embedding_bag", "grid_sampler", "grid_sampler_2d",
    "max_pool1d_with_indices", "native_batch_norm", "native_channel_shuffle", "native_dropout", "native_group_norm",
    "native_layer_norm",
]  # fmt: skip


def max_pool1d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """The greatest that a window sees along one dimension, and where it stands."""
    return pooling.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Tensor:  # fmt: skip
    """A convolution of as many dimensions as its weights say; `transposed`, the gradient of one."""
    for at, (name, one) in enumerate({"stride": stride, "padding": padding, "dilation": dilation}.items(), 4):
        if not isinstance(one, tuple | list):
            kind = type(one).__name__
            raise TypeError(f"convolution(): argument '{name}' (position {at}) must be tuple of ints, not {kind}")
    w, x = weight._array, input._array
    if x.ndim != w.ndim:
        raise RuntimeError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but got "
            f"{x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    rule = stride, padding, dilation, groups, transposed, output_padding
    return convolutions.convolve("convolution", w.ndim - 2, input, weight, bias, *rule)


def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, ...]:
    """`layer_norm`, and the means and scales of the examples."""
    return normalization.layer_norm_with_means(input, normalized_shape, weight, bias, eps)


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, ...]:
    """`group_norm`, and the means and scales of the groups."""
    return apply_with_kept(normalization.NativeGroupNormBackward0, (input, weight, bias), group, eps)


def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: bool, momentum: float, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """`batch_norm`, and the means and scales of the channels."""
    operands = (input, weight, bias, running_mean, running_var)
    return apply_with_kept(normalization.NativeBatchNormBackward0, operands, bool(training), momentum, eps)


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sample`, with numbers for the words."""
    mode, padding = sampling.MODES[interpolation_mode], sampling.PADDINGS[padding_mode]
    return sampling.grid_sample(input, grid, mode, padding, align_corners)


grid_sampler_2d = grid_sampler


def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """`affine_grid`, of which the arguments are not checked."""
    return apply1(sampling.AffineGridGeneratorBackward0, theta, tuple(size), bool(align_corners))


def embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The bags, and of all but sums in which bag each row is, how many rows a bag has, and which were the greatest."""
    if mode not in range(3):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    given = per_sample_weights, include_last_offset, padding_idx
    z = bags.embedding_bag(indices, weight, offsets, None, 2, scale_grad_by_freq, bags.MODES[mode], sparse, *given)
    numbers, places, count = bags.bags_of(indices, offsets, include_last_offset)
    kept = numbers != (-1 if padding_idx is None else padding_idx % len(weight._array))
    sizes = np.bincount(places[kept], minlength=count) * (mode > 0)
    best = sizes.copy()
    if mode == 2:
        best = np.zeros((count, weight._array.shape[1]), np.int64)
        for bag in range(count):
            if (rows := numbers[kept & (places == bag)]).size:
                best[bag] = rows[weight._array[rows].argmax(0)]
    return z, *(wrap(np.asarray(one, np.int64)) for one in (places if mode else places[:0], sizes, best))
