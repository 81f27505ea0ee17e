"""RAdam: Adam that does without the mean of squares while it knows too few of them (Liu et al., 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.kernels.fused import averaged_square, between, fused, wide
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim import recorded
from autograd_lab.optim.optimizer import Descent, Group, Parameters, check_betas, check_kinds, check_lr, checked, number


class RAdam(Descent):
    """Adam, whose step is scaled by how much the mean of squares can be trusted, and by nothing while it cannot."""

    recorded = staticmethod(recorded.radam)

    def __init__(
        self, params: Parameters, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr), eps=eps)
        check_betas(betas)
        checked(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, None, differentiable, self.recorded)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, lr, decay, writes = parameter._array, number(group["lr"]), group["weight_decay"], 1
        first, second = map(number, group["betas"])
        steps = self._counted(parameter)
        if decay and group["decoupled_weight_decay"]:
            p *= 1 - lr * decay
            writes = 2
        elif decay:
            gradient = fused(gradient, p.dtype.type(decay), p)
        mean = self._kept(parameter, "exp_avg", 1)
        mean[...] = between(mean, gradient, wide(mean).dtype.type(1 - first))
        square = self._kept(parameter, "exp_avg_sq", 2)
        averaged_square(square, second, gradient)
        move = mean / (1 - first**steps).astype(p.dtype) * lr
        trust = rectification(steps, second)
        if trust is not None:
            correction = np.sqrt(1 - second**steps).astype(p.dtype)
            move = move * (1 / (np.sqrt(square) + group["eps"]) * correction) * trust.astype(p.dtype)
        p -= move
        overwritten(parameter, "add_", writes)


def rectification(steps: Array, decay: float) -> Array | None:
    """By how much the mean of squares can be trusted after so many steps; None, if not at all."""
    longest = 2 / (1 - decay) - 1
    length = longest - 2 * steps * decay**steps / (1 - decay**steps)
    if length <= 5:
        return None
    trust: Array = np.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
    return trust
