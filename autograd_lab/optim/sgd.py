"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.kernels.fused import fused, wide
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
    check_negative,
    number,
)


class SGD(Descent):
    """p becomes p - lr g; with momentum, p - lr v, where v becomes momentum v + g."""

    recorded = staticmethod(recorded.sgd)

    def __init__(
        self, params: Parameters, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: Any = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check_negative(lr=number(lr), momentum=momentum, weight_decay=weight_decay)
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused,
        }  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        check_kinds(foreach, fused, differentiable, self.recorded)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, momentum = parameter._array, group["momentum"]
        if group["weight_decay"]:
            gradient = fused(gradient, p.dtype.type(group["weight_decay"]), p)
        if momentum:
            state = self.state[parameter]
            if state.get("momentum_buffer") is None:
                velocity = np.array(gradient)
                state["momentum_buffer"] = wrap(velocity)
            else:
                velocity = state["momentum_buffer"]._array
                velocity[...] = wide(velocity) * momentum
                velocity[...] = fused(velocity, p.dtype.type(1 - group["dampening"]), gradient)
                advance(state["momentum_buffer"], 2)
            gradient = fused(gradient, p.dtype.type(momentum), velocity) if group["nesterov"] else velocity
        p[...] = fused(p, p.dtype.type(-number(group["lr"])), gradient)
        overwritten(parameter, "add_")
