"""What programs set and ask of a GPU's libraries: kept as it was set, and nothing changes by it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from autograd_lab.backends.cudnn import is_available as is_built
from autograd_lab.engine.ops.layer.attention import ways

__all__ = ["can_use_flash_attention", "is_built", "is_flash_attention_available", "matmul", "sdp_kernel"]

matmul = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
    fp32_precision="none",
)
"""How a GPU would multiply matrices."""
cufft_plan_cache = SimpleNamespace(size=0, max_size=0)


LEFT = (
    "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
    "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature."
)


def _asks(way: str) -> Callable[[], bool]:
    return lambda: ways[way]


def _sets(way: str) -> Callable[[bool], None]:
    return lambda enabled: ways.update({way: bool(enabled)})


globals().update({f"{way}_sdp_enabled": _asks(way) for way in ways})
globals().update({f"enable_{way}_sdp": _sets(way) for way in ways})


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[dict[str, Any]]:
    """Inside, attention may be computed in these ways alone."""
    warnings.warn(LEFT, FutureWarning, stacklevel=2)  # where PyTorch's points to: at what makes the context
    return _only(enable_flash, enable_mem_efficient, enable_math, enable_cudnn)


def _only(*allowed: bool) -> Iterator[dict[str, Any]]:
    before = dict(ways)
    ways.update(zip(before, allowed, strict=True))
    try:
        yield {}
    finally:
        ways.update(before)


def is_flash_attention_available() -> bool:
    """False: this engine computes on the CPU."""
    return False


def can_use_flash_attention(params: Any, debug: bool = False) -> bool:
    """False: this engine computes on the CPU."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention
