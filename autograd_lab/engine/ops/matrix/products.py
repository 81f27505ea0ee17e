"""Matrix products: `mm` of two matrices, and what PyTorch makes of it for vectors and batches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply2, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors import noted, reasons
from autograd_lab.engine.errors.operands import check_same_dtype, mismatch, only_tensors, refuse
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.kernels import halves, multiplying
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, Array, steps_of
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.pointwise.arithmetic import mul
from autograd_lab.engine.ops.shape.reshaping import squeeze_
from autograd_lab.engine.ops.shape.views import expand, reshape, squeeze, t, transpose, unsafe_view, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["addmm", "bmm", "dot", "matmul", "mm", "mv", "outer", "spmm"]

Layout = tuple[tuple[int, ...], tuple[int, ...], int]
"""A matrix's shape, its strides and the size of its elements in bytes: what `steps_of` takes, as few ask for these."""


def _layout(x: Array) -> Layout:
    return x.shape, x.strides, x.itemsize


def _by_columns(layout: Layout) -> bool:
    (rows, columns), (down, across), size = layout
    if rows and columns:
        return down == size and across == size * rows
    return steps_of(*layout) == (1, rows)


def _described(name: str, layout: Layout, node: Node, input: int) -> dict[str, Any]:
    """A matrix's sizes, and its strides if its gradient is needed."""
    needed = node.next_functions[input][0] is not None
    return {f"{name}_sym_sizes": layout[0], f"{name}_sym_strides": steps_of(*layout) if needed else ()}


def _to_first(g: Any, y: Any, layout: Layout) -> Any:
    """G Yᵀ, in memory in the order of the matrix that it is the gradient of."""
    if not isinstance(g, Variable):
        return halves.dot(y, g.T).T if _by_columns(layout) else halves.dot(g, y.T)
    return y.mm(g.t()).t() if _by_columns(layout) else g.mm(y.t())


def _to_second(g: Any, x: Any, layout: Layout) -> Any:
    """Xᵀ G, in memory in the order of the matrix that it is the gradient of."""
    if not isinstance(g, Variable):
        return halves.dot(g.T, x).T if _by_columns(layout) else halves.dot(x.T, g)
    return g.t().mm(x).t() if _by_columns(layout) else x.t().mm(g)


class MmBackward0(Node):
    """Z = X Y, so dL/dX = G Yᵀ and dL/dY = Xᵀ G."""

    inputs = ("self", "mat2")
    saves = ("self", "mat2")
    only_for = (("self", 1), ("mat2", 0))
    __slots__ = ("_first", "_second")
    tangent = "product"

    def forward(self, x: Array, y: Array) -> Array:
        self._first, self._second = (x.shape, x.strides, x.itemsize), (y.shape, y.strides, y.itemsize)
        if x.dtype is F32 and not halves.together:
            return multiplying.dot(x, y)
        return halves.dot(x, y)

    def attributes(self) -> dict[str, Any]:
        """The sizes and strides of both matrices."""
        return {
            **_described("self", self._first, self, 0),
            **_described("mat2", self._second, self, 1),
        }

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        first, second = self._first, self._second
        rows = type(g) is np.ndarray and g.dtype is F32 and first[1][1] == 4 == second[1][1]
        if rows and not halves.together:  # most often: row by row
            return None if y is None else multiplying.dot(g, y.T), None if x is None else multiplying.dot(x.T, g)
        to_second = None if x is None else _to_second(g, x, second)
        return None if y is None else _to_first(g, y, first), to_second


class MvBackward0(Node):
    """z = X v, so dL/dX = g vᵀ and dL/dv = Xᵀ g."""

    inputs = ("self", "vec")
    saves = ("self", "vec")
    only_for = (("self", 1), ("vec", 0))
    tangent = "product"

    def forward(self, x: Array, v: Array) -> Array:
        return halves.dot(x, v, "addmv_impl_cpu")

    def backward(self, g: Any, x: Any, v: Any) -> Any:
        if x is not None and not isinstance(g, Variable):  # it is another dtype where a module was cast since
            _check_addmv(x, g)
        return (
            None if v is None else formulas.outer(g, v),
            None if x is None else formulas.applied(formulas.transposed(x), g),
        )


class DotBackward0(Node):
    """z = Σ x_i y_i, so dz/dx = y and dz/dy = x."""

    inputs = ("self", "tensor")
    saves = ("self", "tensor")
    only_for = (("self", 1), ("tensor", 0))
    tangent = "product"

    def forward(self, x: Array, y: Array) -> Array:
        if x.dtype == np.bool_:
            raise NotImplementedError("\"dot\" not implemented for 'Bool'")
        return np.asarray(halves.dot(x, y))

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        return None if y is None else g * y, None if x is None else g * x


class BmmBackward0(Node):
    """Z_i = X_i Y_i for each matrix of a batch, so dL/dX_i = G_i Y_iᵀ and dL/dY_i = X_iᵀ G_i."""

    inputs = ("self", "mat2")
    saves = ("self", "mat2")
    only_for = (("self", 1), ("mat2", 0))
    tangent = "product"

    def forward(self, x: Array, y: Array) -> Array:
        return halves.matmul(x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        to_second = None if x is None else formulas.products(formulas.swapped(x, 1, 2), g)
        return None if y is None else formulas.products(g, formulas.swapped(y, 1, 2)), to_second


class AddmmBackward0(Node):
    """Z = beta B + alpha X Y: a product with something added, as in a linear layer."""

    inputs = ("self", "mat1", "mat2")
    saves = ("mat1", "mat2")
    only_for = (("mat1", 2), ("mat2", 1))
    __slots__ = ("_first", "_second", "alpha", "beta")
    tangent = "added_product"

    def forward(self, b: Array, x: Array, y: Array, beta: float, alpha: float) -> Array:
        self.alpha, self.beta, self._first, self._second = alpha, beta, _layout(x), _layout(y)
        if x.dtype is F32 and alpha == beta == 1:
            return np.add(z := halves.dot(x, y), b, out=z) if halves.together else multiplying.dot_added(x, y, b)
        return halves.added(halves.dot, b, x, y, beta, alpha)

    def attributes(self) -> dict[str, Any]:
        """The two factors, and the sizes and strides of both matrices."""
        layouts = {
            **_described("mat1", self._first, self, 1),
            **_described("mat2", self._second, self, 2),
        }
        return {"alpha": self.alpha, "beta": self.beta, **layouts}

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        alpha, beta = self.alpha, self.beta
        to_x = None if y is None else _times(alpha, _to_first(g, y, self._first))
        to_y = None if x is None else _times(alpha, _to_second(g, x, self._second))
        return None if self.next_functions[0][0] is None else _times(beta, g), to_x, to_y


def _times(factor: float, g: Any) -> Any:
    return g if factor == 1 else formulas.times(g, factor)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices. Raises RuntimeError unless (n, k) meets (k, m)."""
    if autocast.used:
        input, mat2 = autocast.lowered(input, mat2)
    x, y = input._array, mat2._array
    if x.ndim == 2 == y.ndim and x.dtype is y.dtype and x.shape[1] == y.shape[0]:
        return apply2(MmBackward0, input, mat2)
    if x.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if y.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if x.shape[1] != y.shape[0]:
        raise _mismatched(input, mat2)
    raise _other_dtype(x, y)


spmm = mm  # so PyTorch's is of matrices that are dense


def _mismatched(mat1: Tensor, mat2: Tensor) -> RuntimeError:
    x, y = mat1._array, mat2._array
    message = f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and {y.shape[0]}x{y.shape[1]})"
    return noted(RuntimeError(message), reasons.shapes(mat1, mat2))


def _other_dtype(x: Array, y: Array) -> RuntimeError:
    first, second = BY_NUMPY[x.dtype].cpp, BY_NUMPY[y.dtype].cpp
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {first} != {second}")


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    x, v = input._array, vec._array
    if x.ndim != 2 or v.ndim != 1:
        input.size(0)  # PyTorch adds the product to as many zeros
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {x.ndim}, {v.ndim}")
    if x.shape[1] != v.shape[0]:
        message = f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({v.size})"
        raise noted(RuntimeError(message), reasons.shapes(x.shape, v.shape))
    _check_addmv(x, v)
    return apply2(MvBackward0, input, vec)


def _check_addmv(x: Array, v: Array) -> None:
    """Raise RuntimeError, with the text of what PyTorch computes it by, for a matrix and a vector of two dtypes."""
    if x.dtype is not v.dtype:
        first, second = BY_NUMPY[x.dtype].title, BY_NUMPY[v.dtype].title
        kinds = f"{second}, {first}, and {second}"
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {kinds}")


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The product of two vectors, a 0-d tensor."""
    x, y = input._array, tensor._array
    if x.ndim != 1 or y.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    if x.dtype is not y.dtype:
        first, second = BY_NUMPY[x.dtype].title, BY_NUMPY[y.dtype].title
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {first} and {second}")
    if x.size != y.size:
        message = (
            f"inconsistent tensor size, expected tensor [{x.size}] and src [{y.size}] to have the same number of "
            f"elements, but got {x.size} and {y.size} elements respectively"
        )
        raise noted(RuntimeError(message), reasons.shapes(x.shape, y.shape))
    return apply2(DotBackward0, input, tensor)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of the matrices of two batches, pair by pair."""
    if autocast.used:
        input, mat2 = autocast.lowered(input, mat2)
    check_batches(input._array, mat2._array, "bmm")
    return apply2(BmmBackward0, input, mat2)


def check_batches(x: Array, y: Array, kernel: str) -> None:
    """Raise PyTorch's error for what are no batches of matrices that have products, or not of one dtype."""
    if x.ndim != 3 or y.ndim != 3:
        raise RuntimeError(f"batch{1 if x.ndim != 3 else 2} must be a 3D tensor")
    if x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{x.shape[0]}, {x.shape[2]}] but got: "
            f"[{y.shape[0]}, {y.shape[1]}]."
        )
    if x.size and y.size:  # else there is nothing to compute
        halves.no_truth(x, y, kernel)
        check_same_dtype(x.dtype, y.dtype)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat1 mat2."""
    if autocast.used:
        input, mat1, mat2 = autocast.lowered(input, mat1, mat2)
    x, y, b = mat1._array, mat2._array, input._array
    if x.ndim == 2 == y.ndim and x.dtype is y.dtype is b.dtype and x.shape[1] == y.shape[0] and b.shape == y.shape[1:]:
        return applyn(AddmmBackward0, (input, mat1, mat2), beta, alpha)
    check_addmm(input, mat1, mat2)
    shape = (x.shape[0], y.shape[1])
    if input._array.shape not in (shape, shape[1:]):
        expand(input, shape)  # raises if it does not fit
    return applyn(AddmmBackward0, (input, mat1, mat2), beta, alpha)


def check_addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    """Raise PyTorch's error for dtypes that differ, for what is no matrix, and for two that have no product."""
    x, y = mat1._array, mat2._array
    for name, one in (("self", input), ("mat1", mat1)):
        if one._array.dtype is not y.dtype:
            message = f"{name} and mat2 must have the same dtype, but got {one.dtype.title} and {mat2.dtype.title}"
            raise noted(RuntimeError(message), reasons.dtypes((one, mat2)))
    for name, array in (("mat1", x), ("mat2", y)):
        if array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {array.ndim}-D tensor")
    if x.shape[1] != y.shape[0]:
        raise _mismatched(mat1, mat2)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every element of a vector times every element of another."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        wrong = "input" if input._array.ndim != 1 else "vec2"
        ndim = (input if input._array.ndim != 1 else vec2)._array.ndim
        raise RuntimeError(f"outer: Expected 1-D argument {'self' if wrong == 'input' else wrong}, but got {ndim}-D")
    return mul(reshape(input, (input._array.size, 1)), vec2)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product `@` of vectors, matrices, or batches of matrices, by the steps in which PyTorch takes it."""
    if autocast.used:
        input, other = autocast.lowered(input, other)
    if not (isinstance(input, Variable) and isinstance(other, Variable)):
        only_tensors("matmul", input, other)  # type: ignore[unreachable]  # by their types
    x, y = input._array, other._array
    if x.ndim == 2 == y.ndim:
        if x.dtype is y.dtype and x.shape[1] == y.shape[0]:
            return apply2(MmBackward0, input, other)
        return mm(input, other)
    if not x.ndim or not y.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D")
    match x.ndim, y.ndim:
        case 1, 1:
            return dot(input, other)
        case 2, 1:
            return mv(input, other)
        case 1, 2:
            return _row(input, other)
    if _folds(input, other):
        return _folded(input, other)
    if x.ndim == y.ndim == 3 and x.shape[0] != y.shape[0]:
        if x.shape[0] == 1 and input._needs:
            return matmul(squeeze(input, 0), other)
        if y.shape[0] == 1 and other._needs:
            return matmul(input, squeeze(other, 0))
    return _batched(input, other)


def _row(input: Tensor, other: Tensor) -> Tensor:
    """A vector times a matrix: the vector is made a matrix of one row, and the product a vector again."""
    return squeeze_(mm(unsqueeze(input, 0), other), 0)  # in place, as PyTorch does it


def _folds(input: Tensor, other: Tensor) -> bool:
    """True if the batch is best folded into one tall matrix: the other factor is a matrix or vector, and it pays."""
    big, small = (input, other) if input._array.ndim >= other._array.ndim else (other.mT, input)
    if big._array.ndim < 3 or small._array.ndim > 2:
        return False
    if small._needs:
        return True
    if input._array.ndim == 2:
        return False
    x = big._array
    return not x.size or all(x.strides[d] == x.strides[d + 1] * x.shape[d + 1] for d in range(x.ndim - 2))


def _folded(input: Tensor, other: Tensor) -> Tensor:
    """A batch of matrices times one matrix or vector; a matrix times a batch is done transposed."""
    turned = other._array.ndim > input._array.ndim
    batch, small = (
        (transpose(other, -2, -1), t(input) if input._array.ndim == 2 else input) if turned else (input, other)
    )
    shape = batch._array.shape
    tall = reshape(batch, (math.prod(shape[:-1]), shape[-1]))
    if small._array.ndim == 1:
        return unsafe_view(mv(tall, small), shape[:-1])
    product = unsafe_view(mm(tall, small), (*shape[:-1], small._array.shape[1]))
    return transpose(product, -2, -1).contiguous() if turned else product


def _batched(input: Tensor, other: Tensor) -> Tensor:
    """Two batches, broadcast against each other; a vector counts as one matrix."""
    x = input._array.shape if input._array.ndim > 1 else (1, *input._array.shape)
    vector = other._array.ndim == 1
    y = (*other._array.shape, 1) if vector else other._array.shape
    refuse(mismatch(x[:-2], y[:-2]))
    batch = np.broadcast_shapes(x[:-2], y[:-2])
    size = math.prod(batch)
    first = reshape(expand(input, (*batch, *x[-2:])), (size, *x[-2:]))
    if vector:
        second = unsqueeze(reshape(expand(other, (*batch, y[-2])), (size, y[-2])), 2)
    else:
        second = reshape(expand(other, (*batch, *y[-2:])), (size, *y[-2:]))
    rows = x[-2:-1] if input._array.ndim > 1 else ()
    if vector:
        return unsafe_view(squeeze(bmm(first, second), -1), (*batch, *rows))
    return unsafe_view(bmm(first, second), (*batch, *rows, *y[-1:]))
