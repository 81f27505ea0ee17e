"""`torch.linalg`: linear algebra under the names that PyTorch gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lab.engine.modes.pickled_functions import keep
from autograd_lab.engine.ops.matrix.chains import linalg_vander as vander
from autograd_lab.engine.ops.matrix.chains import multi_dot
from autograd_lab.engine.ops.matrix.contraction import linalg_cross as cross
from autograd_lab.engine.ops.matrix.contraction import vecdot
from autograd_lab.engine.ops.matrix.decompositions import eigh, eigvalsh, svdvals
from autograd_lab.engine.ops.matrix.decompositions import linalg_qr as qr
from autograd_lab.engine.ops.matrix.decompositions import linalg_svd as svd
from autograd_lab.engine.ops.matrix.determinants import det
from autograd_lab.engine.ops.matrix.determinants import linalg_slogdet as slogdet
from autograd_lab.engine.ops.matrix.functions import matrix_exp as _matrix_exp
from autograd_lab.engine.ops.matrix.functions import pinv, solve_triangular
from autograd_lab.engine.ops.matrix.linalg import LinAlgError, cholesky, inv, matrix_power, matrix_rank, solve
from autograd_lab.engine.ops.matrix.lu import linalg_lu as lu
from autograd_lab.engine.ops.matrix.lu import linalg_lu_solve as lu_solve
from autograd_lab.engine.ops.matrix.lu import lu_factor, lu_factor_ex
from autograd_lab.engine.ops.matrix.matrix_sizes import cond, matrix_norm
from autograd_lab.engine.ops.matrix.matrix_sizes import linalg_norm as norm
from autograd_lab.engine.ops.matrix.products import matmul
from autograd_lab.engine.ops.matrix.reflectors import householder_product
from autograd_lab.engine.ops.matrix.symmetric_factors import ldl_factor, ldl_factor_ex, ldl_solve
from autograd_lab.engine.ops.matrix.systems import cholesky_ex, inv_ex, lstsq, solve_ex, tensorinv, tensorsolve
from autograd_lab.engine.ops.reduction.norms import vector_norm
from autograd_lab.engine.ops.shape.diagonals import diagonal as _diagonal
from autograd_lab.engine.tensor.outputs import LINALG, give_errors, give_outputs

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A diagonal of the last two dimensions, in the same memory."""
    return _diagonal(A, offset, dim1, dim2)


def matrix_exp(A: Tensor) -> Tensor:
    """Σ Aⁿ / n!, over all n from 0."""
    return _matrix_exp(A)


give_outputs(globals(), LINALG, "linalg_")
give_errors(globals(), ["diagonal", "matrix_exp", "vander"], "linalg_")

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

for _name in {*__all__} - {"LinAlgError"}:
    globals()[_name].__name__ = globals()[_name].__qualname__ = f"linalg_{_name}"  # as PyTorch has it
keep(globals(), "linalg")
