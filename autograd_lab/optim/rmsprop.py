"""RMSprop: each element's step is divided by the size that its gradients have had lately."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.kernels.fused import averaged_square, between, fused, wide
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim import recorded
from autograd_lab.optim.optimizer import (
    Descent,
    Group,
    Parameters,
    check_kinds,
    check_lr,
    checked,
    number,
)


class RMSprop(Descent):
    """p becomes p - lr g / (√v + eps), where v is a running mean of g²."""

    recorded = staticmethod(recorded.rmsprop)

    def __init__(
        self, params: Parameters, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr), eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, None, differentiable, self.recorded)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, lr, alpha = parameter._array, number(group["lr"]), group["alpha"]
        self._counted(parameter)
        if group["weight_decay"]:
            gradient = fused(gradient, p.dtype.type(group["weight_decay"]), p)
        square = self._kept(parameter, "square_avg", 2)
        averaged_square(square, alpha, gradient)
        velocity = self._kept(parameter, "momentum_buffer", 2) if group["momentum"] > 0 else None
        if group["centered"]:
            mean = self._kept(parameter, "grad_avg", 1)
            mean[...] = between(mean, gradient, wide(mean).dtype.type(1 - alpha))
            square = fused(square, -mean, mean)
        size = np.sqrt(square) + group["eps"]
        if velocity is None:
            p -= lr * gradient / size
            overwritten(parameter, "addcdiv_")
        else:
            velocity *= group["momentum"]
            velocity += gradient / size
            p[...] = fused(p, p.dtype.type(-lr), velocity)
            overwritten(parameter, "add_")
