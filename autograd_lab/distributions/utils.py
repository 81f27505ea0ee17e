"""What distributions have in common: parameters of one shape, odds and probabilities, triangles as vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import enable_grad
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.ops.activation.probabilities import softmax
from autograd_lab.engine.ops.shape.stacking import broadcast_tensors
from autograd_lab.engine.tensor.factories import arange, tensor
from autograd_lab.engine.tensor.randomness import randn

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]


def _standard_normal(shape: Any, dtype: Any, device: Any = None) -> Any:
    """Draws by which distributions of other packages are reparametrised."""
    return randn(shape, dtype=dtype)


euler_constant = 0.57721566490153286060


class lazy_property:  # as PyTorch spells it
    """A property that is worked out once, when it is first asked for; its graph is recorded under `no_grad`, too."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]  # it has the name and the docstring

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        instance.__dict__[self.wrapped.__name__] = value
        return value


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """Tensors and numbers as tensors of one shape. Raises ValueError for anything else."""
    if not all(is_tensor(value) or isinstance(value, int | float) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    kind = next((value.dtype for value in values if is_tensor(value)), None)
    made = [value if is_tensor(value) else tensor(float(value), dtype=kind) for value in values]
    return broadcast_tensors(*made)


def clamp_probs(probs: Any) -> Any:
    """Probabilities that are neither 0 nor 1."""
    least = finfo(probs.dtype).eps
    return probs.clamp(min=least, max=1 - least)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """The logarithm of the odds, or of each probability."""
    likely = clamp_probs(probs)
    return likely.log() - (-likely).log1p() if is_binary else likely.log()


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """The probabilities that have these logits."""
    return logits.sigmoid() if is_binary else softmax(logits, -1)


def _below(size: int, diagonal: int) -> Any:
    """True at the places of a square matrix that are not above a diagonal."""
    columns = arange(size)
    return columns < columns.view(-1, 1) + (diagonal + 1)


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """The lower triangle of a matrix, row after row."""
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _below(size, diag)]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """The matrix whose lower triangle is this, row after row."""
    count = vec.shape[-1]
    exact = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    size = round(exact)
    if size - exact > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a "
            "square D x D matrix."
        )
    mat = vec.new_zeros((*vec.shape[:-1], size, size))
    mat[..., _below(size, diag)] = vec
    return mat


def _sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last `dim` dimensions."""
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value
