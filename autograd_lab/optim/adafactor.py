"""Adafactor: of the squares of a matrix's gradients it keeps the means of rows and of columns alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, finfo
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim.optimizer import Descent, Group, Parameters, advance, check_lr, number


class Adafactor(Descent):
    """p becomes p - α u for u = g / √v, clipped, where v is estimated from its means over rows and over columns."""

    def __init__(
        self, params: Parameters, lr: Any = 1e-2, beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
        foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        for wrong, name, bound, value in (
            (not number(lr) >= 0, "Learning rate", ">= 0", lr),
            (not beta2_decay <= 0, "beta2_decay", "<= 0", beta2_decay),
            (eps[0] is not None and not eps[0] >= 0, "epsilon1", ">= 0", eps[0]),
            (not eps[1] >= 0, "epsilon2", ">= 0", eps[1]),
            (not d >= 1, "Clipping threshold d", ">= 1", d),
            (not weight_decay >= 0, "weight_decay", ">= 0", weight_decay),
        ):
            if wrong:
                raise ValueError(f"{name} should be {bound} but is: {value}")
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, lr, decay = parameter._array, number(group["lr"]), group["weight_decay"]
        small, smallest_step = group["eps"]
        small = finfo(BY_NUMPY[p.dtype]).eps if small is None else small
        steps = self._counted(parameter)
        size = np.maximum(smallest_step, _root_mean_square(p)) * np.minimum(lr, 1 / np.sqrt(steps))
        if decay:
            p *= 1 - lr * decay
        square = self._squares(parameter, gradient, steps ** group["beta2_decay"], small)
        update = gradient / np.sqrt(np.maximum(square, small * small))
        clip = np.maximum(1.0, _root_mean_square(update) / group["d"])
        p -= (size / clip).astype(p.dtype) * update
        overwritten(parameter, "add_", 2 if decay else 1)

    def _squares(self, parameter: Any, g: Array, share: Array, small: float) -> Array:
        """The estimated mean of g², of which this step's own is such a share."""
        share = share.astype(g.dtype)
        if g.ndim < 2:
            kept = self._factor(parameter, "variance", g.shape)
            kept += share * (g * g - kept)
            return kept
        rows = self._factor(parameter, "row_var", (*g.shape[:-1], 1))
        columns = self._factor(parameter, "col_var", (*g.shape[:-2], 1, g.shape[-1]))
        rows += share * (np.mean(g * g, -1, keepdims=True) - rows)
        columns += share * (np.mean(g * g, -2, keepdims=True) - columns)
        return rows @ columns / np.maximum(rows.mean(-2, keepdims=True), g.dtype.type(small))

    def _factor(self, parameter: Any, name: str, shape: tuple[int, ...]) -> Array:
        state = self.state[parameter]
        if name not in state:
            state[name] = wrap(np.zeros(shape, parameter._array.dtype))
        advance(state[name])
        return state[name]._array


def _root_mean_square(x: Array) -> Array:
    return np.sqrt(np.mean(np.square(x, dtype=np.float64)))
