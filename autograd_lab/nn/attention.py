"""`MultiheadAttention`; and `sdpa_kernel`, by which programs ask for a way to compute it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from autograd_lab.engine.ops.layer.attention import ways
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn import init
from autograd_lab.nn.linear import Linear
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import Parameter, fresh


class SDPBackend(Enum):
    """Ways to compute attention: on a CPU there are MATH and FLASH_ATTENTION."""

    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION, OVERRIDEABLE = range(-1, 5)


FLAGS = {
    "MATH": "math",
    "FLASH_ATTENTION": "flash",
    "EFFICIENT_ATTENTION": "mem_efficient",
    "CUDNN_ATTENTION": "cudnn",
}


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[dict[str, Any]]:
    """Inside, attention may be computed in these ways alone; their order is not asked for."""
    if not isinstance(backends, list | SDPBackend):
        wanted = "an instance of SDPBackend or a list of SDPBackend instances"
        raise AssertionError(f"Backend must be {wanted}, got {type(backends).__name__}")
    asked = {FLAGS.get(one.name) for one in (backends if isinstance(backends, list) else [backends])}
    before = dict(ways)
    ways.update({way: way in asked for way in ways})
    try:
        yield {}
    finally:
        ways.update(before)


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
        self.register_parameter(
            "in_proj_weight", fresh(3 * embed_dim, embed_dim, dtype=dtype, device=device) if same else None
        )
        for name, columns in {"q": embed_dim, "k": self.kdim, "v": self.vdim}.items():
            weight = None if same else fresh(embed_dim, columns, dtype=dtype, device=device)
            self.register_parameter(f"{name}_proj_weight", weight)
        self.register_parameter("in_proj_bias", fresh(3 * embed_dim, dtype=dtype, device=device) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, fresh(1, 1, embed_dim, dtype=dtype, device=device) if add_bias_kv else None)
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


MultiheadAttention.__module__ = "torch.nn.modules.activation"  # where PyTorch has it
NonDynamicallyQuantizableLinear.__module__ = "torch.nn.modules.linear"
