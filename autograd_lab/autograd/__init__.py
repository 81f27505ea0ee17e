"""Gradients on demand, as in `torch.autograd`."""

from __future__ import annotations

from autograd_lab.autograd import anomaly_mode, forward_ad, function, functional, grad_mode, graph, profiler
from autograd_lab.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from autograd_lab.autograd.function import Function
from autograd_lab.autograd.gradcheck import gradcheck, gradgradcheck
from autograd_lab.autograd.graph import _unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from autograd_lab.autograd.variable import Variable
from autograd_lab.engine.exact.gradients import backward, grad
from autograd_lab.engine.exact.saving import SavedTensor as SavedTensor
from autograd_lab.engine.modes.grad_mode import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from autograd_lab.engine.modes.grad_mode import is_multithreading_enabled as is_multithreading_enabled

__all__ = [
    "Function",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "profiler",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
