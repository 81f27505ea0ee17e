"""What goes with training, as `torch.utils` has it: data loading, checkpointing."""

from __future__ import annotations

from autograd_lab.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
