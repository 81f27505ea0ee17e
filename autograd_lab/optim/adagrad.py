"""Adagrad: each element's step is divided by the size that all its gradients had together."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim import recorded
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


class Adagrad(Descent):
    """p becomes p - lr g / (√s + eps), where s is the sum of all g² so far."""

    recorded = staticmethod(recorded.adagrad)

    def __init__(
        self, params: Parameters, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(
            lr=number(lr), lr_decay=lr_decay, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, eps=eps,
        )  # fmt: skip
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, fused, differentiable, self.recorded)
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter] = self._begun(parameter)

    def _begun(self, parameter: Any) -> dict[str, Any]:
        """What a parameter's state is at first, whatever its group says."""
        total = np.full_like(parameter._array, self.defaults["initial_accumulator_value"])
        return {"step": wrap(np.zeros((), scalar_kind())), "sum": wrap(total)}

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p = parameter._array
        if not self.state[parameter]:  # of a group that was added later
            self.state[parameter].update(self._begun(parameter))
        steps = self._counted(parameter)
        if group["weight_decay"]:
            gradient = fused(gradient, p.dtype.type(group["weight_decay"]), p)
        rate = (number(group["lr"]) / (1 + (steps - 1) * group["lr_decay"])).astype(p.dtype)
        total = self.state[parameter]["sum"]
        total._array[...] = fused(total._array, gradient, gradient)
        advance(total)
        p -= rate * gradient / (np.sqrt(total._array) + group["eps"])
        overwritten(parameter, "addcdiv_")
