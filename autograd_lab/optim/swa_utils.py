"""Averages of a model's weights: `AveragedModel`, with a plain or an exponential mean, and what goes with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.tensor.factories import tensor
from autograd_lab.nn.batchnorm import BatchNorm1d, BatchNorm2d
from autograd_lab.nn.module import Module
from autograd_lab.optim.optimizer import Optimizer
from autograd_lab.optim.schedule import LRScheduler, a_value_for_each

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip

Average = Callable[[Any, Any, Any], Any]


def get_swa_avg_fn() -> Average:
    """The plain mean: each model counts as much as any other."""
    return lambda averaged, current, count: averaged + (current - averaged) / (count + 1)


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The exponential mean: what was counts `decay`, the new model the rest."""
    _check(decay)
    return lambda averaged, current, count: decay * averaged + (1 - decay) * current


def get_swa_multi_avg_fn() -> Average:
    """The plain mean of many parameters, in place."""
    return _in_place(get_swa_avg_fn())


def get_ema_multi_avg_fn(decay: float = 0.999) -> Average:
    """The exponential mean of many parameters, in place."""
    _check(decay)

    def update(averaged: Iterable[Any], current: Iterable[Any], count: Any) -> None:
        with no_grad():
            for mean, new in zip(averaged, current, strict=True):
                if mean.is_floating_point():
                    mean.lerp_(new, 1 - decay)
                else:
                    mean.copy_(mean * decay + new * (1 - decay))

    return update


def _check(decay: float) -> None:
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _in_place(average: Average) -> Average:
    def update(averaged: Iterable[Any], current: Iterable[Any], count: Any) -> None:
        with no_grad():
            for mean, new in zip(averaged, current, strict=True):
                mean.copy_(average(mean, new, count))

    return update


class AveragedModel(Module):
    """A copy of a model whose parameters are means of those that the model had at each `update_parameters`."""

    n_averaged: Any

    def __init__(
        self, model: Module, device: Any = None, avg_fn: Average | None = None, multi_avg_fn: Average | None = None,
        use_buffers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", tensor(0))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Let the model's parameters count; the first ones are taken as they are. Buffers are copied or averaged."""
        mine, yours = ([one.detach() for one in self._averaged(each)] for each in (self.module, model))
        if not self.n_averaged:
            for mean, new in zip(mine, yours, strict=True):
                mean.copy_(new)
        else:
            update = self.multi_avg_fn or _in_place(self.avg_fn or get_swa_avg_fn())
            update(mine, yours, self.n_averaged)
        if not self.use_buffers:
            for kept, new in zip(self.module.buffers(), model.buffers(), strict=True):
                kept.detach().copy_(new.detach())
        self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterable[Any]:
        return chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Give the batch normalisations of a model the statistics of all that a loader gives."""
    momenta = {module: module.momentum for module in model.modules() if isinstance(module, BatchNorm1d | BatchNorm2d)}
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None  # a mean over all batches
    with no_grad():
        for batch in loader:
            model(batch[0] if isinstance(batch, list | tuple) else batch)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From the rate that there is to `swa_lr`, in `anneal_epochs` steps along half a cosine or a line."""

    def __init__(
        self, optimizer: Optimizer, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        given = a_value_for_each("swa_lr", optimizer, swa_lr)
        for wanted, group in zip(given, optimizer.param_groups, strict=True):
            group["swa_lr"] = wanted
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs, self.anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def _share(self, step: float) -> float:
        """How far the way is gone after some steps."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self.anneal_strategy == "cos" else t

    def get_lr(self) -> list[float]:
        """The next rate of each group."""
        step = self._step_count - 1  # of its own steps, wherever the epochs began
        step = max(1, step) if self.anneal_epochs == 0 else step
        before, now = self._share(step - 1), self._share(step)
        found = []
        for group in self.optimizer.param_groups:
            wanted, rate = group["swa_lr"], group["lr"]
            first = wanted if before == 1 else (rate - before * wanted) / (1 - before)
            found.append(wanted * now + first * (1 - now))
        return found
