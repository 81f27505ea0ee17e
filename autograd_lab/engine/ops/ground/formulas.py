"""What backward formulas are made of: functions of arrays that give arrays, and of tensors that record themselves.

Normally a gradient is an array (0-d ones numpy scalars). Under `create_graph` it is a tensor, and the same formula then
builds the graph of the gradient, with the nodes that PyTorch has there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact.aliasing import expanded as expanded_array
from autograd_lab.engine.kernels import cascaded as sums
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.kernels.cascaded import cascade_sum
from autograd_lab.engine.kernels.precise import as_exponent, precise, precise_of_two
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F64, NumpyDtype


def unary(ufunc: Any, method: str, *, is_exact: bool = False) -> Any:
    """`ufunc` for arrays, the method of that name for tensors."""
    compute = ufunc if is_exact else partial(precise, ufunc)

    def formula(x: Any) -> Any:
        return getattr(x, method)() if isinstance(x, Variable) else compute(x)

    return formula


cos = unary(np.cos, "cos")
sin = unary(np.sin, "sin")
cosh = unary(np.cosh, "cosh")
sinh = unary(np.sinh, "sinh")
log = unary(np.log, "log")
exp = unary(np.exp, "exp")
tanh = unary(np.tanh, "tanh")
floor = unary(np.floor, "floor", is_exact=True)
sgn = unary(np.sign, "sgn", is_exact=True)
trunc = unary(np.trunc, "trunc", is_exact=True)
reciprocal = unary(np.reciprocal, "reciprocal", is_exact=True)


def times(x: Any, factor: Any) -> Any:
    """`x` times a number."""
    return x._times(factor) if isinstance(x, Variable) else halves.with_number(np.multiply, x, factor)


def plus(x: Any, number: Any) -> Any:
    """`x` plus a number."""
    return x._plus(number) if isinstance(x, Variable) else halves.with_number(np.add, x, number)


def minus(x: Any, number: Any) -> Any:
    """`x` less a number."""
    return x._minus(number) if isinstance(x, Variable) else halves.with_number(np.subtract, x, number)


def over(x: Any, number: Any) -> Any:
    """`x` divided by a number."""
    return x._over(number) if isinstance(x, Variable) else halves.with_number(np.divide, x, number)


def rsqrt(x: Any) -> Any:
    """1 / √x."""
    return x.rsqrt() if isinstance(x, Variable) else np.reciprocal(np.sqrt(x))


def power(x: Any, exponent: Any) -> Any:
    """`x` to a number's power."""
    if isinstance(x, Variable):
        return x.pow(exponent)
    if exponent == 1:
        return x
    if exponent == 2:
        return x * x
    if exponent == 3:
        return halves.cubed(x)
    return inverted(x, exponent) if is_inverted(x, exponent) else precise_of_two(np.power, x, as_exponent(x, exponent))


def is_inverted(x: Any, exponent: Any) -> bool:
    """Whether PyTorch divides by a root or a square instead of taking a power, which has other last digits."""
    return exponent in (-0.5, -2) and x.dtype.kind == "f" and bool(x.dtype.itemsize > 2)


def inverted(x: Any, exponent: Any) -> Any:
    """1 / √x, or 1 / x²."""
    return np.divide(1, np.sqrt(x, out=...) if exponent == -0.5 else np.multiply(x, x, out=...), out=...)


def keep_if(condition: Any, x: Any) -> Any:
    """`x` where the condition holds, 0 elsewhere (also where `x` is infinite)."""
    return x.where(condition, 0) if isinstance(x, Variable) else _kept(condition, x)


def zero_where(condition: Any, x: Any) -> Any:
    """0 where the condition holds, `x` elsewhere, with the node of a `where` instead of a `masked_fill`."""
    return wrap(np.zeros((), x._array.dtype)).where(condition, x) if isinstance(x, Variable) else _kept(~condition, x)


def drop_if(condition: Any, x: Any) -> Any:
    """0 where the condition holds, `x` elsewhere."""
    return x.masked_fill(condition, 0) if isinstance(x, Variable) else _kept(~condition, x)


BITS = {size: np.dtype(f"i{size}") for size in (1, 2, 4, 8)}


def _kept(condition: Any, x: Any) -> Any:
    """What `np.where(condition, x, 0)` gives, several times as fast where the condition changes often.

    A product with 0 or 1 of the elements' bits, since infinity times 0 is no number.
    """
    bits = BITS[x.dtype.itemsize]
    return (condition.astype(bits) * x.view(bits)).view(x.dtype)


def halved_if(condition: Any, x: Any) -> Any:
    """Half of `x` where the condition holds."""
    half = over(x, 2)
    return half.where(condition, x) if isinstance(x, Variable) else np.where(condition, half, x)


def clipped(x: Any, low: float, high: float) -> Any:
    """`x`, but at least `low` and at most `high`."""
    return x.clamp(low, high) if isinstance(x, Variable) else np.clip(x, x.dtype.type(low), x.dtype.type(high))


def one(like: Any) -> Any:
    """1 in the dtype of `like`."""
    return wrap(np.ones((), like._array.dtype)) if isinstance(like, Variable) else like.dtype.type(1)


def zeros_like(x: Any) -> Any:
    """Zeros in the shape of `x`."""
    return wrap(np.zeros_like(x._array)) if isinstance(x, Variable) else np.zeros_like(x)


def blank(shape: tuple[int, ...], like: Any) -> Any:
    """Zeros in the dtype of `like`, to put something in."""
    return wrap(np.zeros(shape, like._array.dtype)) if isinstance(like, Variable) else np.zeros(shape, like.dtype)


def transposed(x: Any) -> Any:
    """A matrix with rows and columns exchanged."""
    return x.t() if isinstance(x, Variable) else x.T


def swapped(x: Any, first: int, second: int) -> Any:
    """`x` with two dimensions exchanged."""
    if isinstance(x, Variable):
        return x.transpose(first, second)
    return x.swapaxes(first, second) if x.ndim else x


def permuted(x: Any, dims: tuple[int, ...]) -> Any:
    """`x` with its dimensions in another order."""
    return x.permute(dims) if isinstance(x, Variable) else x.transpose(dims)


def reversed_sum(x: Any, dim: int) -> Any:
    """Running totals from the end."""
    if isinstance(x, Variable):
        return x.flip(dim).cumsum(dim).flip(dim)
    if not x.ndim:
        return x
    totals = np.flip(x, dim).cumsum(dim, dtype=F64 if BY_NUMPY[x.dtype].is_floating_point else None)
    return np.ascontiguousarray(np.flip(totals, dim).astype(x.dtype, copy=False))


def expanded(x: Any, shape: tuple[int, ...]) -> Any:
    """`x` repeated along new or one-element dimensions, in the same memory."""
    if isinstance(x, Variable):
        return x.expand(shape)
    if isinstance(x, np.generic):
        return (
            np.ndarray(shape, x.dtype, np.asarray(x), strides=(0,) * len(shape))
            if math.prod(shape)
            else np.zeros(shape, x.dtype)
        )
    if x.shape == tuple(shape):
        return x
    return expanded_array(x, shape)


def unsqueezed(x: Any, dims: tuple[int, ...], ndim: int, keepdim: bool) -> Any:
    """The gradient of a reduction, with one element again in each dimension that was reduced away."""
    if keepdim or not ndim:
        return x
    if isinstance(x, Variable):
        for dim in dims if len(dims) == 1 else sorted(d % ndim for d in dims):  # one alone is saved as it was given
            x = x.unsqueeze(dim)
        return x
    return np.expand_dims(x, tuple(d % ndim for d in dims))


def total(x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    """Sums along dimensions."""
    if isinstance(x, Variable):
        return x.sum(dims, keepdim)
    x = x if isinstance(x, np.ndarray) else np.asarray(x)
    total = cascade_sum(x, dims, keepdim)
    return total if total.dtype is x.dtype or x.dtype.kind in "bui" else total.astype(x.dtype)


def sum_to(g: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: add up what one element of `shape` was used for.

    Raises ValueError if `shape` does not broadcast to the gradient's.
    """
    return g._summed_to(shape) if isinstance(g, Variable) else sums.sum_to(g, shape)


def summed_to(g: Any, shape: tuple[int, ...]) -> Any:
    """The same of a tensor."""
    dims = sums.dims_to(g.shape, shape)
    if not shape:
        return g.sum()
    return g._totals(dims)._shaped(shape) if g.ndim > len(shape) else g._totals(dims)


def cast(g: Any, dtype: NumpyDtype) -> Any:
    """The gradient in another dtype."""
    return g._to(dtype) if isinstance(g, Variable) else g.astype(dtype)


def outer(x: Any, y: Any) -> Any:
    """Every element of a vector times every element of another."""
    return x.outer(y) if isinstance(x, Variable) else np.multiply.outer(x, y)


def applied(matrix: Any, vector: Any) -> Any:
    """A matrix times a vector."""
    return matrix.mv(vector) if isinstance(matrix, Variable) else halves.dot(matrix, vector)


def products(a: Any, b: Any) -> Any:
    """The products of the matrices of two batches."""
    return a.bmm(b) if isinstance(a, Variable) else halves.matmul(a, b)


def added(parts: Sequence[Any]) -> Any:
    """The sum of several parts of one gradient, or of one tangent."""
    first, *rest = parts
    for part in rest:
        first = first + part
    return first
