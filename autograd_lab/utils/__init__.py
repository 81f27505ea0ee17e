"""What goes with training, as `torch.utils` has it: data loading, checkpointing, timing."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from autograd_lab.utils import checkpoint, data

if TYPE_CHECKING:
    from autograd_lab.utils import benchmark as benchmark
    from autograd_lab.utils import dlpack as dlpack

__all__ = ["checkpoint", "data"]


def __getattr__(name: str) -> Any:
    """What few ask for is not imported before."""
    if name in ("_pytree", "benchmark", "dlpack"):
        return importlib.import_module(f"autograd_lab.utils.{name}")
    if name == "swap_tensors":
        return importlib.import_module("autograd_lab.nn.conversion").swap_tensors
    if (known := sys.modules.get(f"{__name__}.{name}")) is not None:
        return known  # as `torch.utils.hooks`, which is another module here
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
