"""What is done to parameters: clipped, made one vector, parametrized, pruned; and sequences of different lengths."""

from __future__ import annotations

from typing import Any

from autograd_lab.nn.utils import parametrizations, parametrize, prune, rnn
from autograd_lab.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from autograd_lab.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from autograd_lab.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from autograd_lab.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from autograd_lab.nn.utils.weight_norm import remove_weight_norm, weight_norm


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module whose parameters nobody should count on before they are written to; here they have initial values."""
    return module_cls(*args, **{name: one for name, one in kwargs.items() if name != "device"})


__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]
