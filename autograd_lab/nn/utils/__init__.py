"""What is done to parameters: clipped, made one vector, parametrized, pruned; and sequences of different lengths."""

from __future__ import annotations

from autograd_lab.nn.utils import parametrizations, parametrize, prune, rnn
from autograd_lab.nn.utils.clip_grad import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from autograd_lab.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from autograd_lab.nn.utils.parametrizations import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_weight_norm",
    "rnn",
    "vector_to_parameters",
    "weight_norm",
]
