"""`MultiheadAttention`, and the encoder layers that are built of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn import init
from autograd_lab.nn.container import ModuleList
from autograd_lab.nn.dropout import Dropout
from autograd_lab.nn.linear import Linear
from autograd_lab.nn.module import Module
from autograd_lab.nn.normalization import LayerNorm
from autograd_lab.nn.parameter import Parameter, fresh

NOT_NESTED = "enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer"


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear` by the name that PyTorch prints for the output of attention."""


class MultiheadAttention(Module):
    """Each query gets a mean of the values, weighted by softmax(query · keys); so in each head, a part of them."""

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            got = f"got embed_dim={embed_dim} and num_heads={num_heads} instead"
            raise ValueError(f"embed_dim and num_heads must be greater than 0, {got}")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim == self.vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        same = self._qkv_same_embed_dim
        self.register_parameter("in_proj_weight", fresh(3 * embed_dim, embed_dim, dtype=dtype) if same else None)
        for name, columns in {"q": embed_dim, "k": self.kdim, "v": self.vdim}.items():
            weight = None if same else fresh(embed_dim, columns, dtype=dtype)
            self.register_parameter(f"{name}_proj_weight", weight)
        self.register_parameter("in_proj_bias", fresh(3 * embed_dim, dtype=dtype) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, fresh(1, 1, embed_dim, dtype=dtype) if add_bias_kv else None)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name, parameter in self._parameters.items():
            if parameter is not None and name.endswith("proj_weight"):
                init.xavier_uniform_(parameter)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """What attention gives for each query, and the weights if they are needed."""
        swapped = self.batch_first and query.dim() == 3
        if swapped:
            turned = {id(one): one for one in (query, key, value)}  # the same tensor is turned once
            turned = {name: one.transpose(1, 0) for name, one in turned.items()}
            query, key, value = (turned[id(one)] for one in (query, key, value))
        projections = {f"{name}_proj_weight": self._parameters[f"{name}_proj_weight"] for name in "qkv"}
        out, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights,
            attn_mask=attn_mask, use_separate_proj_weight=not self._qkv_same_embed_dim,
            average_attn_weights=average_attn_weights, is_causal=is_causal, **projections,
        )  # fmt: skip
        return (out.transpose(1, 0) if swapped else out), weights


class TransformerEncoderLayer(Module):
    """Attention and two linear layers, each added to what went in, and normalized."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        kinds = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **kinds
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **kinds)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **kinds)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kinds)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kinds)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation) if isinstance(activation, str) else activation

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Any:  # fmt: skip
        attend = {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask, "is_causal": is_causal}
        x = src
        if self.norm_first:
            x = x + self._attention(self.norm1(x), attend)
            return x + self._feed_forward(self.norm2(x))
        x = self.norm1(x + self._attention(x, attend))
        return self.norm2(x + self._feed_forward(x))

    def _attention(self, x: Tensor, attend: dict[str, Any]) -> Any:
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **attend)[0])

    def _feed_forward(self, x: Tensor) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def _activation(name: str) -> Callable[[Tensor], Tensor]:
    if name not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {name}")
    return F.relu if name == "relu" else F.gelu


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after another."""

    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = ModuleList([deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm
        if enable_nested_tensor and (reason := _why_not_nested(encoder_layer)):
            warnings.warn(NOT_NESTED + reason, UserWarning, stacklevel=2)

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=bool(is_causal), src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


def _why_not_nested(layer: Any) -> str:
    """What PyTorch says of layers for which it has no fast path; here none is needed."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    if layer.norm_first:
        return ".norm_first was True"
    if not layer.self_attn.batch_first:
        return ".self_attn.batch_first was not True(use batch_first for better inference performance)"
    if layer.self_attn.in_proj_bias is None:
        return ".self_attn was passed bias=False"
    return ".self_attn.num_heads is odd" if layer.self_attn.num_heads % 2 else ""
