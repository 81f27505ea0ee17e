"""What losses have in common: how many become one, and what PyTorch says of sizes and of old arguments."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.errors.operands import mismatch, refuse
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, Size
from autograd_lab.engine.numbers.halves import narrowed
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.shape.views import expand
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

NONE, MEAN, SUM = range(3)
NUMBERS = {"none": NONE, "mean": MEAN, "sum": SUM}


def reduction_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """The number of a reduction; two older arguments outweigh it, and are warned of."""
    if size_average is not None or reduce is not None:
        reduction = "mean" if size_average is None or size_average else "sum"
        reduction = reduction if reduce is None or reduce else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            UserWarning,
            stacklevel=users_level(),
        )
    if reduction == "elementwise_mean":
        instead = "Please use reduction='mean' instead."
        warnings.warn(f"reduction='{reduction}' is deprecated. {instead}", UserWarning, stacklevel=users_level())
        return MEAN
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return NUMBERS[reduction]


def reduced(errors: Array, reduction: int) -> Array:
    """The mean of all errors, their sum, or each of them."""
    if reduction == NONE:
        return np.asarray(errors)
    if errors.dtype.itemsize == 2:
        return narrowed(lambda wide: reduced(wide, reduction), errors)
    total = np.add.reduce(errors, axis=None, out=...)
    return np.divide(total, errors.size, out=total) if reduction == MEAN else total


def together(errors: Tensor, reduction: int) -> Tensor:
    """The same, of a tensor that was computed step by step."""
    return errors if reduction == NONE else errors.mean() if reduction == MEAN else errors.sum()


def shared(g: Any, reduction: int, shape: tuple[int, ...]) -> Any:
    """What each error gets of the gradient of the loss."""
    return formulas.over(g, math.prod(shape)) if reduction == MEAN else g


def of_one_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target, broadcast; of which PyTorch warns, since it seldom is what was meant."""
    x, y = input._array.shape, target._array.shape
    if x == y:
        return input, target
    warnings.warn(
        f"Using a target size ({Size(y)}) that is different to the input size ({Size(x)}). This will likely lead to "
        "incorrect results due to broadcasting. Please ensure they have the same size.",
        UserWarning,
        stacklevel=users_level(),
    )
    return broadcast(input, target)


def broadcast(*tensors: Tensor) -> tuple[Any, ...]:
    """Tensors in the shape that they have in common."""
    shapes = [tensor._array.shape for tensor in tensors]
    for other in shapes[1:]:
        refuse(mismatch(shapes[0], other))
    shape = np.broadcast_shapes(*shapes)
    return tuple(one if one._array.shape == shape else expand(one, shape) for one in tensors)


def one_dtype(x: Array, y: Array) -> None:
    """Raise what kernels say that do not mix dtypes."""
    if x.dtype is not y.dtype:
        raise RuntimeError(f"Found dtype {BY_NUMPY[y.dtype].title} but expected {BY_NUMPY[x.dtype].title}")


def sizes_of(*tensors: Any) -> None:
    """Raise AttributeError, as PyTorch does, for what is no tensor and has no size."""
    for tensor in tensors:
        if not hasattr(tensor, "_array"):
            raise AttributeError(f"'{type(tensor).__name__}' object has no attribute 'size'")
