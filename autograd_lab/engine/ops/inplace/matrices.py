"""Products that are added to a tensor: `addmm_`, `addmv_`, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lab.engine.ops.ground.writing import change, may_write
from autograd_lab.engine.ops.matrix import contraction, products

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha mat1 mat2."""
    may_write(input, mat1, mat2)
    products.check_addmm(input, mat1, mat2)
    made = [mat1._array.shape[0], mat2._array.shape[1]]
    if [*input._array.shape] != made:
        raise RuntimeError(
            f"Bad in-place call: input tensor size {[*input._array.shape]} and output tensor size {made} should match"
        )
    return change("addmm_", products.AddmmBackward0, input, (mat1, mat2), beta, alpha)


def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha mat vec."""
    contraction.check_vector(input, mat, vec)
    return change("addmv_", contraction.AddmvBackward0, input, (mat, vec), beta, alpha)


def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha vec1 vec2ᵀ."""
    return change("addr_", contraction.AddrBackward0, input, (vec1, vec2), beta, alpha)


def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha batch1 batch2, for each pair of matrices."""
    products.check_batches(batch1._array, batch2._array, "baddbmm")
    return change("baddbmm_", contraction.BaddbmmBackward0, input, (batch1, batch2), beta, alpha)


def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha times the sum of the products of the matrices of two batches."""
    products.check_batches(batch1._array, batch2._array, "addmm_impl_cpu_")
    return change("addbmm_", contraction.AddbmmBackward0, input, (batch1, batch2), beta, alpha)
