"""AdamW: Adam, whose weights decay apart from the gradient."""

from __future__ import annotations

from typing import Any

from autograd_lab.optim.adam import Adam
from autograd_lab.optim.optimizer import Parameters


class AdamW(Adam):
    """Adam, where each step first takes p to (1 - lr weight_decay) p."""

    def __init__(
        self, params: Parameters, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # whoever gave the state, Adam too
            group["decoupled_weight_decay"] = True
