"""Schedules of the learning rate: `scheduler.step()` after each epoch sets it in the optimizer's groups."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.nn.parameter import typename
from autograd_lab.optim.optimizer import Descent, Optimizer

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


NO_INITIAL_RATE = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)


class LRScheduler:
    """Counts epochs in `last_epoch`; a subclass says in `rate` what the learning rate becomes."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{typename(optimizer)} is not an Optimizer")
        self.optimizer = optimizer
        for position, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _plain(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(NO_INITIAL_RATE.format(position))
        if isinstance(optimizer, Descent) and optimizer._opt_called is None:
            optimizer._opt_called = False
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._advance()

    def step(self) -> None:
        """Begin the next epoch."""
        if self._step_count == 1 and self.optimizer._opt_called is False:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._advance()

    def _advance(self) -> None:
        self._step_count += 1
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            if is_tensor(group["lr"]):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        self._last_lr = [_plain(group["lr"]) for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[Any]:
        """The learning rate of each group."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        """The learning rate that each group is to have in this epoch."""
        groups = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        return [self.rate(_plain(group["lr"]), base) for group, base in groups]

    def rate(self, rate: float, base: float) -> float:
        """The learning rate in this epoch, from that in the last one and that at the very beginning."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.__dict__.update(state_dict)


def _plain(rate: Any) -> Any:
    return rate.item() if is_tensor(rate) else rate


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, rate: float, base: float) -> float:
        return rate if self.last_epoch == 0 or self.last_epoch % self.step_size else rate * self.gamma


class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the `milestones`."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, rate: float, base: float) -> float:
        return rate * self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else rate


class ExponentialLR(LRScheduler):
    """Times `gamma` in each epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, rate: float, base: float) -> float:
        return rate if self.last_epoch == 0 else rate * self.gamma


class LambdaLR(LRScheduler):
    """The first learning rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Any, last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * factor(self.last_epoch) for base, factor in pairs]

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer and the functions."""
        return super().state_dict() | {"lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave, save for the functions."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})


class CosineAnnealingLR(LRScheduler):
    """Along half a wave of the cosine, down to `eta_min` in `T_max` epochs, and up again."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, rate: float, base: float) -> float:
        epoch, half = self.last_epoch, self.T_max
        if epoch == 0:
            return rate
        if self._step_count == 1:  # begun in the midst of it
            return self.eta_min + (base - self.eta_min) * (1 + math.cos(epoch * math.pi / half)) / 2
        if (epoch - 1 - half) % (2 * half) == 0:
            return rate + (base - self.eta_min) * (1 - math.cos(math.pi / half)) / 2
        before, now = (1 + math.cos(math.pi * one / half) for one in (epoch - 1, epoch))
        return now / before * (rate - self.eta_min) + self.eta_min
