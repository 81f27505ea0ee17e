"""Matrices of powers, products of many matrices, and what `linalg` has under another name."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.matrix.functions import solve_triangular
from autograd_lab.engine.ops.matrix.linalg import multi_dot
from autograd_lab.engine.ops.reduction.cumulative import cumprod
from autograd_lab.engine.ops.reduction.extremes import named
from autograd_lab.engine.ops.shape.joining import cat

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

INSTEAD_OF_CHAIN = (
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
    "instead, which accepts a list of two or more tensors rather than multiple parameters."
)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices: what `linalg.multi_dot` has come in the place of."""
    warnings.warn(INSTEAD_OF_CHAIN, UserWarning, stacklevel=2)
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
    warnings.warn(INSTEAD_OF_TRIANGULAR, UserWarning, stacklevel=2)
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
    powers: Any = wrap(np.ones((x._array.size, columns), kind))
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
