"""What PyTorch says of an `out` of another dtype than the result's: each of its kernels in words of its own."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, can_cast

EACH = """
Expected out tensor to have dtype {want_cpp}, but got {have_cpp} instead: addmm addmv alias_copy argmax argmin \
as_strided_copy baddbmm bmm cross detach_copy diag diagonal_copy expand_copy gather index_add index_copy index_reduce \
inverse isin linalg_cholesky linalg_cross linalg_det linalg_eigvalsh linalg_inv linalg_lu_solve linalg_solve \
linalg_svdvals linalg_vector_norm log_softmax lu_solve matmul matrix_power mm msort mv norm permute_copy renorm \
scatter scatter_add scatter_reduce select_copy slice_copy slice_scatter softmax spmm squeeze_copy t_copy \
take_along_dim transpose_copy tril triu unfold_copy unsqueeze_copy view_copy
Found dtype {have} but expected {want}: abs absolute bitwise_not ceil clamp clamp_max clamp_min clip conj_physical \
fix floor frac neg negative round sgn sign trunc
result dtype {have} does not match input dtype {want}: dot vdot
expected scalar type {want} but found {have}: linalg_solve_triangular
expected scalar_type {want} but found {have}: logcumsumexp
Expected the dtype for input and out to match, but got {want} for input's dtype and {have} for out's dtype.: amax amin
linalg.matrix_norm expected out tensor dtype {want} but got: {have}: linalg_matrix_norm
quantile() out tensor must be same dtype as the input tensor: nanquantile quantile
tensordot: Expected the output tensor to have dtype {want}, but got an output tensor with dtype {have}: inner tensordot
{name}(): self and result must have the same scalar type: index_select masked_select
{name} does not support non-boolean outputs.: isneginf isposinf signbit
nan_to_num: dtype of out: {have} should be same as input: {want}: nan_to_num
nonzero: Expected out tensor to have scalar type {want} but got scalar type{have}: nonzero
take(): self and out expected to have the same dtype, but got self.dtype = {want} and out.dtype = {have}: take
the output given to float_power has dtype {have} but the operation's result requires dtype {want}: float_power
multi_dot(): expected out tensor to have dtype {want_cpp} but got {have_cpp}: linalg_multi_dot
linalg.vecdot: Expected out of dtype{want} but found {have}: linalg_vecdot
self and mat2 must have the same dtype, but got {have} and {want}: addbmm
Expected out type to be {want} but got {have}: where
heaviside is not yet implemented for tensors with different dtypes.: heaviside
multinomial expects Long tensor out, got: {have}: multinomial
torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether \
out_int32 flag is True, but we got output tensor's dtype {have} and out_int32 flag is {flag}: bucketize searchsorted
Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  If so, \
please report an enhancement request to PyTorch.): narrow_copy
torch.histogram: input tensor and hist tensor should have the same dtype, but got input {want_cpp} and hist \
{have_cpp}: histc
"""
"""A sentence, and the functions that say it."""
CREATING = {
    *["arange", "empty", "eye", "full", "linspace", "logspace", "ones", "rand", "randn", "range", "zeros"],
}
JOINING = {"cat", "column_stack", "concat", "concatenate", "dstack", "hstack", "row_stack", "stack", "vstack"}
TEXTS = {
    name: text for text, names in (line.rsplit(": ", 1) for line in EACH.strip().splitlines()) for name in names.split()
}
NOT_CAST = {
    **dict.fromkeys(
        ("cholesky", "cholesky_inverse", "cholesky_solve", "matrix_power"),
        "{name}: Expected result to be safely castable from {want} dtype, but got result with dtype {have}",
    ),
    "diag": "diag: result type {want} can't be cast to the desired out= type {have}",
    "ldexp": "ldexp can't be cast to the desired output type {have}",
    "logsumexp": "logsumexp(): Expected floating point type for result tensor, but got: {have}",
}
"""What is said only where a result cannot be cast to the dtype of `out`."""
ALL_OF_THEM = {
    f"{name} of several" for name in ("aminmax", "linalg_qr", "linalg_slogdet", "max", "min", "sort", "topk")
}
"""Functions with several results, each of which has its dtype."""
ASKING = {"all", "any"}
"""Functions that answer in bytes, too, if they are asked to."""


def check_dtype(name: str, out: Array, result: Array) -> None:
    """Raise RuntimeError if the function of this name does not write to such an `out`."""
    want, have = BY_NUMPY[result.dtype], BY_NUMPY[out.dtype]
    if name in ASKING and have.name not in ("bool", "uint8"):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {have.title}")
    if name in CREATING:
        raise RuntimeError(f"dtype {want.title} does not match dtype of out parameter ({have.title})")
    if name in JOINING and not can_cast(want, have):
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {have.title}")
    if name in ALL_OF_THEM:
        raise RuntimeError(f"Expected out tensor to have dtype {want.cpp}, but got {have.cpp} instead")
    if name in ("cummax of several", "cummin of several"):
        name = "logcumsumexp"
    texts = NOT_CAST if name in NOT_CAST and not can_cast(want, have) else TEXTS
    if name in texts:
        told: dict[str, Any] = {"want": want.title, "have": have.title, "want_cpp": want.cpp, "have_cpp": have.cpp}
        raise RuntimeError(texts[name].format(name=name, flag=want.name == "int32", **told))
