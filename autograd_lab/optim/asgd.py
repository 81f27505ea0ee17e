"""ASGD: gradient descent that also keeps the mean of all places it came to (Polyak and Juditsky, 1992)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim.optimizer import (
    Descent,
    Group,
    Parameters,
    advance,
    check_kinds,
    check_lr,
    checked,
    number,
    scalar_kind,
)


class ASGD(Descent):
    """p becomes (1 - lambd eta) p - eta g; the state `ax` is the mean of p since step t0."""

    captured = "params, mus, etas, and state_steps"

    def __init__(
        self, params: Parameters, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr), weight_decay=weight_decay)
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, None, differentiable)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, lr, lambd = parameter._array, number(group["lr"]), group["lambd"]
        steps = self._counted(parameter)
        eta, mu = self._scalar(parameter, "eta", lr), self._scalar(parameter, "mu", 1.0)
        if group["weight_decay"]:
            gradient = fused(gradient, p.dtype.type(group["weight_decay"]), p)
        p *= (1 - lambd * eta.astype(np.float64)).astype(p.dtype)
        p[...] = fused(p, -eta.astype(p.dtype), gradient)
        overwritten(parameter, "add_", 2)
        mean = self._kept(parameter, "ax", 1)
        mean[...] = np.where(mu == 1, p, mean + (p - mean) * mu.astype(p.dtype))
        eta[...] = lr / (1 + lambd * lr * steps) ** group["alpha"]
        mu[...] = 1 / np.maximum(1, steps - group["t0"])

    def _scalar(self, parameter: Any, name: str, first: float) -> Array:
        """A state of one number, that is about to be written to."""
        kept = self.state[parameter].setdefault(name, wrap(np.asarray(first, scalar_kind())))
        advance(kept)
        array: Array = kept._array
        return array
