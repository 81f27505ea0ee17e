"""Matrix products: `mm` of two matrices, and what PyTorch makes of it for vectors and batches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply_view, applyn, mismatch
from autograd_lab.engine.dtypes import BY_NUMPY, Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.arithmetic import mul
from autograd_lab.engine.ops.shapes import (
    SqueezeBackward4,
    expand,
    reshape,
    transpose,
    unsafe_view,
    unsqueeze,
)

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor

CPP = {"Float": "float", "Double": "double", "Half": "c10::Half", "Long": "long int", "Int": "int", "Bool": "bool"}


class MmBackward0(Node):
    """Z = X Y, so dL/dX = G Yᵀ and dL/dY = Xᵀ G."""

    inputs = ("self", "mat2")
    saves = ("self", "mat2")
    only_for = (("self", 1), ("mat2", 0))

    def forward(self, x: Array, y: Array) -> Array:
        return x.dot(y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return (
            None if y is None else either.product(g, either.transposed(y)),
            None if x is None else either.product(either.transposed(x), g),
        )


class MvBackward0(Node):
    """z = X v, so dL/dX = g vᵀ and dL/dv = Xᵀ g."""

    inputs = ("self", "vec")
    saves = ("self", "vec")
    only_for = (("self", 1), ("vec", 0))

    def forward(self, x: Array, v: Array) -> Array:
        return x.dot(v)

    def backward(self, g: Any, x: Any, v: Any) -> Any:
        return (
            None if v is None else either.outer(g, v),
            None if x is None else either.applied(either.transposed(x), g),
        )


class DotBackward0(Node):
    """z = Σ x_i y_i, so dz/dx = y and dz/dy = x."""

    inputs = ("self", "tensor")
    saves = ("self", "tensor")
    only_for = (("self", 1), ("tensor", 0))

    def forward(self, x: Array, y: Array) -> Array:
        return np.asarray(x.dot(y))

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return None if y is None else g * y, None if x is None else g * x


class BmmBackward0(Node):
    """Z_i = X_i Y_i for each matrix of a batch, so dL/dX_i = G_i Y_iᵀ and dL/dY_i = X_iᵀ G_i."""

    inputs = ("self", "mat2")
    saves = ("self", "mat2")
    only_for = (("self", 1), ("mat2", 0))

    def forward(self, x: Array, y: Array) -> Array:
        return np.matmul(x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return (
            None if y is None else either.products(g, either.swapped(y, 1, 2)),
            None if x is None else either.products(either.swapped(x, 1, 2), g),
        )


class AddmmBackward0(Node):
    """Z = beta B + alpha X Y: a product with something added, as in a linear layer."""

    inputs = ("self", "mat1", "mat2")
    saves = ("mat1", "mat2")
    only_for = (("mat1", 2), ("mat2", 1))
    __slots__ = ("alpha", "beta")

    def forward(self, b: Array, x: Array, y: Array, beta: float, alpha: float) -> Array:
        self.alpha, self.beta = alpha, beta
        z = x.dot(y)
        if alpha != 1:
            z *= x.dtype.type(alpha)
        return np.add(z, b if beta == 1 else b * b.dtype.type(beta), out=z)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        alpha, beta = self.alpha, self.beta
        to_x = None if y is None else either.product(g, either.transposed(y))
        to_y = None if x is None else either.product(either.transposed(x), g)
        return (
            g if beta == 1 else either.scaled(g, beta),
            to_x if alpha == 1 or to_x is None else either.scaled(to_x, alpha),
            to_y if alpha == 1 or to_y is None else either.scaled(to_y, alpha),
        )


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices. Raises RuntimeError unless (n, k) meets (k, m)."""
    x, y = input._array, mat2._array
    if x.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if y.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    _same_dtype(x, y)
    if x.shape[1] != y.shape[0]:
        raise _mismatched(x, y)
    return applyn(MmBackward0, (input, mat2))  # type: ignore[no-any-return]


def _mismatched(x: Array, y: Array) -> RuntimeError:
    sizes = f"{x.shape[0]}x{x.shape[1]} and {y.shape[0]}x{y.shape[1]}"
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({sizes})")


def _same_dtype(x: Array, y: Array) -> None:
    if x.dtype is not y.dtype:
        first, second = (CPP.get(title, title) for title in (BY_NUMPY[x.dtype].title, BY_NUMPY[y.dtype].title))
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {first} != {second}")


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    x, v = input._array, vec._array
    if x.ndim != 2 or v.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {v.ndim}, {x.ndim}, {v.ndim}")
    _same_dtype(x, v)
    if x.shape[1] != v.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({v.size})")
    return applyn(MvBackward0, (input, vec))  # type: ignore[no-any-return]


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The product of two vectors, a 0-d tensor."""
    x, y = input._array, tensor._array
    if x.ndim != 1 or y.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    if x.dtype is not y.dtype:
        first, second = BY_NUMPY[x.dtype].title, BY_NUMPY[y.dtype].title
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {first} and {second}")
    if x.size != y.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{x.size}] and src [{y.size}] to have the same number of "
            f"elements, but got {x.size} and {y.size} elements respectively"
        )
    return applyn(DotBackward0, (input, tensor))  # type: ignore[no-any-return]


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of the matrices of two batches, pair by pair."""
    x, y = input._array, mat2._array
    if x.ndim != 3 or y.ndim != 3:
        raise RuntimeError(f"batch{1 if x.ndim != 3 else 2} must be a 3D tensor")
    if x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{x.shape[0]}, {x.shape[2]}] but got: "
            f"[{y.shape[0]}, {y.shape[1]}]."
        )
    return applyn(BmmBackward0, (input, mat2))  # type: ignore[no-any-return]


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat1 mat2."""
    x, y = mat1._array, mat2._array
    if x.ndim != 2 or y.ndim != 2:
        raise RuntimeError(f"mat{1 if x.ndim != 2 else 2} must be a matrix, got {(x if x.ndim != 2 else y).ndim}-D tensor")
    if x.dtype is not y.dtype:
        first, second = BY_NUMPY[x.dtype].title, BY_NUMPY[y.dtype].title
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {first} and {second}")
    if x.shape[1] != y.shape[0]:
        raise _mismatched(x, y)
    shape = (x.shape[0], y.shape[1])
    if input._array.shape not in (shape, shape[1:]):
        expand(input, shape)  # raises if it does not fit
    return applyn(AddmmBackward0, (input, mat1, mat2), beta, alpha)  # type: ignore[no-any-return]


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every element of a vector times every element of another."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        wrong = "input" if input._array.ndim != 1 else "vec2"
        ndim = (input if input._array.ndim != 1 else vec2)._array.ndim
        raise RuntimeError(f"outer: Expected 1-D argument {'self' if wrong == 'input' else wrong}, but got {ndim}-D")
    return mul(reshape(input, (input._array.size, 1)), vec2)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product `@` of vectors, matrices, or batches of matrices, by the steps in which PyTorch takes it."""
    x, y = input._array, other._array
    if not x.ndim or not y.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D")
    match x.ndim, y.ndim:
        case 1, 1:
            return dot(input, other)
        case 2, 1:
            return mv(input, other)
        case 1, 2:
            return apply_view(SqueezeBackward4, mm(unsqueeze(input, 0), other), 0)  # type: ignore[no-any-return]
        case 2, 2:
            return mm(input, other)
        case _, (1 | 2):
            return _folded(input, other)
        case (1 | 2), _:
            product = _folded(transpose(other, -1, -2), input if x.ndim == 1 else transpose(input, 0, 1))
            return product if x.ndim == 1 else transpose(product, -1, -2)
    return _batched(input, other)


def _folded(batch: Tensor, other: Tensor) -> Tensor:
    """A batch of matrices times one matrix or vector: the batch is folded into one tall matrix."""
    shape = batch._array.shape
    tall = reshape(batch, (math.prod(shape[:-1]), shape[-1]))
    if other._array.ndim == 1:
        return unsafe_view(mv(tall, other), shape[:-1])
    return unsafe_view(mm(tall, other), (*shape[:-1], other._array.shape[1]))


def _batched(input: Tensor, other: Tensor) -> Tensor:
    x, y = input._array.shape, other._array.shape
    if error := mismatch(x[:-2], y[:-2]):
        raise error
    batch = np.broadcast_shapes(x[:-2], y[:-2])
    count = math.prod(batch)
    first = reshape(expand(input, (*batch, *x[-2:])), (count, *x[-2:]))
    second = reshape(expand(other, (*batch, *y[-2:])), (count, *y[-2:]))
    return unsafe_view(bmm(first, second), (*batch, x[-2], y[-1]))
