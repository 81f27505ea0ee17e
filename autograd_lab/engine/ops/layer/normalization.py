"""Normalisation over a batch, a layer, a group or an instance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.variable import Variable, wrap, wrote
from autograd_lab.engine.errors.operands import check_same_dtype, only_tensors
from autograd_lab.engine.kernels import channels, halves
from autograd_lab.engine.kernels import normalized_rows as rows
from autograd_lab.engine.numbers.dtypes import F32, Array, Size
from autograd_lab.engine.ops.activation.slopes import only_floating
from autograd_lab.engine.ops.ground.applying import apply_keeping, apply_with_kept
from autograd_lab.engine.ops.layer.standardization import Grid, Normalized, NormalizedAgain, dtype_of_weights
from autograd_lab.engine.ops.shape.shapes import sizes
from autograd_lab.engine.ops.shape.views import contiguous, view

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["group_norm", "instance_norm", "layer_norm", "rms_norm"]


class NativeBatchNormBackward0(Normalized):
    """One mean and one scale for each channel, of the whole batch, or those that were found before."""

    inputs = ("input", "weight", "bias", "running_mean", "running_var", "result1", "result2")
    saves = ("input", "weight", "running_mean", "running_var", "result1", "result2")
    __slots__ = ("training",)

    def forward(
        self, x: Array, w: Any, b: Any, mean: Any, variance: Any, training: bool, momentum: float, eps: float
    ) -> Any:
        self.training = training
        width = x.shape[1]
        shape = (len(x), width, math.prod(x.shape[2:]))
        grid = Grid(shape, (0, 2), (1, width, 1), (width,), (width,))
        kind = dtype_of_weights(x, w, b, mean, variance)
        if self._is_single(x, w, b, mean, variance):
            return self._of_single(x, w, b, grid, (mean, variance), momentum, eps)
        if not training:
            z = self.normalized(x, w, b, grid, eps, (mean, variance))[0]
            return z, np.zeros(0, kind), np.zeros(0, kind)
        z, own_mean, own_variance, scale = self.normalized(x, w, b, grid, eps, kind=kind)
        if mean is not None and grid.count:
            unbiased = own_variance.reshape(width) * (grid.count / max(grid.count - 1, 1))
            for running, now in ((mean, own_mean), (variance, unbiased)):
                running *= 1 - momentum
                running += momentum * now
        return z, own_mean, scale

    @staticmethod
    def _is_single(*arrays: Any) -> bool:
        return all(one is None or one.dtype is F32 for one in arrays)

    def _of_single(self, x: Array, w: Any, b: Any, grid: Grid, given: Any, momentum: float, eps: float) -> Any:
        self._grid, self._own, self.eps = grid, self.training, eps
        view = x.reshape(grid.shape)
        if not self.training:
            scale = 1 / np.sqrt(given[1] + np.float32(eps))
            z, nothing = channels.brought(view, given[0], scale, w, b), np.zeros(0, F32)
            return z.reshape(x.shape), nothing, nothing
        mean, squares = channels.statistics(view)
        scale = channels.scales(squares, grid.count, eps)
        if given[0] is not None and grid.count:
            for running, now in zip(given, (mean, squares / np.float32(max(grid.count - 1, 1))), strict=True):
                running *= np.float32(1 - momentum)
                running += np.float32(momentum) * now
        return channels.brought(view, mean, scale, w, b).reshape(x.shape), mean, scale

    def backward(self, g: Any, x: Any, w: Any, mean: Any, variance: Any, own_mean: Any, scale: Any) -> Any:
        recorded = isinstance(g, Variable)
        if not recorded and self._is_single(g, x, w, mean, variance):
            mean, scale = (own_mean, scale) if self.training else (mean, channels.scales(variance, 1, self.eps))
            return self._sent_to_single(g, x, w, mean, scale)
        if self.training:
            mean = own_mean
        else:
            spread = variance._array if recorded else variance
            scale = 1 / np.sqrt(spread + self.eps)
            scale = wrap(scale) if recorded else scale
        return self.sent(g, x, w, mean, scale, (g, x, w, None, None))

    def _sent_to_single(self, g: Array, x: Array, w: Any, mean: Array, scale: Array) -> Any:
        shape, needs = self._grid.shape, [edge[0] is not None for edge in self.next_functions]
        found = channels.gradients(g.reshape(shape), x.reshape(shape), w, mean, scale, self.training)
        found = (found[0].reshape(x.shape), *found[1:])
        return tuple(one if need else None for one, need in zip(found, needs, strict=False))


class NativeBatchNormBackwardBackward0(NormalizedAgain):
    """The gradients of batch normalisation, differentiated again."""

    inputs = ("grad_out", "input", "weight", "running_mean", "running_var")
    saves = ("grad_out", "input", "weight")


class NativeLayerNormBackward0(Normalized):
    """One mean and one scale for each example."""

    inputs = ("input", "weight", "bias", "result1", "result2")
    saves = ("bias", "input", "weight", "result1", "result2")
    __slots__ = ("normalized_shape",)

    def forward(self, x: Array, w: Any, b: Any, normalized_shape: tuple[int, ...], eps: float) -> Any:
        self.normalized_shape = normalized_shape
        lead = x.shape[: x.ndim - len(normalized_shape)]
        width = math.prod(normalized_shape)
        kept = (*lead, *(1,) * len(normalized_shape))
        grid = Grid((math.prod(lead), width), (1,), (1, width), kept, normalized_shape)
        if rows.suit(x, w, b):
            self._grid, self.eps, self._own = grid, eps, True
            z, mean, scale = rows.brought(x.reshape(grid.shape), w, b, eps)
            return z.reshape(x.shape), mean.reshape(kept), scale.reshape(kept)
        z, mean, _, scale = self.normalized(x, w, b, grid, eps)
        return z, mean, scale

    def found(
        self, g: Array, x: Array, w: Array | None, mean: Array, scale: Array, needs: list[bool]
    ) -> tuple[Array | None, ...]:
        """The three gradients, of float32 as PyTorch's kernel adds them up."""
        if not rows.suit(x, g, w):
            return super().found(g, x, w, mean, scale, needs)
        grid = self._grid
        to_x, *others = rows.gradients(g.reshape(grid.shape), x.reshape(grid.shape), w, mean, scale, needs)
        to_w, to_b = (None if one is None else one.reshape(grid.given) for one in others)
        return None if to_x is None else to_x.reshape(x.shape), to_w, to_b

    def attributes(self) -> dict[str, Any]:
        """The shape of what has one mean."""
        return {"normalized_shape": self.normalized_shape}

    def backward(self, g: Any, b: Any, x: Any, w: Any, mean: Any, scale: Any) -> Any:
        found = self.sent(g, x, w, mean, scale, (g, x, None, None, w, b))
        if isinstance(g, Variable) or x.dtype.itemsize != 2 or w is None or w.dtype is not x.dtype:
            return found
        return found[0], *self._in_turn(g, x, mean, scale)

    def _in_turn(self, g: Array, x: Array, mean: Array, scale: Array) -> list[Array | None]:
        """What weights of half precision get: sums that are rounded example by example."""
        grid, needs = self._grid, [edge[0] is not None for edge in self.next_functions[1:3]]
        g, x, mean, scale = (one.astype(F32).reshape(-1, one.size // grid.shape[0]) for one in (g, x, mean, scale))
        terms = g * ((x - mean) * scale), g
        return [
            halves.in_turn(one, self.dtype).reshape(grid.given) if need else None
            for one, need in zip(terms, needs, strict=True)
        ]


class NativeLayerNormBackwardBackward0(NormalizedAgain):
    """The gradients of layer normalisation, differentiated again."""

    inputs = ("grad_out", "input", "mean", "rstd", "weight", "bias")
    saves = ("grad_out", "input", "weight")
    weight_at = 4


class NativeGroupNormBackward0(Normalized):
    """One mean and one scale for each example and group of channels."""

    inputs = ("input", "weight", "bias", "result1", "result2")
    saves = ("input", "weight", "result1", "result2")
    __slots__ = ("C", "HxW", "N", "group")

    def forward(self, x: Array, w: Any, b: Any, group: int, eps: float) -> Any:
        self.N, self.C, self.HxW, self.group = len(x), x.shape[1], math.prod(x.shape[2:]), group
        size = self.C // group
        grid = Grid((self.N, group, size, self.HxW), (2, 3), (1, group, size, 1), (self.N, group), (self.C,))
        if rows.suit(x, w, b):
            self._grid, self.eps, self._own = grid, eps, True
            z, mean, scale = rows.brought_by_groups(x.reshape(grid.shape), w, b, eps)
            return z.reshape(x.shape), mean.reshape(grid.kept), scale.reshape(grid.kept)
        z, mean, _, scale = self.normalized(x, w, b, grid, eps)
        return z, mean, scale

    def found(
        self, g: Array, x: Array, w: Array | None, mean: Array, scale: Array, needs: list[bool]
    ) -> tuple[Array | None, ...]:
        """The three gradients, of float32 as PyTorch's kernel adds them up."""
        if not rows.suit(x, g, w):
            return super().found(g, x, w, mean, scale, needs)
        shape, column = self._grid.shape, self._grid.column
        parts = g.reshape(shape), x.reshape(shape), w, mean.reshape(column), scale.reshape(column)
        to_x, *others = rows.gradients_by_groups(*parts, needs)
        return None if to_x is None else to_x.reshape(x.shape), *others

    def backward(self, g: Any, x: Any, w: Any, mean: Any, scale: Any) -> Any:
        return self.sent(g, x, w, mean, scale, (g, x, w))


class NativeGroupNormBackwardBackward0(NormalizedAgain):
    """The gradients of group normalisation, differentiated again."""

    inputs = ("grad_out", "input", "weight")
    saves = inputs


NativeBatchNormBackward0.again = NativeBatchNormBackwardBackward0
NativeLayerNormBackward0.again = NativeLayerNormBackwardBackward0
NativeGroupNormBackward0.again = NativeGroupNormBackwardBackward0


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel (dimension 1) brought to mean 0 and variance 1; in training the running ones follow slowly."""
    only_tensors("batch_norm", input)
    if training and not input._array.ndim:
        raise IndexError("tuple index out of range")
    if training:
        _check_count(input._array.shape, input._array.shape[:1] + input._array.shape[2:], "value per channel")
    z = _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if training:
        _followed(running_mean, running_var)
    return z


def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: bool, momentum: float, eps: float, cudnn_enabled: bool = False,
) -> Tensor:  # fmt: skip
    """`torch.batch_norm`, which takes its arguments in another order."""
    z = _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if training:
        _followed(running_mean, running_var)
    return z


def _check_count(shape: tuple[int, ...], counted: tuple[int, ...], what: str) -> None:
    if math.prod(counted) == 1:
        raise ValueError(f"Expected more than 1 {what} when training, got input size {Size(shape)}")


def _batch_norm(
    input: Any, mean: Any, variance: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> Tensor:
    if not input._array.size:
        return _nothing(input, weight, bias)
    channels = input._array.shape[1] if input._array.ndim > 1 else 0
    given = {"running_mean": mean, "running_var": variance, "weight": weight, "bias": bias}
    for name in ("running_mean", "running_var"):
        if given[name] is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    for name, one in given.items():
        if one is not None and one._array.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {one._array.size}")
    if (mean is None) != (variance is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    input.size(1)
    only_floating(input, "batch_norm")
    _suiting_dtypes(input, weight, bias, mean, variance)
    return apply_keeping(NativeBatchNormBackward0, (input, weight, bias, mean, variance), bool(training), momentum, eps)


def _nothing(input: Any, weight: Any, bias: Any) -> Tensor:
    """A batch without elements: a copy, with the history that weights would give it."""
    z = input.clone()
    z = z if weight is None else z * weight[0]
    return z if bias is None else z + bias[0]


def _followed(*running: Any) -> None:
    """Tell the recorder that running statistics have new values; as in PyTorch, their versions do not tell."""
    for one in running:
        if one is not None and listening.active is not None:
            listening.active.tensor_modified(one, "batch_norm")


def _suiting_dtypes(input: Any, *others: Any) -> None:
    """Raise RuntimeError unless all share a dtype, or half precision has weights of float32."""
    kind, given = input._array.dtype, [one._array.dtype for one in others if one is not None]
    if not given or all(one is kind for one in given):
        return
    if given[0] is kind:
        check_same_dtype(kind, next(one for one in given if one is not kind))
    if any(one is not F32 for one in given):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if kind.itemsize > 2:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """The last dimensions, of the sizes given, brought to mean 0 and variance 1 in each example."""
    return layer_norm_with_means(input, normalized_shape, weight, bias, eps)[0]


def layer_norm_with_means(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, ...]:
    """The same, and the means and scales of the examples."""
    only_tensors("layer_norm", input)
    shape = _normalized_shape("layer_norm", normalized_shape)
    _check_shape(input._array.shape, shape, {"weight": weight, "bias": bias}, "[*, ")
    only_floating(input, "LayerNormKernelImpl")
    _suiting_dtypes(input, weight, bias)
    return apply_with_kept(NativeLayerNormBackward0, (input, weight, bias), shape, eps)


def _normalized_shape(name: str, given: Any) -> tuple[int, ...]:
    if not isinstance(given, tuple | list):
        kind = type(given).__name__
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {kind}")
    return sizes(tuple(given), name, "normalized_shape") if given else ()


def _check_shape(own: tuple[int, ...], shape: tuple[int, ...], weights: dict[str, Any], start: str) -> None:
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, one in weights.items():
        if one is not None and one._array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(one._array.shape)} and normalized_shape = {list(shape)}"
            )
    if own[-len(shape) :] != shape:
        told = ", ".join(map(str, shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape {start}{told}], but got input of "
            f"size{list(own)}"
        )


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """The last dimensions, of the sizes given, divided by the root of the mean of their squares."""
    only_tensors("rms_norm", input)
    shape = _normalized_shape("rms_norm", normalized_shape)
    if input._array.ndim < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {input._array.ndim}")
    _check_shape(input._array.shape, shape, {"weight": weight}, "[*")
    only_floating(input, "rms_norm")
    x, ndim = input.float() if input._array.itemsize < 4 else input, input._array.ndim
    small = float(np.finfo(x._array.dtype).eps) if eps is None else eps
    squares = (x**2).mean(tuple(range(ndim - len(shape), ndim)), True)
    z = x * squares._plus(small).rsqrt()
    return (z if weight is None else z * weight).type_as(input)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Groups of channels (dimension 1) brought to mean 0 and variance 1 in each example."""
    only_tensors("group_norm", input)
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if math.prod((shape[0] * shape[1] // num_groups, *shape[2:])) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(shape)}")
    if shape[1] % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(shape)} "
            f"and num_groups={num_groups}"
        )
    for name, one in {"weight": weight, "bias": bias}.items():
        if one is not None and one._array.shape != (shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(one._array.shape)} and input of shape {list(shape)}"
            )
    only_floating(input, "GroupNormKernelImpl")
    _suiting_dtypes(input, weight, bias)
    return apply_keeping(NativeGroupNormBackward0, (input, weight, bias), num_groups, eps)


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel of each example brought to mean 0 and variance 1: a batch of one with all channels in a row."""
    only_tensors("instance_norm", input)
    shape = input._array.shape
    if use_input_stats:
        _check_count(shape, shape[2:], "spatial element")
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    count = shape[0]
    weight, bias = (None if one is None else one.repeat(count) for one in (weight, bias))
    running = [None if one is None else wrap(np.tile(one._array, count)) for one in (running_mean, running_var)]
    row = view(contiguous(input), (1, count * shape[1], *shape[2:]))
    z = _batch_norm(row, running[0], running[1], weight, bias, use_input_stats, momentum, eps)
    for one, many in zip((running_mean, running_var), running, strict=True):
        if one is not None and many is not None:
            one._array[...] = many._array.reshape(count, -1).mean(axis=0)
            wrote(one)  # PyTorch copies them back, which moves their versions
    if use_input_stats:
        _followed(running_mean, running_var)
    return view(z, shape)
