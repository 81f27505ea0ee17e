"""Attention with several heads, and linear layers before and after it: what `nn.MultiheadAttention` computes."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.exact.elementless import beside
from autograd_lab.engine.numbers.dtypes import Size
from autograd_lab.engine.ops.activation.probabilities import softmax
from autograd_lab.engine.ops.layer.attention import scaled_dot_product_attention
from autograd_lab.engine.ops.layer.dropout import dropout
from autograd_lab.engine.ops.layer.linear import linear
from autograd_lab.engine.ops.layer.padding import pad
from autograd_lab.engine.ops.matrix.contraction import baddbmm
from autograd_lab.engine.ops.matrix.products import bmm
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any,
    in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor,
    out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None, need_weights: bool = True,
    attn_mask: Any = None, use_separate_proj_weight: bool = False, q_proj_weight: Any = None,
    k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Attention in `num_heads` heads; the sequence is dimension 0. Its result, and the weights if wanted."""
    batched = _is_batched(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (one.unsqueeze(1) for one in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, width = query._array.shape
    key_padding_mask = added_mask(key_padding_mask, "key_padding_mask", query, attn_mask)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask, is_causal = added_mask(attn_mask, "attn_mask", query), is_causal and key_padding_mask is None
    _check_widths(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        biases = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        weights = q_proj_weight, k_proj_weight, v_proj_weight
        q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
    else:
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    attn_mask = _checked_mask(attn_mask, (batch * num_heads, length, key._array.shape[0]))
    if bias_k is not None and bias_v is not None:
        k, v = cat([k, bias_k.repeat(1, batch, 1)]), cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _wider(attn_mask), _wider(key_padding_mask)
    q, k, v = (
        one.view(one._array.shape[0], batch * num_heads, width // num_heads).transpose(0, 1) for one in (q, k, v)
    )
    k, v = k if static_k is None else static_k, v if static_v is None else static_v
    if add_zero_attn:
        nothing = beside(np.zeros((batch * num_heads, 1, width // num_heads), k._array.dtype), k)
        k, v = cat([k, nothing], 1), cat([v, nothing], 1)
        attn_mask, key_padding_mask = _wider(attn_mask), _wider(key_padding_mask)
    mask = _merged(attn_mask, key_padding_mask, batch, num_heads, k._array.shape[1])
    rate = dropout_p if training else 0.0
    heads = batch, num_heads, length, width
    attend: Any = _with_weights if need_weights else _without_weights
    mixed, shares = attend(q, k, v, mask, rate, is_causal, heads)
    result = linear(mixed, out_proj_weight, out_proj_bias)
    result = result.view(length, batch, result._array.shape[1])
    if shares is not None:
        shares = shares.view(batch, num_heads, length, shares._array.shape[-1])
        shares = shares.mean(dim=1) if average_attn_weights else shares
    if not batched:
        result, shares = result.squeeze(1), None if shares is None else shares.squeeze(0)
    return result, shares


Heads = tuple[int, int, int, int]


def _with_weights(q: Any, k: Any, v: Any, mask: Any, rate: float, causal: bool, heads: Heads) -> tuple[Any, Any]:
    """Step by step, since the weights are wanted."""
    batch, _, length, width = heads
    q = q * math.sqrt(1 / q._array.shape[-1])
    scores = bmm(q, k.transpose(-2, -1)) if mask is None else baddbmm(mask, q, k.transpose(-2, -1))
    weights = softmax(scores, -1)
    weights = dropout(weights, rate) if rate else weights
    mixed = bmm(weights, v).transpose(0, 1).reshape(length * batch, width)
    return mixed, weights


def _without_weights(q: Any, k: Any, v: Any, mask: Any, rate: float, causal: bool, heads: Heads) -> tuple[Any, None]:
    """In one node, where there is one."""
    batch, count, length, width = heads
    if mask is not None:
        single = mask._array.shape[0] == 1 and mask._array.ndim == 3
        mask = mask.unsqueeze(0) if single else mask.view(batch, count, -1, k._array.shape[1])
    q, k, v = (one.view(batch, count, one._array.shape[1], width // count) for one in (q, k, v))
    mixed = scaled_dot_product_attention(q, k, v, mask, rate, causal)
    return mixed.permute(2, 0, 1, 3).reshape(batch * length, width), None


def _projected(query: Any, key: Any, value: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """Queries, keys and values of one matrix that has the rows for all three."""
    width = query._array.shape[-1]
    if key is value and query is key:
        q, k, v = _parts(linear(query, weight, bias), 3, width)
        return q, k, v
    if key is value:
        weights, biases = weight.split([width, 2 * width]), (None, None)
        biases = biases if bias is None else bias.split([width, 2 * width])
        k, v = _parts(linear(key, weights[1], biases[1]), 2, width)
        return linear(query, weights[0], biases[0]), k, v
    three = (None,) * 3 if bias is None else bias.chunk(3)
    q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), three, strict=True))
    return q, k, v


def _parts(packed: Any, count: int, width: int) -> list[Any]:
    """What stands side by side in the last dimension, each in memory of its own."""
    split = packed.unflatten(-1, (count, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return [split[at] for at in range(count)]


def added_mask(mask: Any, name: str, query: Any, other: Any = None, other_name: str = "attn_mask") -> Any:
    """A mask as what is added to the scores: -inf where nothing may be looked at."""
    if mask is None:
        return None
    kind = mask._array.dtype.kind
    if kind not in "bf":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and other._array.dtype != mask._array.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            UserWarning,
            stacklevel=users_level(),
        )
    return mask if kind in "fV" else beside(np.where(mask._array, -np.inf, 0).astype(query._array.dtype), query)


def _wider(mask: Any) -> Any:
    return None if mask is None else pad(mask, (0, 1))


def _checked_mask(mask: Any, full: tuple[int, int, int]) -> Any:
    if mask is None:
        return None
    shape = mask._array.shape
    if len(shape) not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {len(shape)} is not supported")
    wanted = full[-len(shape) :]
    if shape != wanted:
        raise RuntimeError(f"The shape of the {len(shape)}D attn_mask is {Size(shape)}, but should be {wanted}.")
    return mask.unsqueeze(0) if len(shape) == 2 else mask


def _merged(mask: Any, padding: Any, batch: int, heads: int, length: int) -> Any:
    """One mask of both: what queries may not look at, and keys that only fill up."""
    if padding is None:
        return mask
    for at, wanted in enumerate((batch, length)):
        if padding._array.shape[at] != wanted:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{at}] to be {wanted}, but got {padding._array.shape[at]}"
            )
    padding = padding.view(batch, 1, 1, length).expand(-1, heads, -1, -1).reshape(batch * heads, 1, length)
    return padding if mask is None else mask + padding


def _check_widths(query: Any, key: Any, value: Any, expected: int, heads: int, separate: bool) -> None:
    width, k, v = query._array.shape[-1], key._array.shape, value._array.shape
    if width != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {width}")
    if width % heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {heads}")
    if separate and k[:2] != v[:2]:
        raise AssertionError(f"key's sequence and batch dims {Size(k[:2])} do not match value's {Size(v[:2])}")
    if not separate and k != v:
        raise AssertionError(f"key shape {Size(k)} does not match value shape {Size(v)}")


def _is_batched(query: Any, key: Any, value: Any, padding: Any, mask: Any, heads: int) -> bool:
    q, k, v = (one._array.ndim for one in (query, key, value))
    if q not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {q}-D query tensor")
    kind = "batched (3-D)" if q == 3 else "unbatched (2-D)"
    if (k, v) != (q, q):
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {q}-D but found {k}-D and {v}-D tensors respectively"
        )
    if padding is not None and padding._array.ndim != q - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {q - 1}-D but found "
            f"{padding._array.ndim}-D tensor instead"
        )
    if mask is not None and mask._array.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask._array.ndim}-D tensor "
            "instead"
        )
    if q == 2 and mask is not None and mask._array.ndim == 3:
        wanted = (heads, query._array.shape[0], key._array.shape[0])
        if mask._array.shape != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {Size(mask._array.shape)}")
    return bool(q == 3)
