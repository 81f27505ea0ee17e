"""The switches for recording, under the name of PyTorch's module for them."""

from __future__ import annotations

from autograd_lab.engine.modes.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]
