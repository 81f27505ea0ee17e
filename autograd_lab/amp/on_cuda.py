"""`torch.cuda.amp`: the older names of mixed precision, which say so, and do nothing without a GPU."""

from __future__ import annotations

import warnings
from typing import Any

from autograd_lab.amp import autocast_mode, grad_scaler
from autograd_lab.engine.numbers import dtypes
from autograd_lab.whose import users_level

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def _warn(name: str, instead: str) -> None:
    told = f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{instead}` instead."
    warnings.warn(told, FutureWarning, stacklevel=users_level())


class autocast(autocast_mode.autocast):
    """`torch.amp.autocast("cuda")`."""

    def __init__(self, enabled: bool = True, dtype: Any = dtypes.float16, cache_enabled: bool = True) -> None:
        _warn("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """`torch.amp.GradScaler("cuda")`."""

    def __init__(
        self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
        growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        _warn("GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Any = None, **named: Any) -> Any:
    """`torch.amp.custom_fwd(device_type="cuda")`."""
    _warn("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return autocast_mode.custom_fwd(fwd, device_type="cuda", **named)


def custom_bwd(bwd: Any = None) -> Any:
    """`torch.amp.custom_bwd(device_type="cuda")`."""
    _warn("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return autocast_mode.custom_bwd(bwd, device_type="cuda")


autocast.__module__ = "torch.cuda.amp.autocast_mode"  # which is what printing one shows, as in PyTorch
GradScaler.__module__ = "torch.cuda.amp.grad_scaler"
