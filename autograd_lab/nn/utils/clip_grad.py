"""Gradients made smaller, all of them as one vector, or each element."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.ops.reduction.norms import length
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.parameter import overwritten
from autograd_lab.whose import users_level

Tensors = Tensor | Iterable[Tensor]


def _listed(tensors: Tensors) -> list[Any]:
    return [tensors] if is_tensor(tensors) else list(tensors)


def _gradient(parameter: Any) -> Any:
    """What has come to a parameter; of a tensor that keeps none, with PyTorch's warning."""
    return parameter._grad if parameter._grad is not None else parameter.grad


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors as one vector."""
    norm_type = float(norm_type)
    arrays = [tensor._array for tensor in _listed(tensors)]
    if not arrays:
        return wrap(np.zeros((), np.float32))
    norms = np.array([length(array, norm_type) for array in arrays], np.result_type(*arrays))
    total = length(norms, norm_type)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return wrap(total)


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients by `max_norm / total_norm` if that makes them smaller."""
    with np.errstate(all="ignore"):  # no op has asked for quiet before
        factor = np.minimum(float(max_norm) / (total_norm._array + total_norm._array.dtype.type(1e-6)), 1)
        for gradient in map(_gradient, _listed(parameters)):
            if gradient is not None:
                gradient._array *= factor
                overwritten(gradient, "mul_")


def clip_grad_norm_(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale all gradients so that their norm, as one vector, is at most `max_norm`; returns what it was."""
    found = _listed(parameters)
    if isinstance(parameters, types.GeneratorType) and not found:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=users_level())
    gradients = [gradient for gradient in map(_gradient, found) if gradient is not None]
    total = get_total_norm(gradients, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(found, max_norm, total)
    return total


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Set each element of the gradients to at least `-clip_value` and at most `clip_value`."""
    for gradient in map(_gradient, _listed(parameters)):
        if gradient is not None:
            array = gradient._array
            np.clip(array, -float(clip_value), float(clip_value), out=array)
            overwritten(gradient, "clamp_", 2)


def clip_grad_norm(*args: Any, **named: Any) -> Tensor:
    """`clip_grad_norm_`, under its old name."""
    old = "torch.nn.utils.clip_grad_norm"
    warnings.warn(f"`{old}` is now deprecated in favor of `{old}_`.", FutureWarning, stacklevel=users_level())
    return clip_grad_norm_(*args, **named)
