"""Attention: values mixed by how well their keys match a query, as PyTorch does it on a CPU."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.exact.elementless import beside
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, Array, NumpyDtype, float32
from autograd_lab.engine.ops.activation.probabilities import SoftmaxBackward0
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import apply_keeping
from autograd_lab.engine.ops.layer.dropout import dropout
from autograd_lab.engine.ops.matrix.products import matmul
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


ways = dict.fromkeys(("flash", "mem_efficient", "math", "cudnn"), True)
"""Which ways to compute attention a program allows; on a CPU there are `flash`, one node, and `math`, many."""
NO_WAY = (
    "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
    "kernel and the fused kernels."
)


class SafeSoftmaxBackward0(SoftmaxBackward0):
    """softmax, but zeros where everything is masked; the gradient is the same."""

    def forward(self, x: Array, dim: int) -> Array:
        z = super().forward(x, dim)
        np.copyto(z, 0, where=(x == -np.inf).all(axis=dim, keepdims=True))
        return z


class ScaledDotProductFlashAttentionForCpuBackward0(Node):
    """Z = P V for P = softmax(S), S = s Q Kᵀ + mask, of which only ln Σ e^S is saved for each row.

    dL/dV = Pᵀ G; dL/dP = G Vᵀ; dL/dS = P (dL/dP - Σ G Z) row by row; dL/dQ = s dL/dS K and dL/dK = s dL/dSᵀ Q.
    """

    inputs = ("query", "key", "value", "attn_mask", "logsumexp")
    outputs = ("output",)
    saves = ("query", "key", "value", "attn_mask", "logsumexp", "output")
    differentiable = 3
    __slots__ = ("dropout_p", "is_causal", "scale")

    def forward(self, q: Array, k: Array, v: Array, mask: Array | None, causal: bool, scale: float | None) -> Any:
        self.dropout_p, self.is_causal, self.scale = 0.0, causal, scale
        kind, narrow, z = q.dtype, q.dtype.itemsize == 2, np.empty_like(q)  # in memory as the query is
        if narrow:
            q, k, v, mask = _wide(q, k, v, mask)
        scores = self._scores(q, k, mask)
        top = scores.max(axis=-1, keepdims=True)
        top[top == -np.inf] = 0
        scores -= top
        np.exp(scores, out=scores)
        total = scores.sum(axis=-1, keepdims=True)
        logsumexp, share = (precise(np.log, total) + top)[..., 0], np.where(total == 0, total.dtype.type(1), total)
        if narrow:  # PyTorch rounds e^S, and the mean of the values
            z[...] = (np.matmul(scores.astype(kind).astype(q.dtype), v) / share).astype(kind)
            return z, logsumexp
        scores /= share
        return halves.matmul(scores, v, z), logsumexp

    def _scores(self, q: Any, k: Any, mask: Any) -> Any:
        scale = 1 / math.sqrt(q.shape[-1]) if self.scale is None else self.scale
        scores = q.matmul(k.mT) if isinstance(q, Variable) else halves.matmul(q, k.swapaxes(-1, -2))
        scores = formulas.times(scores, scale)
        if self.is_causal:
            mask = _shadow(tuple(scores.shape[-2:]), (scores._array if isinstance(scores, Variable) else scores).dtype)
            mask = wrap(mask) if isinstance(scores, Variable) else mask
        return scores if mask is None else scores + mask

    def _sent_in_halves(self, *given: Any) -> tuple[Array, ...]:
        """The gradients, where P and dL/dS are rounded before they are multiplied."""
        kind = given[0].dtype
        g, q, k, v, mask, logsumexp, z = _wide(*given)
        scale = 1 / math.sqrt(q.shape[-1]) if self.scale is None else self.scale
        p = np.exp(self._scores(q, k, mask) - np.where(logsumexp == -np.inf, 0, logsumexp)[..., None])
        to_s = p * (np.matmul(g, v.mT) - (g * z).sum(-1, keepdims=True))
        p, to_s = _wide(p.astype(kind), to_s.astype(kind))
        sent = np.matmul(to_s, k) * F32.type(scale), np.matmul(to_s.mT, q) * F32.type(scale), np.matmul(p.mT, g)
        return tuple(one.astype(kind) for one in sent)

    def backward(self, g: Any, q: Any, k: Any, v: Any, mask: Any, logsumexp: Any, z: Any) -> Any:
        if not isinstance(g, Variable) and g.dtype.itemsize == 2:
            return self._sent_in_halves(g, q, k, v, mask, logsumexp, z)
        scale = 1 / math.sqrt(q.shape[-1]) if self.scale is None else self.scale
        scores = self._scores(q, k, mask)
        if isinstance(g, Variable):
            p = apply1(SafeSoftmaxBackward0, scores, -1)
            times: Any = matmul
            z = times(p, v)
        else:
            p = np.exp(scores - np.where(logsumexp == -np.inf, 0, logsumexp)[..., None])
            times = halves.matmul
        to_p = times(g, formulas.swapped(v, -1, -2))
        to_s = formulas.times(p * (to_p - formulas.total(g * z, (-1,), True)), scale)
        return times(to_s, k), times(formulas.swapped(to_s, -1, -2), q), times(formulas.swapped(p, -1, -2), g)


def _wide(*arrays: Any) -> list[Any]:
    return [None if one is None else one.astype(F32) for one in arrays]


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """softmax(s Q Kᵀ + mask) V: each query gets the mean of the values, weighed by how well their keys match."""
    if autocast.used:
        query, key, value, attn_mask = autocast.lowered(query, key, value, attn_mask)
    applied = getattr(attn_mask, "_applied", None)  # of a mask that knows that it is causal
    if applied is not None:
        attn_mask, is_causal = applied(is_causal)
    _check(query, key, value, attn_mask, is_causal)
    if not query._array.shape[-2] or not value._array.size:
        return _of_nothing(query, key, value)
    if not (ways["math"] or ways["flash"]):
        raise RuntimeError(NO_WAY)
    if enable_gqa:
        repeats = query._array.shape[-3] // key._array.shape[-3]
        key, value = (one.repeat_interleave(repeats, -3) for one in (key, value))
    mask = _added(attn_mask, query)
    fused = ways["flash"] and _is_fused(query, key, value, attn_mask, dropout_p)
    if not (fused or ways["math"]):
        _tell_why_not_fused(query, key, value, dropout_p)
        raise RuntimeError("No available kernel.  Aborting execution.")
    if fused:
        operands = query, key, value, mask
        return apply_keeping(ScaledDotProductFlashAttentionForCpuBackward0, operands, is_causal, scale)
    if scale is None:
        width = query._array.shape[-1]
        scale = 1 / math.sqrt(width) if width else math.inf
    root = math.sqrt(scale)
    if is_causal:
        shape = query._array.shape[-2], key._array.shape[-2]
        mask = beside(_shadow(shape, query._array.dtype), query)
    kind = query.dtype
    if kind.itemsize == 2:  # in float32, and rounded once
        query, key, value = (one.to(float32) for one in (query, key, value))
        mask = None if mask is None else mask.to(float32)
    scores = matmul(query._times(root), key.transpose(-2, -1)._times(root))
    if mask is not None:
        scores = scores + mask
    weights = apply1(SafeSoftmaxBackward0, scores, -1)
    z = matmul(dropout(weights, dropout_p) if dropout_p else weights, value)
    return z.to(kind) if kind.itemsize == 2 else z


def _of_nothing(query: Any, key: Any, value: Any) -> Any:
    """Zeros, where there is no query or nothing to mix; all three get gradients of zeros."""
    zeros = beside(np.zeros((*query._array.shape[:-1], value._array.shape[-1]), query._array.dtype), query)
    v, k, q = value.sum(), key.sum(), query.sum()  # in PyTorch's order
    return zeros + (q + k + v)._times(0)


def _shadow(shape: tuple[int, ...], dtype: NumpyDtype) -> Array:
    """What is added to the scores so that no query looks at what comes after it."""
    return np.triu(np.full(shape, -np.inf, dtype), 1)


def _is_fused(query: Any, key: Any, value: Any, mask: Any, dropout_p: float) -> bool:
    """True where PyTorch has one node for all of it."""
    q, k, v = (one._array.shape for one in (query, key, value))
    alike = len(q) == len(k) == len(v) == 4 and q[:2] == k[:2] == v[:2] and q[3] == k[3] == v[3] and q[2] and k[2]
    rows = all(one._array.strides[-1] == one._array.itemsize for one in (query, key, value))
    return bool(alike) and rows and not dropout_p and (mask is None or (not mask._needs and mask._array.ndim in (2, 4)))


def _tell_why_not_fused(query: Any, key: Any, value: Any, dropout_p: float) -> None:
    """Warn as PyTorch does where a program allows the one node alone, and the operands do not."""
    warnings.warn("Flash attention kernel not used because:", UserWarning, stacklevel=users_level())
    for why, holds in _reasons(query, key, value, dropout_p):
        if holds:
            warnings.warn(why, UserWarning, stacklevel=users_level())
            break


def _reasons(query: Any, key: Any, value: Any, dropout_p: float) -> Iterator[tuple[str, bool]]:
    """What the one node asks of its operands, in turn, and whether they are not so."""
    given = query, key, value
    names, sizes = ("Query", "Key", "Value"), [list(one.shape) for one in given]
    yield "Both fused kernels do not support non-zero dropout.", dropout_p > 0
    told = ", ".join(f"{name} dim: {len(size)}" for name, size in zip(names, sizes, strict=True))
    asked = "All fused kernels requires query, key and value to be 4 dimensional, but got"
    yield f"{asked} {told} instead.", any(len(size) != 4 for size in sizes)
    hint = "instead. To broadcast dense inputs, try using unsqueeze and expand_to before passing them into the kernel."
    q, k, v = sizes
    asked = "both fused kernels require query, key and value to have the same"
    told = f"batch_size. Query.sizes(): {q}, Key.sizes(): {k}, Value.sizes(): {v}"
    yield f"For dense inputs, {asked} {told} {hint}", not q[0] == k[0] == v[0]
    told = f"num_heads. Query.sizes(): {q}, Key sizes(): {k}, Value sizes(): {v}"
    yield f"For dense input, {asked} {told} {hint}", not q[1] == k[1] == v[1]
    told = ", ".join(f"{name}.size(-1): {size[-1]}" for name, size in zip(names, sizes, strict=True))
    yield (
        f"Flash attention requires q,k,v to have the same last dimension. Got {told} instead.",
        (len({size[-1] for size in sizes}) > 1),
    )
    told = ", ".join(f"{name}.stride(-1): {one.stride(-1)}" for name, one in zip(names, given, strict=True))
    asked = "All fused kernels require the last dimension of the input to have stride 1. Got"
    yield f"{asked} {told}", any(one.stride(-1) != 1 for one in given)


def _added(mask: Any, query: Any) -> Any:
    """A mask as what is added to the scores: -inf where nothing may be looked at."""
    if mask is None or mask._array.dtype.kind != "b":
        return mask
    return beside(np.where(mask._array, 0, -np.inf).astype(query._array.dtype), query)


def _check(query: Any, key: Any, value: Any, mask: Any, is_causal: bool) -> None:
    q, k, v = (one._array for one in (query, key, value))
    if not q.dtype is k.dtype is v.dtype:
        kinds = [BY_NUMPY[one.dtype].cpp for one in (q, k, v)]
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {kinds[0]} key.dtype: "
            f"{kinds[1]} and value.dtype: {kinds[2]} instead."
        )
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {q.ndim} key.dim: "
            f"{k.ndim} and value.dim: {v.ndim} instead."
        )
    if mask is None:
        return
    if is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if mask._array.dtype.kind != "b" and mask._array.dtype not in (q.dtype, np.dtype(np.float32)):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{BY_NUMPY[mask._array.dtype].cpp} and  query.dtype: {BY_NUMPY[q.dtype].cpp} instead."
        )
