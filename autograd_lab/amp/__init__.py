"""Mixed precision, as `torch.amp` has it: `autocast` regions, and the scaling of losses."""

from __future__ import annotations

from autograd_lab.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from autograd_lab.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
