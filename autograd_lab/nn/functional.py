"""What networks are made of, as functions: convolutions, activations, normalisations, losses.

Each is defined beside its node in engine/ops/; here are the few that only put others together.
"""

from __future__ import annotations

import warnings
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.elsewhere.absent import missing
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.modes.pickled_functions import keep
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, dtype
from autograd_lab.engine.ops.activation import probabilities, rectifiers
from autograd_lab.engine.ops.activation.elus import celu, elu, selu
from autograd_lab.engine.ops.activation.gates import gelu, glu, hardswish, mish, silu
from autograd_lab.engine.ops.activation.piecewise import hardshrink, hardsigmoid, hardtanh, relu6, softshrink
from autograd_lab.engine.ops.activation.rectifiers import leaky_relu, prelu, rrelu, threshold
from autograd_lab.engine.ops.activation.sigmoids import logsigmoid, sigmoid, softplus, tanh
from autograd_lab.engine.ops.inplace.pointwise import relu_
from autograd_lab.engine.ops.layer.adaptive_pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
)
from autograd_lab.engine.ops.layer.attention import scaled_dot_product_attention
from autograd_lab.engine.ops.layer.bilinear import bilinear
from autograd_lab.engine.ops.layer.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from autograd_lab.engine.ops.layer.dropout import alpha_dropout, dropout, dropout1d, dropout2d, feature_alpha_dropout
from autograd_lab.engine.ops.layer.embedding import embedding, one_hot
from autograd_lab.engine.ops.layer.embedding_bag import embedding_bag
from autograd_lab.engine.ops.layer.fractional import fractional_max_pool2d
from autograd_lab.engine.ops.layer.interpolation import interpolate
from autograd_lab.engine.ops.layer.linear import linear
from autograd_lab.engine.ops.layer.multihead import multi_head_attention_forward
from autograd_lab.engine.ops.layer.normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from autograd_lab.engine.ops.layer.padding import pad
from autograd_lab.engine.ops.layer.pooling import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from autograd_lab.engine.ops.layer.powers import local_response_norm, lp_pool1d, lp_pool2d
from autograd_lab.engine.ops.layer.sampling import affine_grid, grid_sample
from autograd_lab.engine.ops.layer.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from autograd_lab.engine.ops.layer.time_first import conv_tbc
from autograd_lab.engine.ops.layer.unpooling import max_unpool1d, max_unpool2d
from autograd_lab.engine.ops.layer.windows import fold, unfold
from autograd_lab.engine.ops.loss.alignment import ctc_loss
from autograd_lab.engine.ops.loss.classification import cross_entropy, nll_loss
from autograd_lab.engine.ops.loss.entropies import binary_cross_entropy, binary_cross_entropy_with_logits, kl_div
from autograd_lab.engine.ops.loss.margins import (
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_with_distance_loss,
)
from autograd_lab.engine.ops.loss.projected import linear_cross_entropy
from autograd_lab.engine.ops.loss.ranking import (
    cosine_embedding_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    poisson_nll_loss,
    triplet_margin_loss,
)
from autograd_lab.engine.ops.loss.regression import huber_loss, l1_loss, mse_loss, smooth_l1_loss, soft_margin_loss
from autograd_lab.engine.ops.loss.similarity import cosine_similarity, normalize, pairwise_distance
from autograd_lab.engine.ops.reduction.norms import pdist
from autograd_lab.engine.tensor.factories import zeros_like
from autograd_lab.engine.tensor.names_in_overrides import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)
from autograd_lab.engine.tensor.outputs import give_errors, give_outputs, give_python_errors
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

celu_ = partial(celu, inplace=True)
elu_ = partial(elu, inplace=True)
hardtanh_ = partial(hardtanh, inplace=True)
leaky_relu_ = partial(leaky_relu, inplace=True)
rrelu_ = partial(rrelu, inplace=True)
selu_ = partial(selu, inplace=True)
threshold_ = partial(threshold, inplace=True)
for _written in (celu_, elu_, hardtanh_, leaky_relu_, rrelu_, selu_, threshold_):
    vars(_written)["__name__"] = f"{_written.func.__name__}_"  # what wrappers of whatever is there ask for
native_channel_shuffle = channel_shuffle


def _with_indices(pool: Any, most: int) -> Any:
    """The pooling with positions, whatever is said of `return_indices`, which stands behind `most` arguments."""

    @wraps(pool)
    def call(*args: Any, return_indices: bool = True, **named: Any) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = pool(*args[:most], return_indices=True, **named)
        return found

    call.__name__ = call.__qualname__ = f"{pool.__name__}_with_indices"
    return call


max_pool1d_with_indices, max_pool2d_with_indices = (_with_indices(pool, 6) for pool in (max_pool1d, max_pool2d))
adaptive_max_pool1d_with_indices = _with_indices(adaptive_max_pool1d, 2)
fractional_max_pool2d_with_indices = _with_indices(fractional_max_pool2d, 4)
adaptive_max_pool2d_with_indices = _with_indices(adaptive_max_pool2d, 2)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """x where it is positive, 0 elsewhere."""
    only_tensors("relu", input)
    if input._array.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return relu_(input) if inplace else rectifiers.relu(input)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh x."""
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """Positive numbers that sum to 1 along `dim`: e^x, divided by their sum."""
    return probabilities.softmax(input, _implicit("softmax", input, dim), dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """softmax of -x."""
    return probabilities.softmax(-input, _implicit("softmin", input, dim), dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """The logarithm of softmax, exact also where softmax underflows."""
    return probabilities.log_softmax(input, _implicit("log_softmax", input, dim), dtype)


def _implicit(name: str, input: Tensor, dim: int | None) -> int:
    only_tensors(name, input)
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=users_level(),
    )
    return 0 if input._array.ndim in (0, 1, 3) else 1


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A random choice by the odds e^logits, made soft so that gradients flow; `hard` makes it 0 or 1 all the same."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", UserWarning, stacklevel=users_level())
    x = logits._array
    if x.dtype.kind not in "fV":
        kind = BY_NUMPY[x.dtype].title
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {kind}"
        )
    gumbels = wrap(-np.log(numbers_of().exponential(1.0, x.shape).astype(x.dtype)))
    soft = probabilities.softmax((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    likeliest = soft.detach().max(dim, keepdim=True)[1]
    return zeros_like(soft.detach()).scatter_(dim, likeliest, 1.0) - soft.detach() + soft


UPSAMPLED = "`nn.functional.{}` is deprecated. Use `nn.functional.interpolate` instead."


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """`interpolate`, as it was called."""
    warnings.warn(UPSAMPLED.format("upsample"), stacklevel=users_level())
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` by the nearest element, as it was called."""
    warnings.warn(UPSAMPLED.format("upsample_nearest"), stacklevel=users_level())
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` with the corners where they are, as it was called."""
    warnings.warn(UPSAMPLED.format("upsample_bilinear"), stacklevel=users_level())
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "handle_torch_function",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "linear_cross_entropy",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "native_channel_shuffle",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

IN_C = (
    "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv_transpose1d conv_transpose2d "
    "cosine_similarity hardtanh_ leaky_relu_ one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ "
    "rrelu_ scaled_dot_product_attention"
)
"""Functions that PyTorch has in C++, where arguments are looked at first; `linear` does so itself."""
give_outputs(globals(), "avg_pool2d gelu hardshrink logsigmoid normalize softplus softshrink")
give_errors(globals(), IN_C.split())
give_python_errors(globals())
keep(globals(), "functional")
__getattr__ = missing(__name__)
