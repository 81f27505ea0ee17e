"""The integral and the derivative of a function of which samples are known: trapezoid, gradient."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_view
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import along, checked_dim, numpy_names, real_dim
from autograd_lab.engine.ops.reduction.cumulative import cumsum, diff
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.ops.shape.slicing import LAST, SliceBackward0

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["cumulative_trapezoid", "gradient", "trapezoid", "trapz"]

NO_SLICE = "slice() cannot be applied to a 0-dim tensor."


def _cut(x: Any, dim: int, start: int, end: int = LAST) -> Any:
    return apply_view(SliceBackward0, x, dim, start, end, 1)


def _less(x: Any, dim: int, first: tuple[int, int], second: tuple[int, int]) -> Any:
    """One part less another: PyTorch takes the second one first."""
    other = _cut(x, dim, *second)
    return _cut(x, dim, *first) - other


def _pairs(y: Any, dim: int) -> Any:
    """The sums of neighbours."""
    left = _cut(y, dim, 0, -1)
    return left + _cut(y, dim, 1)


@numpy_names
@composed
def trapezoid(y: Any, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The integral along `dim`: between each two samples the area below the line that joins them."""
    dim = checked_dim(y, dim)
    if not y._array.ndim:
        raise IndexError(f"Dimension specified as {dim if x is None else 0} but tensor has no dimensions")
    if not y._array.shape[dim]:
        none: Any = wrap(np.zeros(np.delete(y._array.shape, dim), y._array.dtype))
        return none.zero_()
    _check_samples("trapezoid", y, x, dx)
    if x is None:
        last = y.select(dim, -1)
        ends = (y.select(dim, 0) + last)._times(0.5)
        inner = y.sum(dim) - ends
        return inner._times(1.0 if dx is None else float(dx))
    dim = real_dim(y, dim)
    widths = _widths("trapezoid", y, x, dim)
    right = _cut(y, dim, 1)
    return ((_cut(y, dim, 0, -1) + right) * widths).sum(dim)._over(2.0)


@numpy_names
def trapz(y: Any, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The older name of `trapezoid`."""
    return trapezoid(y, x, dx=dx, dim=dim)


@numpy_names
@composed
def cumulative_trapezoid(y: Any, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The integral along `dim` up to each sample but the first."""
    _check_samples("cumulative_trapezoid", y, x, dx)
    dim = checked_dim(y, dim)
    if not y._array.ndim:
        one = x is not None and x._array.ndim == 1
        no = "Dimension specified as 0 but tensor has no dimensions" if one else NO_SLICE
        raise IndexError(no)
    if x is None:
        return cumsum(_pairs(y, dim)._times((1.0 if dx is None else float(dx)) / 2.0), dim)
    dim = real_dim(y, dim)
    widths = _widths("cumulative_trapezoid", y, x, dim)
    return cumsum(_pairs(y, dim) * widths, dim)._over(2.0)


def _check_samples(name: str, y: Any, x: Any, dx: Any) -> None:
    only_tensors(name, y)
    if x is not None and dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: x and dx cannot be given both")
    if any(one is not None and one._array.dtype.kind == "b" for one in (y, x)):
        what = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {what}, but bool is not supported")
    if isinstance(dx, bool | complex):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def _widths(name: str, y: Any, x: Any, dim: int) -> Any:
    """How far apart the samples are, in a shape that fits theirs."""
    shape, ndim = x._array.shape, y._array.ndim
    if len(shape) == 1:
        if shape[0] != y._array.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([shape[0] if at == dim else 1 for at in range(ndim)])
    elif len(shape) < ndim:
        x = x.view((1,) * (ndim - len(shape)) + shape)
    left = _cut(x, dim, 0, -1)
    return _cut(x, dim, 1) - left


@composed
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """The slope of samples at each of them, along each dimension, from both neighbours or from those inside."""
    only_tensors("gradient", input)
    if input._array.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    given = list(spacing) if isinstance(spacing, tuple | list) else None
    dims = tuple(range(input._array.ndim)) if dim is None else along(input, dim)
    _check_spacing(input, given, dim, dims, edge_order)
    steps = given if given is not None else [1.0 if spacing is None else spacing] * len(dims)
    steps = steps * len(dims) if len(steps) == 1 else steps
    found = []
    for at, step in zip(dims, steps, strict=True):
        parts = _uneven if isinstance(step, Variable) else _even
        found.append(cat(parts(input, real_dim(input, at), step, edge_order), real_dim(input, at)))
    return tuple(found)


def _check_spacing(input: Any, given: Any, dim: Any, dims: tuple[int, ...], edge_order: int) -> None:
    if given is not None and dim is None and len(given) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{len(dims)}', since dim argument was not given, but got a list of length {len(given)}"
        )
    if given is not None and dim is not None and len(given) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(given)} and a dim argument of length {len(dims)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if any(input._array.shape[at] < edge_order + 1 for at in dims):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    for one in given or ():
        if isinstance(one, Variable) and one._array.ndim != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{one._array.ndim} dimensions!"
            )


def _even(x: Any, dim: int, step: Any, edge_order: int) -> Sequence[Any]:
    """The slopes of samples that are `step` apart: at the first one, inside, and at the last one."""
    inside = _less(x, dim, (2, LAST), (0, -2))._over(step)
    if edge_order == 1:
        first = _less(x, dim, (1, 2), (0, 1))
        first, last = first._over(step), _less(x, dim, (-1, LAST), (-2, -1))._over(step)
    else:
        first = _cut(x, dim, 0, 1)._times(-1.5) + _cut(x, dim, 1, 2)._times(2) - _cut(x, dim, 2, 3)._times(0.5)
        last = _cut(x, dim, -3, -2)._times(0.5) - _cut(x, dim, -2, -1)._times(2) + _cut(x, dim, -1)._times(1.5)
        first, last = first._over(step), last._over(step)
    return first, inside._over(2), last


def _uneven(x: Any, dim: int, places: Any, edge_order: int) -> Sequence[Any]:
    """The slopes of samples at these places: those of the parabolas through each three neighbours."""
    shape = [-1 if at == dim else 1 for at in range(x._array.ndim)]
    widths = diff(places, 1, 0)
    if widths._array.size < edge_order:
        place, size = edge_order - 1, widths._array.size
        raise IndexError(f"select(): index {place} out of range for tensor of size [{size}] at dimension 0")
    left, right = _cut(widths, 0, 0, -1), _cut(widths, 0, 1)
    before, here, after = (
        one.reshape(shape)
        for one in (-right / (left * (left + right)), (right - left) / (left * right), left / (right * (left + right)))
    )
    inside = before * _cut(x, dim, 0, -2) + here * _cut(x, dim, 1, -1) + after * _cut(x, dim, 2)
    if edge_order == 1:
        first = _less(x, dim, (1, 2), (0, 1)) / widths[0]
        last = _less(x, dim, (-1, LAST), (-2, -1)) / widths[-1]
        return first, inside, last
    a, b = (partial(widths.select, 0, at) for at in (0, 1))  # each time anew, as PyTorch does it
    factors = -(a()._times(2.0) + b()) / (a() * (a() + b())), (a() + b()) / (a() * b()), -a() / (b() * (a() + b()))
    first = _weighed(factors, [_cut(x, dim, 0, 1), _cut(x, dim, 1, 2), _cut(x, dim, 2, 3)])
    a, b = (partial(widths.select, 0, at) for at in (-2, -1))
    factors = b() / (a() * (b() + a())), -(b() + a()) / (b() * a()), (b()._times(2) + a()) / (b() * (b() + a()))
    return first, inside, _weighed(factors, [_cut(x, dim, -3, -2), _cut(x, dim, -2, -1), _cut(x, dim, -1)])


def _weighed(factors: Sequence[Any], parts: Sequence[Any]) -> Any:
    """Each part times its factor, added up from the left."""
    products = [factor * part for factor, part in zip(factors, parts, strict=True)]
    return products[0] + products[1] + products[2]
