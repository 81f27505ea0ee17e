"""Adamax: Adam with the largest gradient in the place of the mean of squares (Kingma and Ba, 2014, section 7.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.kernels.fused import between, fused, wide
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim import recorded
from autograd_lab.optim.optimizer import Descent, Group, Parameters, check_betas, check_kinds, check_lr, checked, number


class Adamax(Descent):
    """p becomes p - lr m / u, where m is a running mean of g and u its largest size, which fades by the second beta."""

    recorded = staticmethod(recorded.adamax)

    def __init__(
        self, params: Parameters, lr: Any = 2e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr), eps=eps)
        check_betas(betas)
        checked(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, None, differentiable, self.recorded)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, (first, second) = parameter._array, map(number, group["betas"])
        steps = self._counted(parameter)
        if group["weight_decay"]:
            gradient = fused(gradient, p.dtype.type(group["weight_decay"]), p)
        mean = self._kept(parameter, "exp_avg", 1)
        mean[...] = between(mean, gradient, wide(mean).dtype.type(1 - first))
        largest = self._kept(parameter, "exp_inf", 2)
        largest *= second
        np.maximum(largest, np.abs(gradient) + group["eps"], out=largest)
        rate = (number(group["lr"]) / (1 - first**steps)).astype(p.dtype)
        p -= rate * mean / largest
        overwritten(parameter, "addcdiv_")
