"""Rprop: each element has a step size of its own, and of the gradient only the sign counts (Riedmiller, 1993)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim.optimizer import Descent, Group, Parameters, advance, check_kinds, check_lr, checked, number


class Rprop(Descent):
    """A step grows while the gradient keeps its sign, and shrinks, and is left out once, when that changes."""

    def __init__(
        self, params: Parameters, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr))
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, None, differentiable)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, (shrink, grow) = parameter._array, group["etas"]
        self._counted(parameter)
        before = self._kept(parameter, "prev", 1)
        size = self.state[parameter].get("step_size")
        if size is None:
            size = self.state[parameter]["step_size"] = wrap(np.full_like(p, number(group["lr"])))
        advance(size, 2)
        agreement = gradient * before
        size._array *= np.where(agreement > 0, grow, np.where(agreement < 0, shrink, 1)).astype(p.dtype)
        np.clip(size._array, *group["step_sizes"], out=size._array)
        gradient = np.where(agreement < 0, 0, gradient)
        p -= np.sign(gradient) * size._array
        overwritten(parameter, "addcmul_")
        before[...] = gradient
