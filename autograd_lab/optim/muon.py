"""Muon: steps of matrices, made orthogonal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import F32, Array, Size
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim.optimizer import Descent, Group, Parameters, check_lr, number

WAYS = (None, "original", "match_rms_adamw")
"""How the learning rate may depend on the shape of the matrix."""


class Muon(Descent):
    """p becomes p - lr O, where O is the orthogonal matrix nearest to a running mean of g, or close to it."""

    def __init__(
        self, params: Parameters, lr: Any = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95,
        nesterov: bool = True, ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7, ns_steps: int = 5, adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        for name, value in {"Learning rate": lr, "momentum": momentum, "weight decay": weight_decay}.items():
            if not number(value) >= 0:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in WAYS:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.ndim != 2:
                    size = Size(parameter._array.shape)
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {size}")

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, lr, momentum = parameter._array, number(group["lr"]), group["momentum"]
        mean = self._kept(parameter, "momentum_buffer", 1)
        mean += (1 - momentum) * (gradient - mean)
        step = gradient + momentum * (mean - gradient) if group["nesterov"] else mean
        step = orthogonal(step, group["ns_coefficients"], group["ns_steps"], group["eps"])
        p *= 1 - lr * group["weight_decay"]
        p -= lr * _scale(group["adjust_lr_fn"], *p.shape) * step.astype(p.dtype)
        overwritten(parameter, "add_", 2)


def orthogonal(g: Array, coefficients: tuple[float, float, float], steps: int, eps: float) -> Array:
    """A matrix with the singular vectors of g, and singular values near 1: Newton and Schulz's iteration, in bfloat16.

    Raises ValueError for too many steps, or if there are not three coefficients.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = map(np.float32, coefficients)
    x = rounded(g.T if len(g) > g.shape[1] else g)
    x = rounded(x / np.maximum(rounded(np.sqrt(np.sum(x * x, dtype=F32))), np.float32(eps)))
    for _ in range(steps):
        gram = rounded(x @ x.T)
        x = rounded(a * x + rounded(b * gram + c * (gram @ gram)) @ x)
    return x.T if len(g) > g.shape[1] else x


def rounded(x: Array) -> Array:
    """The nearest numbers of bfloat16, in float32: half of the bits, the last of them rounded to even."""
    bits = np.ascontiguousarray(x, F32).view(np.uint32)
    kept = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isfinite(x), kept.astype(np.uint32).view(F32), np.asarray(x, F32)).reshape(np.shape(x))


def _scale(way: str | None, rows: int, columns: int) -> float:
    """What the learning rate is multiplied by."""
    if way == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))
