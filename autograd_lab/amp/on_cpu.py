"""`torch.cpu.amp`: the older names of mixed precision on the processor, which say so."""

from __future__ import annotations

import warnings
from typing import Any

from autograd_lab.amp import autocast_mode, grad_scaler
from autograd_lab.engine.numbers import dtypes
from autograd_lab.whose import users_level

__all__ = ["GradScaler", "autocast"]


def _warn(name: str) -> None:
    told = f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` instead."
    warnings.warn(told, FutureWarning, stacklevel=users_level())


class autocast(autocast_mode.autocast):
    """`torch.amp.autocast("cpu")`."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        _warn("autocast")
        dtype = dtypes.bfloat16() if dtype is None else dtype  # not there before somebody asks for it
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """`torch.amp.GradScaler("cpu")`."""

    def __init__(
        self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
        growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        _warn("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


autocast.__module__ = "torch.cpu.amp.autocast_mode"  # which is what printing one shows, as in PyTorch
GradScaler.__module__ = "torch.cpu.amp.grad_scaler"
