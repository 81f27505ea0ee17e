"""Initial values of parameters: `xavier_uniform_`, ..."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any, TypeVar

import numpy as np

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.draws.twister import as_it_lies
from autograd_lab.engine.exact.elementless import Elementless
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.nn.parameter import overwritten
from autograd_lab.whose import users_level

T = TypeVar("T", bound=Variable)

MANY = 0.3
"""If this share of normal numbers is within limits, those that are not are drawn again."""

LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid")


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """By how much weights should be larger so that a nonlinearity keeps the variance of what passes it."""
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))


def _filled(tensor: T, values: Any, name: str, writes: int = 1) -> T:
    """Write values into a tensor, unseen by autograd: they are where its history begins."""
    if type(tensor._array) is not Elementless:
        tensor._array[...] = values() if callable(values) else values
    overwritten(tensor, name, writes)
    return tensor


def _no_grad_fill_(tensor: T, val: float) -> T:
    return _filled(tensor, val, "fill_")


def _no_grad_zero_(tensor: T) -> T:
    return _filled(tensor, 0, "zero_")


def _shape(tensor: Variable) -> tuple[int, ...]:
    return tuple(tensor._array.shape)


def uniform_(tensor: T, a: float = 0.0, b: float = 1.0, generator: Any = None) -> T:
    """Equally likely numbers from `a` to `b`."""
    of_kind("fV", tensor._array, "check_uniform_bounds")
    draw = partial(numbers_of(generator).uniform, a, b, dtype=tensor._array.dtype)
    return _filled(tensor, lambda: as_it_lies(tensor._array, draw), "uniform_")


def normal_(tensor: T, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> T:
    """Normally distributed numbers."""
    return _filled(tensor, lambda: _normal(tensor, mean, std, generator), "normal_")


def _normal(tensor: Variable, mean: float, std: float, generator: Any) -> Array:
    x = tensor._array
    if x.size:
        of_kind("fV", x, "normal_kernel_cpu")
    draw = partial(numbers_of(generator).normal, mean, std, dtype=x.dtype, in_rows=x.flags.c_contiguous)
    return as_it_lies(x, draw)


def trunc_normal_(
    tensor: T, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> T:
    """Normally distributed numbers from `a` to `b`: what falls outside is drawn again, or, where most would, equally
    likely numbers are kept as often as the distribution says."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=users_level(),
        )
    if type(tensor._array) is Elementless:
        return tensor
    inside = (math.erf((b - mean) / std / math.sqrt(2)) - math.erf((a - mean) / std / math.sqrt(2))) / 2
    draw = _drawn_again if inside > MANY else _kept_by_chance
    values, writes = draw(tensor, mean, std, a, b, generator)
    return _filled(tensor, values, "trunc_normal_", writes)


def _drawn_again(tensor: Variable, mean: float, std: float, a: float, b: float, generator: Any) -> tuple[Array, int]:
    """Normal numbers, all anew where any is not from `a` to `b`, which those take that are not; and how often PyTorch
    writes to the tensor for them: once more if any were drawn anew."""
    low, high = np.asarray([a, b]).astype(tensor._array.dtype)
    values, writes = _normal(tensor, mean, std, generator), 1
    while (outside := (values < low) | (values > high)).any():
        values, writes = np.where(outside, _normal(tensor, mean, std, generator), values), 2
    return values, writes


def _kept_by_chance(tensor: Variable, mean: float, std: float, a: float, b: float, generator: Any) -> tuple[Array, int]:
    """Numbers equally likely from `a` to `b`, each kept with the ratio of its density to the highest one; and how
    often PyTorch writes to the tensor for them."""
    numbers, shape, kind = numbers_of(generator), _shape(tensor), tensor._array.dtype
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values, waits, rounds = np.zeros(shape, kind), np.ones(shape, bool), 0
    while waits.any():
        rounds += 1
        drawn = numbers.uniform(a, b, shape, kind)
        values = np.where(waits, drawn, values)
        with np.errstate(divide="ignore"):
            waits &= np.log(numbers.uniform(0, 1, shape, kind)) > ((drawn - mean) / std) ** 2 * -0.5 - peak
    return values, min(rounds, 2) or 1


_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_


def constant_(tensor: T, val: float) -> T:
    """One number everywhere."""
    return _filled(tensor, val, "fill_")


def ones_(tensor: T) -> T:
    """Ones."""
    return _filled(tensor, 1, "fill_")


def zeros_(tensor: T) -> T:
    """Zeros."""
    return _filled(tensor, 0, "zero_")


def eye_(tensor: T) -> T:
    """The identity matrix: ones on the diagonal."""
    if len(_shape(tensor)) != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = _shape(tensor)
    return _filled(tensor, np.eye(rows, columns), "eye_")


def _fans(tensor: Variable) -> tuple[int, int]:
    """How many inputs one output depends on, and how many outputs one input reaches."""
    shape = _shape(tensor)
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


_calculate_fan_in_and_fan_out = _fans


def xavier_uniform_(tensor: T, gain: float = 1.0, generator: Any = None) -> T:
    """Uniform with variance gain² · 2 / (inputs + outputs)."""
    bound = gain * math.sqrt(2.0 / sum(_fans(tensor))) * math.sqrt(3.0)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: T, gain: float = 1.0, generator: Any = None) -> T:
    """Normal with variance gain² · 2 / (inputs + outputs)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))), generator)


def _calculate_correct_fan(tensor: Variable, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _fans(tensor)[modes.index(mode.lower())]


def _kaiming(tensor: Variable, a: float, mode: str, nonlinearity: str) -> float:
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


def kaiming_uniform_(
    tensor: T, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> T:
    """Uniform with variance gain² / inputs."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: T, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> T:
    """Normal with variance gain² / inputs."""
    return tensor if _is_empty(tensor) else normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


def _is_empty(tensor: Variable) -> bool:
    if 0 in _shape(tensor):
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=users_level())
        return True
    return False


def orthogonal_(tensor: T, gain: float = 1, generator: Any = None) -> T:
    """A matrix whose rows (or columns, if those are fewer) are orthonormal, times `gain`."""
    shape = _shape(tensor)
    if len(shape) < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = shape[0], math.prod(shape[1:])
    if not rows * columns:
        return tensor
    if type(tensor._array) is Elementless:
        return tensor
    of_kind("fV", tensor._array, "normal_kernel_cpu")
    of_kind("f", tensor._array, "geqrf_cpu", 4)
    drawn = numbers_of(generator).normal(0, 1, (rows, columns), tensor._array.dtype)
    q, r = np.linalg.qr(drawn if rows >= columns else drawn.T)
    q *= np.sign(np.diag(r))  # else it would not be equally likely in all directions
    values: Array = gain * (q if rows >= columns else q.T)
    return _filled(tensor, values.reshape(shape), "copy_", writes=2)  # PyTorch multiplies in place


def dirac_(tensor: T, groups: int = 1) -> T:
    """Kernels of a convolution that pass on each channel as it is, as far as there are as many outputs as inputs."""
    shape = _shape(tensor)
    if len(shape) not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each, middle = shape[0] // groups, tuple(size // 2 for size in shape[2:])
    values = np.zeros(shape)
    for group in range(groups):
        for channel in range(min(each, shape[1])):
            values[(group * each + channel, channel, *middle)] = 1
    return _filled(tensor, values, "copy_")


def sparse_(tensor: T, sparsity: float, std: float = 0.01, generator: Any = None) -> T:
    """Normally distributed numbers, of which in each column that share is 0."""
    if len(_shape(tensor)) != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = _shape(tensor)
    if type(tensor._array) is Elementless:
        return tensor
    values = _normal(tensor, 0, std, generator)
    for column in range(columns):
        values[numbers_of().permutation(rows)[: math.ceil(sparsity * rows)], column] = 0
    return _filled(tensor, values, "copy_")


def _old(name: str) -> Any:
    """The function under the name that it had without an underscore."""
    new = globals()[name + "_"]

    def call(*args: Any, **named: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=users_level(),
        )
        return new(*args, **named)

    call.__name__ = name
    return call


OLD = "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse"
globals().update({name: _old(name) for name in OLD.split()})
