"""Masks that let no query look at what comes after it, which `scaled_dot_product_attention` knows by their name."""

from __future__ import annotations

import warnings
from enum import IntEnum, auto
from typing import Any

from autograd_lab.engine.numbers.dtypes import bool_
from autograd_lab.engine.tensor.factories import empty, ones
from autograd_lab.engine.tensor.overriding import disabled
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.whose import users_level

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]
NOTHING_TO_SEE = "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!"


class CausalVariant(IntEnum):
    """From which corner queries and keys are counted, where there are not as many of each."""

    UPPER_LEFT, LOWER_RIGHT = auto(), auto()


class CausalBias(Tensor):
    """Such a mask; its numbers are made where they are needed."""

    __torch_function__: Any = disabled  # attention itself knows it

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Any:
        return empty(int(variant), seq_len_q, seq_len_kv).as_subclass(cls)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warnings.warn(NOTHING_TO_SEE, UserWarning, stacklevel=users_level())

    def _materialize(self, device: Any = None) -> Any:
        """The mask as truth values: what may be looked at."""
        last = self.seq_len_kv - self.seq_len_q if self.variant == CausalVariant.LOWER_RIGHT else 0
        return ones(self.seq_len_q, self.seq_len_kv, dtype=bool_, device=device).tril(last)

    def _applied(self, is_causal: bool) -> tuple[Any, bool]:
        """For attention: a mask, or none and that it is causal, where that says the same."""
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        plain = self.seq_len_q == self.seq_len_kv or self.variant == CausalVariant.UPPER_LEFT
        return None if plain else self._materialize(), plain

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """The mask by which query i looks at keys up to i."""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask by which the last query looks at all keys, the one before it at all but the last, and so on."""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)


for _kind in (CausalVariant, CausalBias):
    _kind.__module__ = "torch.nn.attention.bias"  # where PyTorch has them
