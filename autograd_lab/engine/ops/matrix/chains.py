"""Matrices of powers, products of many matrices, and what `linalg` has under another name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.exact.mapping import hand_on
from autograd_lab.engine.numbers.dtypes import BY_NUMPY
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.matrix.functions import solve_triangular
from autograd_lab.engine.ops.matrix.products import matmul
from autograd_lab.engine.ops.reduction.cumulative import cumprod
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.ops.shape.views import view

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def _check_chain(tensors: Sequence[Tensor]) -> None:
    """Raise PyTorch's error for matrices, the first and the last of which may be vectors, that have no product."""
    arrays = [one._array for one in tensors]
    ends = {0: "the first tensor", len(arrays) - 1: "the last tensor"}
    for at in sorted(range(len(arrays)), key=lambda at: (at not in ends, at)):
        if at in ends and arrays[at].ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): {ends[at]} must be 1D or 2D but got {arrays[at].ndim}D")
        if at not in ends and arrays[at].ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {at} must be 2D but got {arrays[at].ndim}D")
    for at, (one, other) in enumerate(pairwise(arrays), 1):
        if other.dtype != arrays[0].dtype:
            first, second = BY_NUMPY[arrays[0].dtype].cpp, BY_NUMPY[other.dtype].cpp
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {first} and tensor {at} {second}"
            )
        if one.shape[-1] != other.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {at - 1} and {at} with shapes {list(one.shape)} and {list(other.shape)} cannot "
                "be multiplied"
            )


@composed
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that takes fewest multiplications."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    _check_chain(tensors)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    sizes = [tensors[0]._array.shape[0], *(one._array.shape[-1] for one in tensors)]

    def cost(first: int, last: int) -> int:
        if first == last:
            return 0
        if (first, last) not in found:
            ways = [
                (cost(first, cut) + cost(cut + 1, last) + sizes[first] * sizes[cut + 1] * sizes[last + 1], cut)
                for cut in range(first, last)
            ]
            found[first, last] = min(ways)
        return found[first, last][0]

    def multiplied(first: int, last: int) -> Tensor:
        if first == last:
            return tensors[first]
        cost(first, last)
        cut = found[first, last][1]
        return matmul(multiplied(first, cut), multiplied(cut + 1, last))

    out = multiplied(0, len(tensors) - 1)
    return view(out, out._array.shape)


INSTEAD_OF_CHAIN = (
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
    "instead, which accepts a list of two or more tensors rather than multiple parameters."
)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices: what `linalg.multi_dot` has come in the place of."""
    warn_once(INSTEAD_OF_CHAIN)
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    wrong = next((one._array.ndim for one in matrices if one._array.ndim != 2), None)
    if wrong is not None:
        raise RuntimeError(f"Tensor dimension is {wrong}, expected 2 instead.")
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices)


INSTEAD_OF_TRIANGULAR = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
    "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of "
    "the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
    "torch.linalg.solve_triangular(A, B)."
)
TriangularSolveResult = named("triangular_solve", "solution", "cloned_coefficient")


def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """X with A X = b (or Aᵀ X = b) for a triangle A, and a copy of A; `linalg.solve_triangular` came in its place."""
    warn_once(INSTEAD_OF_TRIANGULAR)
    for name, one in (("b", input), ("A", A)):
        if one._array.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {one._array.ndim} "
                "dimensions instead"
            )
    (rows, columns), of_b = A._array.shape[-2:], input._array.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if of_b[0] != rows:
        raise RuntimeError(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {rows} by {columns} but each b matrix "
            f"is {of_b[0]} by {of_b[1]}"
        )
    if A._array.dtype != input._array.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {input.dtype.title} and A of type "
            f"{A.dtype.title} instead."
        )
    triangle = A.mT if transpose else A
    found = solve_triangular(triangle, input, upper=upper != transpose, unitriangular=unitriangular)
    return TriangularSolveResult((found, A.clone()))


@composed
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of each element in a row, the highest first, unless they are to be `increasing`."""
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x._array.size if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    kind = x._array.dtype if x._array.dtype.kind in "fV" else np.int64
    powers: Any = hand_on(wrap(np.ones((x._array.size, columns), kind)), x)
    if columns > 1:
        rest = powers[:, 1:]
        rest.copy_(x.unsqueeze(1))
        powers[:, 1:].copy_(cumprod(rest, 1))
    return powers if increasing else powers.flip(1)


@composed
def linalg_vander(x: Any, *, N: int | None = None) -> Any:
    """The powers of each element in a row, beginning with 1; `N` of them, or as many as elements."""
    x = x if x._array.ndim else x.unsqueeze(-1)
    count = x._array.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = cumprod(x.unsqueeze(-1).expand(*x._array.shape, count - 1), -1)
    return cat([powers.new_ones((*x._array.shape, 1)), powers], -1)
