"""Matrices as products of simpler ones: svd, eigh, qr."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.matrix.linalg import LinAlgError, by_columns, check_square, solution, transposed
from autograd_lab.engine.ops.shape.joining import cat

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["qr", "svd"]

SvdResult = named("svd", "U", "S", "V")
LinalgSvdResult = named("linalg_svd", "U", "S", "Vh")
EighResult = named("linalg_eigh", "eigenvalues", "eigenvectors")
QrResult, LinalgQrResult = named("qr", "Q", "R"), named("linalg_qr", "Q", "R")
INSTEAD_OF_QR = (
    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
    "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\n"
    "should be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
)
Saved = tuple[Any, ...]


def _check(op: str, A: Tensor, kernel: str) -> None:
    """Raise an error unless the tensor is a matrix of float32 or float64, or a batch of such."""
    if A._array.ndim < 2:
        raise RuntimeError(f"linalg.{op}: The input tensor A must have at least 2 dimensions.")
    if A._array.dtype.kind in "bui":
        raise RuntimeError(f"linalg.{op}: Expected a floating point or complex tensor as input. Got {A.dtype.title}")
    if A._array.dtype.itemsize < 4:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{A.dtype.title}'")


def _like(x: Array, given: Any) -> Any:
    """A constant beside arrays, or beside tensors."""
    return wrap(x) if isinstance(given, Variable) else x


def _diagonal(x: Any) -> Any:
    """Vectors as diagonal matrices."""
    return x.diag_embed() if isinstance(x, Variable) else x[..., None] * np.eye(x.shape[-1], dtype=x.dtype)


def _one(size: int, given: Any) -> Any:
    kind = given._array.dtype if isinstance(given, Variable) else given.dtype
    return _like(np.eye(size, dtype=kind), given)


def _gaps(x: Any) -> Any:
    """x_j - x_i, and 1 where i is j."""
    return x[..., None, :] - x[..., :, None] + _one(x.shape[-1], x)


def beside(*parts: Any, dim: int = -1) -> Any:
    """Matrices side by side, or above each other."""
    tensors: Any = parts
    return cat(tensors, dim) if isinstance(parts[0], Variable) else np.concatenate(parts, dim)


class LinalgSvdBackward0(Node):
    """A = U diag(S) Vᵀ: a change of S stretches, one of U and V turns, the less the further apart the stretches are."""

    outputs = ("U", "S", "Vh")
    many = True
    saves = ("S", "U", "Vh")
    op = "linalg_svd"
    tangent = "own"
    __slots__ = ("S_sym_argsize_minus_1", "full_matrices")

    def forward(self, A: Array, full: bool) -> Saved:
        self.full_matrices, self.S_sym_argsize_minus_1 = full, min(A.shape[-2:])
        try:
            u, s, vh = np.linalg.svd(A, full_matrices=full)
        except np.linalg.LinAlgError:
            infinite = np.flatnonzero(~np.isfinite(A).all((-2, -1)))
            which = f"(Batch element {infinite[0]}): " if A.ndim > 2 and infinite.size else ""
            raise LinAlgError(
                f"linalg.svd: {which}The algorithm failed to converge because the input matrix contained non-finite "
                "values."
            ) from None
        return by_columns(u), s, by_columns(vh)

    def backward(self, g: Any, s: Any, u: Any, vh: Any) -> Any:
        to_u, to_s, to_vh = g
        size = s.shape[-1]
        rows, columns, u, vh = u.shape[-2], vh.shape[-1], u[..., :size], vh[..., :size, :]
        inner = _diagonal(to_s) if to_s is not None else None
        parts: list[Any] = [] if inner is None else [inner]
        if to_u is not None:
            to_u = to_u[..., :size]
            parts.append(_skew(transposed(u) @ to_u) / _gaps(s * s) * s[..., None, :])
        if to_vh is not None:
            to_vh = to_vh[..., :size, :]
            parts.append(s[..., :, None] * (_skew(vh @ transposed(to_vh)) / _gaps(s * s)))
        out = u @ formulas.added(parts)
        if to_u is not None and rows > size:
            out = out + (to_u - u @ (transposed(u) @ to_u)) / s[..., None, :]
        out = out @ vh
        if to_vh is not None and columns > size:
            out = out + (u / s[..., None, :]) @ (to_vh - (to_vh @ transposed(vh)) @ vh)
        return out

    def pushed(self, push: Push) -> Sequence[Any]:
        """dS is the diagonal of P = Uᵀ dA V; the rest of P turns U and V, and what U and V leave out tilts them."""
        (u, s, vh), moved = push.outputs, push.tangents[0]
        size, gaps = s._array.shape[-1], _gaps(s * s)
        v, s = transposed(vh[..., :size, :]), s[..., None, :]
        p = transposed(u[..., :size]) @ moved @ v
        x = _off_diagonal(p)
        du = _turned(u, _sym(x * s) / gaps, (moved @ v, p), s)
        back = transposed(moved) @ u[..., :size], transposed(p)
        dv = _turned(transposed(vh), _sym(transposed(s) * x) / gaps, back, s)
        return du, p.diagonal(dim1=-2, dim2=-1), transposed(dv)


def _turned(whole: Any, turn: Any, moved: tuple[Any, Any], s: Any) -> Any:
    """The tangent of singular vectors, which turn among each other and to what none of them reaches; of that, zeros."""
    size = s.shape[-1]
    vectors, rest = whole[..., :size], whole[..., size:]
    found = vectors @ turn
    if whole.shape[-2] > size:
        found = found + (moved[0] - vectors @ moved[1]) / s
    return beside(found, rest * 0) if rest.shape[-1] else found


def _skew(x: Any) -> Any:
    return x - transposed(x)


def _sym(x: Any) -> Any:
    return x + transposed(x)


def _off_diagonal(x: Any) -> Any:
    return x - _diagonal(x.diagonal(dim1=-2, dim2=-1))


def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """U, S and Vh with A = U diag(S) Vh: two rotations, and how far a matrix stretches in between."""
    _check("svd", A, "linalg_svd_cpu")
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    return LinalgSvdResult(apply_many(LinalgSvdBackward0, (A,), full_matrices))


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """U, S and V with input = U diag(S) Vᵀ."""
    u, s, vh = linalg_svd(input, not some)
    if not compute_uv:
        x = input._array
        zeros = [wrap(np.zeros((*x.shape[:-2], size, size), x.dtype)) for size in x.shape[-2:]]
        return SvdResult((zeros[0], s, zeros[1]))
    return SvdResult((u, s, vh.mT))


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """How far a matrix stretches, in descending order."""
    return linalg_svd(A, False, driver=driver)[1]


class LinalgEighBackward0(Node):
    """A = Q diag(L) Qᵀ: a change of L stretches, one of Q turns, the less the further apart the stretches are."""

    outputs = ("eigenvalues", "eigenvectors")
    many = True
    saves = ("eigenvalues", "eigenvectors")
    op = "linalg_eigh"
    tangent = "own"

    def forward(self, A: Array, upper: bool) -> Saved:
        values, vectors = np.linalg.eigh(A, "U" if upper else "L")
        return values, by_columns(vectors)

    def backward(self, g: Any, values: Any, q: Any) -> Any:
        to_values, to_q = g
        parts = [] if to_values is None else [_diagonal(to_values)]
        if to_q is not None:
            turned = transposed(q) @ to_q
            parts.append(formulas.times(_skew(turned), 0.5) / _gaps(values))
        return q @ formulas.added(parts) @ transposed(q)

    def pushed(self, push: Push) -> Sequence[Any]:
        """The diagonal of P = Qᵀ dA Q stretches; what is beside it turns Q."""
        values, q = push.outputs
        p = transposed(q) @ push.tangents[0] @ q
        return p.diagonal(dim1=-2, dim2=-1), q @ (_off_diagonal(p) / _gaps(values))


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues in ascending order, and eigenvectors as columns, of a symmetric matrix: of its lower triangle."""
    check_square("linalg.eigh", A, floats=False)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    if A._array.dtype.kind in "bui" or A._array.dtype.itemsize < 4:
        raise NotImplementedError(f"\"linalg_eigh_cpu\" not implemented for '{A.dtype.title}'")
    return EighResult(apply_many(LinalgEighBackward0, (A,), UPLO.upper() == "U"))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of a symmetric matrix, in ascending order."""
    return eigh(A, UPLO)[0]


class LinalgQrBackward0(Node):
    """A = Q R: what comes to Q and R is put together where both are square, and passed on through Q for the rest."""

    outputs = ("Q", "R")
    many = True
    saves = ("Q", "R")
    op = "linalg_qr"
    tangent = "own"
    __slots__ = ("mode",)

    def forward(self, A: Array, mode: str) -> Saved:
        self.mode = mode
        if mode == "r":
            return np.zeros(0, A.dtype), by_columns(np.linalg.qr(A, "r"))
        q, r = np.linalg.qr(A, mode)  # type: ignore[call-overload]
        return by_columns(q), by_columns(r)

    def backward(self, g: Any, q: Any, r: Any) -> Any:
        self._check_mode(q, r)
        rows, columns = q.shape[-2], r.shape[-1]
        to_q, to_r = (formulas.zeros_like(x) if one is None else one for one, x in zip(g, (q, r), strict=True))
        if rows >= columns:
            return _through_qr(to_q, to_r, q, r)
        rest, to_rest = r[..., rows:], to_r[..., rows:]
        first = _through_qr(to_q + q @ rest @ transposed(to_rest), to_r[..., :rows], q, r[..., :rows])
        other = q @ to_rest
        return beside(first, other)

    def pushed(self, push: Push) -> Sequence[Any]:
        """dA R⁻¹ is what Q turns by, which Qᵀ shows as skew, and what stretches R, which is a triangle."""
        (q, r), moved = push.outputs, push.tangents[0]
        self._check_mode(q, r)
        size = min(q._array.shape[-2], r._array.shape[-1])
        square, across = r[..., :size], transposed(q)
        c = transposed(solution(transposed(square), transposed(moved[..., :size])))
        x = across @ c
        turn = _skew(x.tril(-1))
        dr = (x - turn) @ square
        if r._array.shape[-1] > size:
            dr = beside(dr, across @ moved[..., size:] - turn @ r[..., size:])
        return c - q @ (x - turn), dr

    def _check_mode(self, q: Any, r: Any) -> None:
        """Raise RuntimeError where Q is not there, or not told by A alone."""
        if self.mode == "r":
            raise RuntimeError(NO_Q)
        if self.mode == "complete" and q.shape[-2] > r.shape[-1]:
            raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")


NO_Q = (
    "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
    "mode='reduced') if you are going to differentiate through linalg.qr."
)


def _through_qr(to_q: Any, to_r: Any, q: Any, r: Any) -> Any:
    """(G_Q + Q M) R⁻ᵀ, where M mirrors the lower triangle of R G_Rᵀ - G_Qᵀ Q."""
    x = r @ transposed(to_r) - transposed(to_q) @ q
    lower, below = (x.tril(), x.tril(-1)) if isinstance(x, Variable) else (np.tril(x), np.tril(x, -1))
    return transposed(solution(r, transposed(to_q + q @ (lower + transposed(below)))))


def linalg_qr(A: Tensor, mode: str = "reduced") -> Any:
    """Q, whose columns are orthogonal and of length 1, and the triangle R, with A = Q R."""
    _check("qr", A, "geqrf_cpu")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return LinalgQrResult(apply_many(LinalgQrBackward0, (A,), mode))


def qr(input: Tensor, some: bool = True) -> Any:
    """Q, whose columns are orthogonal and of length 1, and the triangle R, with input = Q R."""
    warn_once(INSTEAD_OF_QR)
    return QrResult(linalg_qr(input, "reduced" if some else "complete"))
