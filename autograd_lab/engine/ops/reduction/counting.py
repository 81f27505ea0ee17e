"""How many: bincount, histc, histogram. None has a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.ground.answers import answered, ask_history
from autograd_lab.engine.ops.ground.kinds import Undifferentiable
from autograd_lab.engine.ops.ground.named_results import named

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["bincount", "histc", "histogramdd"]


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each whole number from 0 on occurs, or the sum of its weights."""
    ask_history(input, weights)
    x = of_kind("ui", input._array, "bincount_cpu")
    if x.ndim != 1 or (x.size and x.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None:
        return answered("bincount", np.bincount(x, minlength=minlength).astype(np.int64), input)
    if weights._array.shape != x.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    found = np.bincount(x, weights._array, minlength)
    kind = weights._array.dtype if weights._array.dtype == np.float32 else np.float64
    return answered("bincount", found.astype(kind), input, weights)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements there are in each of some stretches of equal length."""
    x = of_kind("fV", input._array, "histogram_cpu")
    if bins <= 0:
        raise RuntimeError(f"torch.histc(): bins must be > 0, but got {bins}")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    low, high = (float(x.min()), float(x.max())) if min == max and x.size else (min, max)
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    found, _ = np.histogram(x[(x >= low) & (x <= high)], bins, (low, high))
    return answered("histc", found.astype(x.dtype), input)


HistogramResult = named("histogram", "hist", "bin_edges")


class Histogram(Undifferentiable):
    """How many elements, or how much of their weights, there is between each two edges."""

    inputs = ("self", "weight")
    outputs = ("hist", "bin_edges")
    many = True
    op = "histogram"

    def forward(self, x: Array, weight: Array | None, edges: Array, density: bool) -> tuple[Array, Array]:
        counted, _ = np.histogram(x, edges.astype(np.float64), weights=weight)
        counted = counted.astype(x.dtype)
        if density:
            counted = counted / (counted.sum() * np.diff(edges))
        return counted, edges


def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many elements there are in each of some stretches, of equal length or between the edges `bins`."""
    x = of_kind("fV", input._array, "histogramdd")
    given = bins._array if isinstance(bins, Variable) else None
    count = bins if given is None else given.size - 1
    if count <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension 0")
    if weight is not None and weight._array.shape != x.shape:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {[x.size, 1]} and weight with shape "
            f"{list(weight._array.shape)}"
        )
    edges = np.linspace(*_ends(x, range), count + 1).astype(x.dtype) if given is None else given.copy()
    return HistogramResult(apply_many(Histogram, (input, weight), edges, density))


HistogramddResult = named("histogramdd", "hist", "bin_edges")


class Histogramdd(Undifferentiable):
    """How many rows, or how much of their weights, there is in each box between edges."""

    inputs = ("self", "weight")
    many = True
    op = "histogramdd"

    def forward(self, x: Array, weight: Array | None, edges: list[Array], density: bool) -> tuple[Array, ...]:
        wide = [one.astype(np.float64) for one in edges]
        counted, _ = np.histogramdd(x.astype(np.float64), wide, weights=weight)
        if density:
            total = counted.sum()
            for at, one in enumerate(wide):
                counted = counted / np.diff(one).reshape([-1 if at == dim else 1 for dim in range(counted.ndim)])
            counted = counted / total
        return counted.astype(x.dtype), *edges


def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many rows there are in each box: of so many stretches for each column, or between edges."""
    if input._array.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    x = of_kind("fV", input._array, "histogramdd")
    x = x.reshape((-1, x.shape[-1]))
    given: list[Any] = [bins] * x.shape[1] if isinstance(bins, int) else list(bins)
    if len(given) != x.shape[1]:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    edges = []
    for at, one in enumerate(given):
        ends = None if range is None else (range[2 * at], range[2 * at + 1])
        if isinstance(one, Variable):
            edges.append(one._array.copy())
        else:
            edges.append(np.linspace(*_ends(x[:, at], ends), one + 1).astype(x.dtype))
    rows = input if input._array.ndim == 2 else input.reshape((-1, x.shape[1]))
    flat = None if weight is None else weight.reshape((-1,))
    found = apply_many(Histogramdd, (rows, flat), edges, density)
    return HistogramddResult((found[0], tuple(found[1:])))


def _ends(x: Array, given: Any) -> tuple[float, float]:
    """Where the first stretch begins, and the last one ends."""
    low, high = given or ((float(x.min()), float(x.max())) if x.size else (0.0, 1.0))
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension 0"
        )
    return (low, high) if low < high else (low - 0.5, high + 0.5)
