"""Adam: steps along the running mean of gradients, over the root of that of their squares."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.kernels.fused import averaged_square, between, fused, wide
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim import recorded
from autograd_lab.optim.optimizer import Descent, Group, Parameters, check_betas, check_kinds, check_lr, checked, number


class Adam(Descent):
    """p becomes p - lr m / (√v + eps), where m and v are running means of g and g², corrected for their start at 0."""

    recorded = staticmethod(recorded.adam)

    def __init__(
        self, params: Parameters, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        _check_foreach("lr", lr, foreach and not capturable)
        check_lr(lr)
        checked(lr=number(lr), eps=eps)
        check_betas(betas)
        checked(weight_decay=weight_decay)
        _check_kinds_of_betas(betas, foreach and not capturable)
        betas = (_scalar(betas[0]), _scalar(betas[1]))
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_kinds(foreach, fused, differentiable, self.recorded)

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        p, lr, decay, writes = parameter._array, number(group["lr"]), group["weight_decay"], 1
        first, second = map(number, group["betas"])
        steps = self._counted(parameter)
        if decay and group["decoupled_weight_decay"]:
            p[...] = wide(p) * (1 - lr * decay)
            writes = 2
        elif decay:
            gradient = fused(gradient, p.dtype.type(decay), p)
        mean = self._kept(parameter, "exp_avg", 1)
        mean[...] = between(mean, gradient, wide(mean).dtype.type(1 - first))
        square = self._kept(parameter, "exp_avg_sq", 2)
        averaged_square(square, second, gradient)
        if group["amsgrad"]:
            largest = self._kept(parameter, "max_exp_avg_sq", 1)
            square = np.maximum(largest, square, out=largest)
        kind = wide(p).dtype
        rate, correction = (lr / (1 - first**steps)).astype(kind), np.sqrt(1 - second**steps).astype(kind)
        root = (wide(np.sqrt(square)) / correction).astype(p.dtype, copy=False)
        root = (wide(root) + group["eps"]).astype(p.dtype, copy=False)
        p[...] = wide(p) - rate * wide(mean) / wide(root)
        overwritten(parameter, "addcdiv_", writes)


def _check_foreach(name: str, value: Any, all_at_once: bool | None) -> None:
    if all_at_once and is_tensor(value):
        raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")


def _check_kinds_of_betas(betas: tuple[Any, Any], all_at_once: bool | None) -> None:
    """Raise ValueError unless both are floats, or both tensors of one element."""
    if not (all(isinstance(one, float) for one in betas) or all(map(is_tensor, betas))):
        raise ValueError("betas must be either both floats or both Tensors")
    for position, one in enumerate(betas):
        _check_foreach(f"betas[{position}]", one, all_at_once)
        if is_tensor(one) and one.numel() != 1:
            raise ValueError(f"Tensor betas[{position}] must be 1-element")


def _scalar(value: Any) -> Any:
    """A setting; of a tensor with dimensions its one element, as a tensor."""
    return value.squeeze() if is_tensor(value) and value.dim() else value


class SparseAdam(Descent):
    """Keeps its settings. It refuses dense gradients, as in PyTorch, and so each that there is here."""

    def __init__(
        self, params: Parameters, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not number(lr) > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def update(self, parameter: Any, gradient: Array, group: Group) -> NoReturn:
        """Raise RuntimeError: no gradient is sparse."""
        raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
