"""NAdam: Adam that looks ahead by Nesterov's momentum (Dozat, 2016)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.kernels.fused import averaged_square, between, fused, wide
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim import recorded
from autograd_lab.optim.optimizer import (
    Descent,
    Group,
    Parameters,
    advance,
    check_betas,
    check_kinds,
    check_lr,
    checked,
    number,
    scalar_kind,
)


class NAdam(Descent):
    """Adam, where the mean of the gradients is the one that the next step will have."""

    recorded = staticmethod(recorded.nadam)
    captured = "params, mu_products and state_steps"

    def __init__(
        self, params: Parameters, lr: Any = 2e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr), eps=eps)
        check_betas(betas)
        checked(weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, None, differentiable, self.recorded)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, lr, decay, writes = parameter._array, number(group["lr"]), group["weight_decay"], 2
        first, second = map(number, group["betas"])
        steps = self._counted(parameter)
        if decay and group["decoupled_weight_decay"]:
            p *= 1 - lr * decay
            writes = 3
        elif decay:
            gradient = fused(gradient, p.dtype.type(decay), p)
        now, after = (first * (1 - 0.5 * 0.96 ** (count * group["momentum_decay"])) for count in (steps, steps + 1))
        product = self._product(parameter, now)
        mean = self._kept(parameter, "exp_avg", 1)
        mean[...] = between(mean, gradient, wide(mean).dtype.type(1 - first))
        square = self._kept(parameter, "exp_avg_sq", 2)
        averaged_square(square, second, gradient)
        size = np.sqrt(square / (1 - second**steps).astype(p.dtype)) + group["eps"]
        p -= (lr * (1 - now) / (1 - product)).astype(p.dtype) * gradient / size
        p -= (lr * after / (1 - product * after)).astype(p.dtype) * mean / size
        overwritten(parameter, "addcdiv_", writes)

    def _product(self, parameter: Any, momentum: Array) -> Array:
        """All momenta so far, multiplied, in float64."""
        product = self.state[parameter].setdefault("mu_product", wrap(np.ones((), scalar_kind())))
        advance(product)
        product._array *= momentum.astype(product._array.dtype)
        multiplied: Array = product._array.astype(np.float64)
        return multiplied
