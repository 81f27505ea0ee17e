"""New tensors that lie in memory as one says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_lab.engine.exact.aliasing import strided
from autograd_lab.engine.numbers.device import check_layout
from autograd_lab.engine.tensor.factories import made, numpy_dtype

__all__ = ["empty_permuted", "empty_strided"]


def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = "cpu", requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:  # fmt: skip
    """A tensor of that shape that lies in memory by these strides; nobody has set its elements."""
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    extent = 1 + sum((one - 1) * step for one, step in zip(size, stride, strict=True)) if 0 not in size else 0
    memory = np.zeros(extent, numpy_dtype(dtype))
    return made(strided(memory, size, stride, 0), requires_grad, device)


def empty_permuted(size: Any, physical_layout: Any, **named: Any) -> Any:
    """A tensor of that shape whose dimensions lie in memory in that order, the last one closest."""
    check_layout("empty_permuted", named.get("layout"))
    order = tuple(physical_layout)
    _check_order(len(size), order)
    steps = {dim: math.prod(size[after] for after in order[at + 1 :]) for at, dim in enumerate(order)}
    return empty_strided(size, [steps[dim] for dim in range(len(size))], **named)


def _check_order(ndim: int, order: tuple[int, ...]) -> None:
    if len(order) != ndim:
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{ndim} is not equal to len(physical_layout) = {len(order)}"
        )
    for at, dim in enumerate(order):
        if not 0 <= dim < ndim:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {ndim - 1}, but got {dim} at index {at}).  NB: "
                "negative dims not currently supported; file an issue if you want it."
            )
    if len(set(order)) < ndim:
        raise RuntimeError("Duplicate dim not allowed")
