"""Dropout: elements, or whole channels, set to 0 at random, and the rest scaled up."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.draws.twister import as_it_lies
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.exact.elementless import beside
from autograd_lab.engine.numbers.dtypes import Array, order_of
from autograd_lab.engine.ops.inplace.pointwise import mul_
from autograd_lab.engine.ops.pointwise.arithmetic import mul
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["alpha_dropout", "dropout"]

SELU_LIMIT = 1.7580993408473766
"""Where selu ends on the left, as a positive number."""


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element becomes 0 with probability `p`, and the rest is scaled up by 1 / (1 - p)."""
    _check(p)
    only_tensors("dropout", input)
    return _dropped(input, p, training, inplace)


def _check(p: float, error: type[Exception] = ValueError) -> None:
    if not 0 <= p <= 1:
        raise error(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped(input: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...] | None = None) -> Tensor:
    x = input._array
    if not training or not p or not x.size:
        return input
    times: Any = mul_ if inplace else mul
    if p == 1:
        return times(input, wrap(np.zeros((), x.dtype)))
    if x.dtype.kind not in "fV":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.title}")
    noise = np.asarray(_kept(x, p, shape), x.dtype)
    noise /= 1 - p
    return times(input, beside(noise, input))


def _kept(x: Array, p: float, shape: tuple[int, ...] | None = None) -> Any:
    """Which elements are kept, or which parts, of some shape; drawn in the order in which elements lie in memory."""
    if shape is not None or type(x) is not np.ndarray:
        return numbers_of().random(x.shape if shape is None else shape) < 1 - p
    return as_it_lies(np.empty_like(x, order=order_of(x)), numbers_of().random) < 1 - p


def _channels(input: Tensor) -> tuple[int, ...]:
    """One number for each example and channel."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*shape[:2], *(1,) * (len(shape) - 2))


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each channel of each line becomes 0 with probability `p`, and the rest is scaled up."""
    _check(p)
    ndim = input._array.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    if ndim == 3:
        return _dropped(input, p, training, inplace, _channels(input))
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    z = _dropped(batch, p, training, inplace, _channels(batch))
    return z.squeeze_(0) if inplace else z.squeeze(0)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each channel of each picture becomes 0 with probability `p`, and the rest is scaled up."""
    _check(p)
    ndim = input._array.ndim
    if ndim not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated and will result in an error in a "
            "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            "dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel "
            "dimension, and an optional batch dimension (i.e. 3D or 4D inputs).",
            UserWarning,
            stacklevel=users_level(),
        )
    if ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            UserWarning,
            stacklevel=users_level(),
        )
    return _dropped(input, p, training, inplace, _channels(input))


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each channel becomes 0 with probability `p`, and the rest is scaled up."""
    _check(p, RuntimeError)
    return _dropped(input, p, train, False, _channels(input)) if train and p else input


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """The same, written into the tensor."""
    _check(p, RuntimeError)
    return _dropped(input, p, train, True, _channels(input)) if train and p else input


class NativeDropoutBackward0(Node):
    """z = x where an element is kept, scaled up; so dz/dx is that scale, or 0."""

    outputs = ("result0", "result1")
    saves = ("result1",)
    __slots__ = ("_scale", "p")
    tangent = "own"

    def forward(self, x: Array, p: float, train: bool | None) -> tuple[Array, Array]:
        self.p, dropping = p, train is not False
        self._scale = (0.0 if p == 1 else 1 / (1 - p)) if train else 1.0
        kept = _kept(x, p) if dropping else np.ones(x.shape, bool)
        scale = (0.0 if p == 1 else 1 / (1 - p)) if dropping else 1.0
        return x * np.asarray(kept * scale, x.dtype), kept

    def backward(self, g: Any, kept: Any) -> Any:
        factor = np.asarray(kept._array if isinstance(kept, Variable) else kept) * self._scale
        recorded = isinstance(g, Variable)
        factor = factor.astype(g._array.dtype if recorded else g.dtype)
        return g * (wrap(factor) if recorded else factor)

    def pushed(self, push: Any) -> Any:
        """The tangents of what was kept, scaled up."""
        return self.backward(push.tangents[0], push.outputs[1]), None


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Dropout, and which elements it kept."""
    if train is not False and not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={1 - p}")
    z, kept = apply_many(NativeDropoutBackward0, (input,), p, train)
    return z, kept


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for selu: what is dropped becomes selu's left end, and mean and variance are kept."""
    _check(p)
    return _dropped_to_the_left(input, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """The same for whole channels."""
    _check(p)
    return _dropped_to_the_left(input, p, training, inplace, _channels(input)) if training and p else input


def _dropped_to_the_left(
    input: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...] | None = None
) -> Tensor:
    x = input._array
    if not training or not p or not x.size:
        return input
    if p == 1:
        return (mul_ if inplace else mul)(input, wrap(np.zeros((), x.dtype)))
    kept = _kept(x, p, shape)
    scale = 1 / ((SELU_LIMIT**2 * p + 1) * (1 - p)) ** 0.5
    noise = kept.astype(x.dtype)
    shift = np.asarray((noise - 1) * x.dtype.type(SELU_LIMIT * scale) + x.dtype.type(SELU_LIMIT * scale * p))
    z = (mul_ if inplace else mul)(input, beside(np.asarray(noise * x.dtype.type(scale)), input))
    return z.add_(beside(shift, input))
