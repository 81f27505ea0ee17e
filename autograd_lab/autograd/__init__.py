"""Gradients on demand, as in `torch.autograd`."""

from __future__ import annotations

from autograd_lab.autograd import graph
from autograd_lab.autograd.function import Function
from autograd_lab.engine.gradients import backward, grad
from autograd_lab.engine.modes import enable_grad, no_grad, set_grad_enabled

__all__ = ["Function", "backward", "enable_grad", "grad", "graph", "no_grad", "set_grad_enabled"]
