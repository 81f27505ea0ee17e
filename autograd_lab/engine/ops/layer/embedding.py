"""Embeddings: rows of a matrix, taken by their numbers; and one-hot vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, I64, Array
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.reduction.norms import length

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = []


class EmbeddingBackward0(Linear):
    """z_i is row k_i of W; so row k of dL/dW is the sum of all g_i with k_i = k, and 0 for the row of padding."""

    inputs = ("weight", "indices")
    saves = ("indices",)
    differentiable = 1
    __slots__ = ("_rows", "padding_idx", "scale_grad_by_freq", "sparse")

    def forward(self, w: Array, indices: Array, padding_idx: int, by_frequency: bool, sparse: bool) -> Array:
        self._rows, self.padding_idx, self.scale_grad_by_freq, self.sparse = len(w), padding_idx, by_frequency, sparse
        return np.asarray(w[np.asarray(indices)])

    def attributes(self) -> dict[str, Any]:
        """The settings, as PyTorch shows them: no padding is an unsigned -1."""
        return {
            "padding_idx": self.padding_idx % 2**64,
            "scale_grad_by_freq": self.scale_grad_by_freq,
            "sparse": self.sparse,
            "weight_sym_argsize_0": self._rows,
        }

    def backward(self, g: Any, indices: Any) -> Any:
        if isinstance(g, Variable):
            rule = self._rows, self.padding_idx, self.scale_grad_by_freq
            return applyn(EmbeddingDenseBackwardBackward0, (g, indices), *rule)
        return _added(g, np.asarray(indices), self._rows, self.padding_idx, self.scale_grad_by_freq)


def _shares(indices: Array, rows: int, padding_idx: int, by_frequency: bool) -> Array:
    """How much each use counts for its row."""
    shares = (indices != padding_idx).astype(np.float64)
    return shares / np.bincount(indices.reshape(-1), minlength=rows)[indices] if by_frequency else shares


def _added(g: Array, indices: Array, rows: int, padding_idx: int, by_frequency: bool) -> Array:
    whole = np.zeros((rows, g.shape[-1]), g.dtype)
    if padding_idx >= 0 or by_frequency:
        g = g * _shares(indices, rows, padding_idx, by_frequency).astype(g.dtype)[..., None]
    width = g.shape[-1]  # numpy adds fastest along one dimension
    places = (indices.reshape(-1, 1) * width + np.arange(width)).reshape(-1)
    np.add.at(whole.reshape(-1), places, g.reshape(-1))
    return whole


class EmbeddingDenseBackwardBackward0(Node):
    """The gradient of an embedding: its own gradient are rows again (without their frequencies, as in PyTorch)."""

    inputs = ("grad_output", "indices")
    saves = ("indices",)
    differentiable = 1
    __slots__ = ("padding_idx",)

    def forward(self, g: Array, indices: Array, rows: int, padding_idx: int, by_frequency: bool) -> Array:
        self.padding_idx = padding_idx
        return _added(g, np.asarray(indices), rows, padding_idx, by_frequency)

    def attributes(self) -> dict[str, Any]:
        """The row of padding, as an unsigned number."""
        return {"padding_idx": self.padding_idx % 2**64}

    def backward(self, h: Any, indices: Any) -> Any:
        recorded = isinstance(h, Variable)
        where = np.asarray(indices._array if recorded else indices)
        shares = (where != self.padding_idx)[..., None]
        if recorded:
            rows = applyn(EmbeddingBackward0, (h, indices), -1, False, False)
            return rows * wrap(shares.astype(h._array.dtype))
        return h[where] * shares.astype(h.dtype)


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of `weight` with these numbers; the row `padding_idx` gets no gradient."""
    if padding_idx is not None:
        rows = weight._array.shape[0]
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        _shorten(weight._array, np.unique(input._array), max_norm, norm_type)
    return rows_of(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)


def _shorten(weight: Array, rows: Array, max_norm: float, norm_type: float) -> None:
    norms = length(weight[rows], norm_type, (1,), True)
    weight[rows] *= np.minimum(1, max_norm / (norms + 1e-7)).astype(weight.dtype)


def rows_of(
    weight: Tensor, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """`torch.embedding`, which takes the matrix first and checks less."""
    if not isinstance(indices, Variable):
        kind = type(indices).__name__
        raise TypeError(f"embedding(): argument 'indices' (position 2) must be Tensor, not {kind}")
    w, numbers = weight._array, indices._array
    if weight._needs and is_grad_enabled():
        weight.size(0)  # which PyTorch keeps for the gradient
    if w.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if numbers.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{BY_NUMPY[numbers.dtype].title}Tensor instead (while checking arguments for embedding)"
        )
    if not len(w) and numbers.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    bad = numbers[(numbers < 0) | (numbers >= len(w))]
    if bad.size and not w.size:
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad[0]} axis_dim={len(w)}")
    if bad.size:
        raise IndexError("index out of range in self")
    return applyn(EmbeddingBackward0, (weight, indices), padding_idx, scale_grad_by_freq, sparse)


NO_CLASSES = "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each number a row of zeros with a 1 at that place."""
    x = tensor._array
    if x.dtype != I64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not x.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return wrap(np.zeros((*x.shape, num_classes), I64))
    if x.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        mapping.refuse(NO_CLASSES, tensor)
        num_classes = int(x.max()) + 1
    elif x.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    rows = np.zeros((x.size, num_classes), I64)
    rows[np.arange(x.size), x.reshape(-1)] = 1
    return mapping.hand_on(wrap(rows.reshape(*x.shape, num_classes)), tensor)
