"""Products with something added, or along chosen dimensions: baddbmm, addmv, addr, tensordot, inner, kron, cross."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply2, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import check_same_dtype, only_tensors
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, fitted, of_kind, result_dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import checked_dim
from autograd_lab.engine.ops.matrix.linalg import check_floats
from autograd_lab.engine.ops.matrix.products import check_batches, dot, mm, outer
from autograd_lab.engine.ops.pointwise.arithmetic import mul
from autograd_lab.engine.ops.reduction.sums import sum
from autograd_lab.engine.ops.shape.views import check_expand, expand, permute, reshape, squeeze, unsafe_view

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["addbmm", "addmv", "addr", "baddbmm", "cross", "ger", "inner", "kron", "tensordot", "vdot"]


def _times(x: Array, factor: float) -> Array:
    return x if factor == 1 else x * x.dtype.type(fitted(factor, x.dtype))


def _scaled(x: Any, factor: float) -> Any:
    return x if factor == 1 or x is None else formulas.times(x, factor)


class BaddbmmBackward0(Node):
    """Z_i = beta B_i + alpha X_i Y_i: a batch of products with something added."""

    inputs = ("self", "batch1", "batch2")
    saves = ("batch1", "batch2")
    only_for = (("batch1", 2), ("batch2", 1))
    __slots__ = ("alpha", "beta")
    tangent = "added_product"

    def forward(self, b: Array, x: Array, y: Array, beta: float, alpha: float) -> Array:
        self.alpha, self.beta = alpha, beta
        return halves.added(halves.matmul, b, x, y, beta, alpha)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return (
            _scaled(g, self.beta),
            None if y is None else _scaled(formulas.products(g, formulas.swapped(y, 1, 2)), self.alpha),
            None if x is None else _scaled(formulas.products(formulas.swapped(x, 1, 2), g), self.alpha),
        )


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha batch1 batch2, for each pair of matrices."""
    if autocast.used:
        input, batch1, batch2 = autocast.lowered(input, batch1, batch2)
    check_expand(input, (batch1.size(0), batch1.size(1), batch2.size(2)))
    kinds = [BY_NUMPY[one._array.dtype].cpp for one in (input, batch1, batch2)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {kinds[0]}, batch1: {kinds[1]}, batch2: {kinds[2]}"
        )
    check_batches(batch1._array, batch2._array, "baddbmm")
    return applyn(BaddbmmBackward0, (input, batch1, batch2), beta, alpha)


class AddbmmBackward0(Node):
    """Z = beta B + alpha Σ X_i Y_i: the products of a batch, added up, with something added."""

    inputs = ("self", "batch1", "batch2")
    saves = ("batch1", "batch2")
    only_for = (("batch1", 2), ("batch2", 1))
    __slots__ = ("_sizes", "alpha", "beta")
    tangent = "added_product"

    def forward(self, b: Array, x: Array, y: Array, beta: float, alpha: float) -> Array:
        self.alpha, self.beta, self._sizes = alpha, beta, (*x.shape[:2], y.shape[2])
        z = np.broadcast_to(b, self._sizes[1:])
        for one, other in zip(x, y, strict=True):  # as PyTorch adds them, rounding each time
            z = halves.added(halves.matmul, z, one, other, beta, alpha)
            beta = 1
        return np.ascontiguousarray(z if len(x) else _times(z, beta))

    def attributes(self) -> dict[str, Any]:
        """The two factors, and the sizes of both batches."""
        names = ("batch1_sym_argsize_0", "batch1_sym_argsize_1", "batch2_sym_argsize_2")
        return {"alpha": self.alpha, "beta": self.beta, **dict(zip(names, self._sizes, strict=True))}

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        wide = formulas.expanded(g, self._sizes)
        return (
            _scaled(g, self.beta),
            None if y is None else _scaled(formulas.products(wide, formulas.swapped(y, 1, 2)), self.alpha),
            None if x is None else _scaled(formulas.products(formulas.swapped(x, 1, 2), wide), self.alpha),
        )


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha times the sum of the products of the matrices of two batches."""
    if autocast.used:
        input, batch1, batch2 = autocast.lowered(input, batch1, batch2)
    check_expand(input, (batch1.size(1), batch2.size(2)))
    check_batches(batch1._array, batch2._array, "addmm_impl_cpu_")
    return applyn(AddbmmBackward0, (input, batch1, batch2), beta, alpha)


class AddmvBackward0(Node):
    """z = beta b + alpha X v, so dL/dX = alpha g vᵀ and dL/dv = alpha Xᵀ g."""

    inputs = ("self", "mat", "vec")
    saves = ("mat", "vec")
    only_for = (("mat", 2), ("vec", 1))
    __slots__ = ("alpha", "beta")
    tangent = "added_product"

    def forward(self, b: Array, x: Array, v: Array, beta: float, alpha: float) -> Array:
        self.alpha, self.beta = alpha, beta
        return halves.added(partial(halves.dot, kernel="addmv_impl_cpu"), b, x, v, beta, alpha)

    def backward(self, g: Any, x: Any, v: Any) -> Any:
        return (
            _scaled(g, self.beta),
            None if v is None else _scaled(formulas.outer(g, v), self.alpha),
            None if x is None else _scaled(formulas.applied(formulas.transposed(x), g), self.alpha),
        )


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat vec."""
    check_vector(input, mat, vec)
    return applyn(AddmvBackward0, (input, mat, vec), beta, alpha)


def check_vector(input: Tensor, mat: Tensor, vec: Tensor) -> None:
    """Raise the error of PyTorch if `addmv` cannot do with these."""
    b, x, v = input._array, mat._array, vec._array
    if x.ndim != 2 or v.ndim != 1 or b.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {b.ndim}, {x.ndim}, {v.ndim}")
    if x.shape[1] != v.shape[0] or (b.size != 1 and b.shape[0] != x.shape[0]):
        raise RuntimeError(f"size mismatch, got input ({b.size}), mat ({x.shape[0]}x{x.shape[1]}), vec ({v.shape[0]})")
    if not b.dtype == x.dtype == v.dtype:
        kinds = [BY_NUMPY[one.dtype].title for one in (b, x, v)]
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {kinds[0]}, {kinds[1]}, and {kinds[2]}"
        )


class AddrBackward0(Node):
    """Z = beta B + alpha u vᵀ, so dL/du = alpha G v and dL/dv = alpha Gᵀ u."""

    inputs = ("self", "vec1", "vec2")
    saves = ("vec1", "vec2")
    only_for = (("vec1", 2), ("vec2", 1))
    __slots__ = ("alpha", "beta")
    tangent = "added_product"

    def forward(self, b: Array, u: Array, v: Array, beta: float, alpha: float) -> Array:
        self.alpha, self.beta = alpha, beta
        kind = result_dtype([np.empty(1, one.dtype) for one in (b, u, v)])  # a number counts here as any other
        b, u, v = (one.astype(kind, copy=False) for one in (b, u, v))
        z = np.multiply.outer(_times(u, alpha), v)
        return z + _times(b, beta) if beta else z

    def backward(self, g: Any, u: Any, v: Any) -> Any:
        return (
            _scaled(g, self.beta),
            None if v is None else _scaled(_applied(g, v), self.alpha),
            None if u is None else _scaled(_applied(formulas.transposed(g), u), self.alpha),
        )


def _applied(matrix: Any, vector: Any) -> Any:
    """A matrix times a vector. Raises RuntimeError unless they are of one dtype."""
    kinds = [(one._array if isinstance(one, Variable) else one).dtype for one in (vector, matrix, vector)]
    if kinds[0] != kinds[1]:
        first, second, third = (BY_NUMPY[kind].title for kind in kinds)
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {first}, {second}, and {third}")
    return formulas.applied(matrix, vector)


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha vec1 vec2ᵀ."""
    for one in (vec1, vec2):
        if one._array.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec{1 if one is vec1 else 2}, but got {one._array.ndim}-D")
    expand(input.detach(), (vec1._array.size, vec2._array.size))  # raises if it does not fit
    return applyn(AddrBackward0, (input, vec1, vec2), beta, alpha)


class VdotBackward0(Node):
    """z = Σ x_i y_i, so dz/dx = y and dz/dy = x."""

    inputs = ("self", "other")
    saves = ("self", "other")
    only_for = (("self", 1), ("other", 0))
    tangent = "product"

    def forward(self, x: Array, y: Array) -> Array:
        return np.asarray(halves.dot(x, y))

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        to_y = None if x is None else g * x
        return None if y is None else g * y, to_y


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The product of two vectors."""
    dot(input.detach(), other.detach())  # raises if the operands do not fit
    return apply2(VdotBackward0, input, other)


@composed
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Products, summed along dimensions of both: the last of `a` and the first of `b`, so many, or those listed."""
    if isinstance(dims, Variable):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._array.ndim, b._array.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = list(range(-dims, 0)), list(range(dims))
    left, right = ([one] if isinstance(one, int) else list(one) for one in dims)
    if len(left) != len(right):
        raise RuntimeError("both dimension lists should have same length")
    if a._array.dtype != b._array.dtype:
        raise RuntimeError("both inputs should have same dtype")
    first, second = a, b
    for one, other in zip(left, right, strict=True):
        have, want = size_along(a, one), size_along(b, other)
        if want == 1:  # one element times each of the others is that element times their sum
            first = sum(first, one, True, dtype=first.dtype)
        elif have == 1:
            second = sum(second, other, True, dtype=second.dtype)
        elif have != want:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {have} in dim {one} and second has size "
                f"{want} in dim {other}"
            )
    return _contracted(first, second, left, right)


def size_along(input: Tensor, dim: int) -> int:
    """How many entries there are along a dimension; 1 if the tensor has none."""
    dim = checked_dim(input, dim)
    return input._array.shape[dim] if input._array.ndim else 1


def _contracted(a: Tensor, b: Tensor, left: list[int], right: list[int]) -> Tensor:
    """Both as matrices, or as vectors if one number comes of it, by the steps in which PyTorch takes the product."""
    kept_left, kept_right = (
        [d for d in range(one._array.ndim) if d not in dims and d - one._array.ndim not in dims]
        for one, dims in ((a, left), (b, right))
    )
    rows, columns = [a._array.shape[d] for d in kept_left], [b._array.shape[d] for d in kept_right]
    if math.prod(rows) == math.prod(columns) == 1:
        first, second = permute(a, kept_left + left), permute(b, right + kept_right)
        if first._array.flags.c_contiguous and second._array.flags.c_contiguous:
            last = as_vector(second)  # first, as in PyTorch
            product = dot(as_vector(first), last)
        else:
            last = squeeze(second)
            product = sum(mul(squeeze(first), last), dtype=a.dtype)
    else:
        size = math.prod([a._array.shape[d] for d in left])
        first = reshape(permute(a, kept_left + left), (math.prod(rows), size))
        product = mm(first, reshape(permute(b, right + kept_right), (size, math.prod(columns))))
    return reshape(product, rows + columns)


def as_vector(x: Tensor) -> Tensor:
    """All elements in one dimension; the tensor itself if that is so."""
    return x if x._array.ndim == 1 else reshape(x, (x._array.size,))


def inner(input: Tensor, other: Tensor) -> Tensor:
    """The products of the vectors along the last dimensions, all with all."""
    x, y = input._array, other._array
    if not x.ndim or not y.ndim:
        return mul(input, other)
    if x.shape[-1] != y.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(x.shape)} and "
            f"{list(y.shape)}"
        )
    if x.dtype != y.dtype:
        raise RuntimeError("both inputs should have same dtype")
    return tensordot(input, other, ([-1], [-1]))


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Every element of the first times the whole second, side by side."""
    ndim = max(input._array.ndim, other._array.ndim)
    x = (1,) * (ndim - input._array.ndim) + input._array.shape
    y = (1,) * (ndim - other._array.ndim) + other._array.shape
    first = unsafe_view(input, tuple(size for n in x for size in (n, 1)))
    second = unsafe_view(other, tuple(size for n in y for size in (1, n)))
    return unsafe_view(mul(first, second), tuple(n * m for n, m in zip(x, y, strict=True)))


class LinalgCrossBackward0(Node):
    """z = x × y, so dL/dx = y × g and dL/dy = g × x."""

    inputs = ("self", "other")
    saves = ("self", "other")
    only_for = (("self", 1), ("other", 0))
    __slots__ = ("dim",)
    tangent = "product"

    def forward(self, x: Array, y: Array, dim: int) -> Array:
        self.dim = dim
        return _cross(x, y, dim)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        to_y = None if x is None else self._product(g, x)
        return None if y is None else self._product(y, g), to_y

    def _product(self, x: Any, y: Any) -> Any:
        if isinstance(x, Variable):
            return apply2(LinalgCrossBackward0, x, y, self.dim)
        return _cross(x, y, self.dim)


def _cross(x: Array, y: Array, dim: int) -> Array:
    with np.errstate(all="ignore"):  # numpy's function is no ufunc, which would warn of infinities from here
        return np.asarray(np.cross(x, y, axis=dim))


WITHOUT_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
    "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future "
    "release."
)


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vector products of the vectors of 3 elements along `dim`, or along the first dimension of that size."""
    if dim is None:
        found = [d for d, n in enumerate(input._array.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
        warn_once(WITHOUT_DIM)
    return linalg_cross(input, other, dim=dim)


def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The vector products of the vectors of 3 elements along `dim`."""
    only_tensors("cross", input, other)
    x, y = input._array, other._array
    if x.ndim != y.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if x.shape[checked_dim(input, dim)] != 3 or y.shape[dim] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {x.shape[dim]} and {y.shape[dim]}"
        )
    of_kind("uifV", x, "cross")
    check_same_dtype(x.dtype, y.dtype)
    return apply2(LinalgCrossBackward0, input, other, dim)


ger = outer


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The products of the vectors along `dim`."""
    if autocast.used:
        x, y = autocast.lowered(x, y)
    check_floats("linalg.vecdot", x)
    if x._array.dtype != y._array.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x.dtype.title} and y of "
            f"type {y.dtype.title} instead"
        )
    if x._array.ndim == y._array.ndim == 1:
        return vdot(x, y)
    return (x * y).sum(dim)
