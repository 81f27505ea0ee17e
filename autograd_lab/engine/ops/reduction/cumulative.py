"""Running results along a dimension: cumsum, cumprod, cummax, cummin, logcumsumexp; and differences of neighbours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.numbers.dtypes import BOOL, BY_NUMPY, F32, F64, WIDE, Array, NumpyDtype, dtype, finfo, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import checked_dim, in_rows, numpy_names
from autograd_lab.engine.ops.ground.grids import placed
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.pointwise.arithmetic import sub
from autograd_lab.engine.ops.pointwise.logic import logical_xor
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.ops.shape.slicing import narrow

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "diff", "logcumsumexp"]

CummaxResult, CumminResult = named("cummax"), named("cummin")


def _running(ufunc: Any, x: Array, dim: int, dtype: NumpyDtype | None) -> Array:
    if dtype is BOOL and x.ndim and x.size:
        name = "cumsum" if ufunc is np.add else "cumprod"
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    wide = dtype or WIDE.get(x.dtype)
    if not x.ndim:
        return x.astype(dtype or (x.dtype if wide in (None, F32) else wide))
    kind = dtype or (x.dtype if wide in (None, F32) else wide)
    taken_in = F64 if BY_NUMPY[kind].is_floating_point else kind  # as in PyTorch, each rounded when it is put down
    return in_rows(ufunc.accumulate(x, axis=dim, dtype=taken_in)).astype(kind, copy=False)


class CumsumBackward0(Linear):
    """z_i = x_1 + ... + x_i, so each x_i gets the gradients of all sums that it is in."""

    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int, dtype: NumpyDtype | None = None) -> Array:
        self.dim = dim
        return _running(np.add, x, dim, dtype)

    def backward(self, g: Any) -> Any:
        return formulas.reversed_sum(g, self.dim) if g.ndim and g.shape[self.dim] != 1 and 0 not in g.shape else g


@numpy_names
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Running totals along `dim`."""
    return apply1(CumsumBackward0, input, checked_dim(input, dim), None if dtype is None else dtype.numpy)


class CumprodBackward0(Node):
    """z_i = x_1 ··· x_i, so dz_j/dx_i = z_j / x_i for j ≥ i where no x is 0."""

    tangent = "transposed"
    saves = ("self", "result")
    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int, dtype: NumpyDtype | None = None) -> Array:
        self.dim = dim
        return _running(np.multiply, x, dim, dtype)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        dim = self.dim
        if not x.ndim or x.shape[dim] == 1 or 0 in x.shape:
            return g
        if not np.any((x._array if isinstance(x, Variable) else x) == 0):
            return formulas.reversed_sum(z * g, dim) / x
        return _without_division(g, x, dim)


def _without_division(g: Any, x: Any, dim: int) -> Any:
    """dL/dx_i = (x_1 ··· x_(i-1)) S_i with S_i = g_i + x_(i+1) S_(i+1)."""
    size = x.shape[dim]
    xs, gs = ([_slice(one, dim, at) for at in range(size)] for one in (x, g))
    before, after = [formulas.zeros_like(xs[0]) + formulas.one(xs[0])], [gs[-1]]
    for at in range(size - 1):
        before.append(before[-1] * xs[at])
        after.append(gs[size - 2 - at] + _none_of(xs[size - 1 - at], after[-1]))
    rows = [_none_of(one, other) for one, other in zip(before, reversed(after), strict=True)]
    return cat(rows, dim) if isinstance(rows[0], Variable) else np.concatenate(rows, dim)


def _none_of(x: Any, y: Any) -> Any:
    """x y; where x is 0, it is 0 of whatever y is, unless that is to be recorded."""
    return x * y if isinstance(x, Variable) else np.where(x == 0, x.dtype.type(0), x * y)


def _slice(x: Any, dim: int, at: int) -> Any:
    return x.narrow(dim, at, 1) if isinstance(x, Variable) else np.take(x, [at], dim)


@numpy_names
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Running products along `dim`."""
    return apply1(CumprodBackward0, input, checked_dim(input, dim), None if dtype is None else dtype.numpy)


class CummaxBackward0(Node):
    """z_i is the greatest of x_1 to x_i, so its gradient goes there, to the last of several."""

    outputs = ("values", "indices")
    saves = ("indices", "self")
    __slots__ = ("dim",)
    _reduce: Any = np.maximum
    tangent = "chosen"

    def forward(self, x: Array, dim: int) -> tuple[Array, Array]:
        self.dim = dim
        if not x.ndim or not x.size:  # then any dimension will do
            return x.copy(), np.zeros(x.shape, np.int64)
        z = type(self)._reduce.accumulate(x, axis=dim)
        places = np.expand_dims(np.arange(x.shape[dim]), tuple(range(1, x.ndim - dim % x.ndim)))
        found = np.where((x == z) | (x != x), places, 0)
        return in_rows(z), in_rows(np.maximum.accumulate(found, axis=dim))

    def backward(self, g: Any, indices: Any, x: Any) -> Any:
        if not math.prod(x.shape):
            return x  # as PyTorch does, with the history that it has
        return placed(g, self.dim, indices, x.shape)


class CumminBackward0(CummaxBackward0):
    """z_i is the least of x_1 to x_i, so its gradient goes there, to the last of several."""

    _reduce = np.minimum


@numpy_names
def cummax(input: Tensor, dim: int) -> Any:
    """The greatest element so far along `dim`, and where it is."""
    return CummaxResult(apply_many(CummaxBackward0, (input,), _dim_of_some(input, dim, "cummax")))


@numpy_names
def cummin(input: Tensor, dim: int) -> Any:
    """The least element so far along `dim`, and where it is."""
    return CumminResult(apply_many(CumminBackward0, (input,), _dim_of_some(input, dim, "cummin")))


def _dim_of_some(input: Tensor, dim: int, name: str) -> int:
    """The dimension; of what has no elements any will do."""
    ndim = input._array.ndim
    if not ndim and dim not in (-1, 0):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    return checked_dim(input, dim) if input._array.size or -ndim <= dim < ndim else dim


class LogcumsumexpBackward0(Node):
    """z_i = ln(e^x_1 + ... + e^x_i), so dL/dx_i = e^x_i Σ g_j e^-z_j over j ≥ i, taken in logarithms."""

    tangent = "transposed"
    saves = ("result", "self")
    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> Array:
        self.dim = dim
        of_kind("fV", x, "logcumsumexp_out_cpu")
        return in_rows(_log_running(x, dim)) if x.ndim else x.copy()

    def backward(self, g: Any, z: Any, x: Any) -> Any:
        if not x.ndim or 0 in x.shape:
            return g
        size, lowest = formulas.log(abs(g)), finfo(BY_NUMPY[self.dtype]).min  # finite: ∞ - ∞ would be NaN
        parts = []
        for chosen in (g > 0, g < 0):
            if isinstance(g, Variable):
                kept = size.where(chosen, lowest) - z
                parts.append((logcumsumexp(kept.flip(self.dim), self.dim).flip(self.dim) + x).exp())
            else:
                kept = np.where(chosen, size, size.dtype.type(lowest)) - z
                parts.append(formulas.exp(np.flip(_log_running(np.flip(kept, self.dim), self.dim), self.dim) + x))
        return parts[0] - parts[1]


def _log_running(x: Array, dim: int) -> Array:
    return narrowed(lambda x: np.logaddexp.accumulate(x, axis=dim, dtype=F64).astype(x.dtype), x)


@numpy_names
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The logarithms of running totals of e^x along `dim`."""
    return apply1(LogcumsumexpBackward0, input, checked_dim(input, dim))


@numpy_names
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The differences of neighbours along `dim`, `n` times over."""
    if not input._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = checked_dim(input, dim)
    for end in (prepend, append):
        _check_end(input, dim, end)
    if n == 0:
        zeros: Any = wrap(np.zeros_like(input._array))
        return zeros.copy_(input)
    ends = [one for one in (prepend, input, append) if one is not None]
    out: Any = cat(ends, dim) if len(ends) > 1 else input
    for _ in range(min(n, out._array.shape[dim])):
        size = out._array.shape[dim] - 1
        earlier, later = narrow(out, dim, 0, size), narrow(out, dim, 1, size)
        out = logical_xor(later, earlier) if out._array.dtype.kind == "b" else sub(later, earlier)
    return out


def _check_end(input: Tensor, dim: int, end: Any) -> None:
    """Raise RuntimeError for what cannot be joined to the tensor along `dim`."""
    if end is None:
        return
    x, y = input._array.shape, end._array.shape
    if len(x) != len(y):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for at, (size, other) in enumerate(zip(x, y, strict=True)):
        if size != other and at != dim % len(x):
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({at}) = {size}, but got tensor.size({at}) = {other}"
            )
