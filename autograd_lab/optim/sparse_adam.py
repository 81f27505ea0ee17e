"""SparseAdam: Adam for gradients that name a few rows only, of which this engine makes none."""

from __future__ import annotations

from typing import Any, NoReturn

from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.optim.optimizer import Descent, Group, Parameters, check_betas, check_lr, number


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
