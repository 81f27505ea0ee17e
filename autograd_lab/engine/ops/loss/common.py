"""What losses have in common: how many become one, and what PyTorch says of sizes and of old arguments."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.errors.operands import mismatch, refuse
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, Size
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.reduction.sums import added, averaged
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
    return averaged(errors, None, False, None, errors.size) if reduction == MEAN else added(errors)


def in_cascade(errors: Array, counted: Array | None) -> Array:
    """The sum of a row, added up as by PyTorch's loop: sixteen at a time, then their sums, each rounded to the dtype.

    Those that do not count are passed over, and with them the moments at which a sum is moved up.
    """
    if counted is not None:
        return _with_gaps(errors[counted], counted.nonzero()[0])
    total: Any = errors.dtype.type(0)
    while len(errors) > 1:
        whole = 1 + (len(errors) - 1) // 16 * 16
        if whole < len(errors):
            total = total + np.add.accumulate(errors[whole:])[-1]
        sums = np.add.accumulate(errors[1:whole].reshape(-1, 16), axis=1)[:, -1]  # `reduce` has another order
        errors = np.concatenate([errors[:1], sums]) if whole > 1 else errors[:1]
    return np.asarray(total + errors[0] if len(errors) else total)


def _with_gaps(errors: Array, places: Array) -> Array:
    total = np.zeros((), errors.dtype)
    while len(errors) > 1 or places.any():
        ends = (places & 15 == 0).nonzero()[0]
        begins = np.concatenate([[0], ends + 1])
        lengths = np.diff(begins, append=len(errors))
        table = np.zeros((len(begins), lengths.max()), errors.dtype)
        table[np.repeat(np.arange(len(begins)), lengths), np.arange(len(errors)) - np.repeat(begins, lengths)] = errors
        sums = np.add.accumulate(table, axis=1)[:, -1]
        total, errors, places = total + sums[-1], sums[:-1], places[ends] >> 4
    return np.asarray(total + errors[0] if len(errors) else total)


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
