"""Adadelta: each element's step is as large as its steps were, in relation to its gradients (Zeiler, 2012)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.kernels.fused import averaged_square, fused
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim import recorded
from autograd_lab.optim.optimizer import DEVICES, Descent, Group, Parameters, check_kinds, check_lr, checked, number


class Adadelta(Descent):
    """p becomes p - lr d, where d = g √(u + eps) / √(v + eps); v and u are running means of g² and of d²."""

    recorded = staticmethod(recorded.adadelta)
    devices = DEVICES[:-1]

    def __init__(
        self, params: Parameters, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr))
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        checked(eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, None, differentiable, self.recorded)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, rho, eps = parameter._array, group["rho"], group["eps"]
        self._counted(parameter)
        if group["weight_decay"]:
            gradient = fused(gradient, p.dtype.type(group["weight_decay"]), p)
        square = self._kept(parameter, "square_avg", 2)
        averaged_square(square, rho, gradient)
        moved = self._kept(parameter, "acc_delta", 2)
        delta = np.sqrt(moved + eps) / np.sqrt(square + eps) * gradient
        averaged_square(moved, rho, delta)
        p[...] = fused(p, p.dtype.type(-number(group["lr"])), delta)
        overwritten(parameter, "add_")
