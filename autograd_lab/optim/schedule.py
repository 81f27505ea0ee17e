"""`LRScheduler`: what all schedules of the learning rate have."""

from __future__ import annotations

import warnings
from functools import wraps
from types import MethodType
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.nn.parameter import typename
from autograd_lab.optim.optimizer import Descent, Group, Optimizer
from autograd_lab.whose import users_level

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)

OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    "to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
GET_LAST = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
NO_INITIAL_RATE = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)


class LRScheduler:
    """Counts epochs in `last_epoch`; a subclass says in `rate` what the learning rate becomes."""

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{typename(optimizer)} is not an Optimizer")
        self.optimizer = optimizer
        for position, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", plain(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(NO_INITIAL_RATE.format(position))
        if optimizer._opt_called is None:
            _watch(optimizer)
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch: Any = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        """Begin the epoch that it was made for, whose rate the optimizer may have already."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def step(self, epoch: float | None = None) -> None:
        """Begin the next epoch, or the one that is given, which PyTorch advises against."""
        if self._step_count == 1 and (doubt := _doubt(self.optimizer)):
            warnings.warn(doubt, UserWarning, stacklevel=users_level())
        if epoch is None:
            self._advance()
            return
        warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=users_level())
        self._step_count += 1
        self.last_epoch = epoch
        self._set(getattr(self, "_get_closed_form_lr", None))

    def _advance(self) -> None:
        self._step_count += 1
        self.last_epoch += 1
        self._set()

    def _set(self, work_out: Any = None) -> None:
        """Have each group learn at the rate of this epoch."""
        self._get_lr_called_within_step = True
        try:
            found = (work_out or self.get_lr)()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, found, strict=True):
            set_rate(group, rate)
        self._last_lr = rates(self.optimizer)

    def _restart(self) -> None:
        """Begin again with the first epoch."""
        self.last_epoch = 0
        self._set(getattr(self, "_get_closed_form_lr", None))

    def get_last_lr(self) -> list[Any]:
        """The learning rate of each group."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        """The learning rate that each group is to have in this epoch."""
        self._asked()
        groups = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        return [self.rate(plain(group["lr"]), base) for group, base in groups]

    def _asked(self) -> None:
        """Warn who asks `get_lr` for a rate that is set already."""
        if not self._get_lr_called_within_step:
            warnings.warn(GET_LAST, UserWarning, stacklevel=users_level())

    def rate(self, rate: float, base: float) -> float:
        """The learning rate in this epoch, from that in the last one and that at the very beginning."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.__dict__.update(state_dict)


def _watch(optimizer: Optimizer) -> None:
    """Have an optimizer note that it made a step: ours do; of others, `step` is wrapped."""
    optimizer._opt_called = False
    function = getattr(optimizer.step, "__func__", None)
    if function is None or function is Descent.step:
        return

    @wraps(function)
    def step(self: Any, *args: Any, **named: Any) -> Any:
        self._opt_called = True
        return function(self, *args, **named)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = MethodType(step, optimizer)  # type: ignore[method-assign]


def _doubt(optimizer: Optimizer) -> str:
    """What is to be said when a schedule makes its first step."""
    if "step" in vars(optimizer) and not hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return OVERRIDDEN
    return TOO_EARLY if optimizer._opt_called is False else ""


def plain(rate: Any) -> Any:
    return rate.item() if is_tensor(rate) else rate


def set_rate(group: Group, rate: Any) -> None:
    """Have a group learn at this rate; a tensor keeps its place."""
    if is_tensor(group["lr"]):
        group["lr"].fill_(rate)
    else:
        group["lr"] = rate


def rates(optimizer: Optimizer) -> list[Any]:
    """The learning rate of each group, as a number."""
    return [plain(group["lr"]) for group in optimizer.param_groups]


def a_value_for_each(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """What is set for all groups, or in a list for each, tensors as copies. Raises ValueError for another length."""
    count = len(optimizer.param_groups)
    values = list(value) if isinstance(value, list | tuple) else [value] * count
    if len(values) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(values)} values, "
            f"param_groups has {count}."
        )
    return [each.clone() if is_tensor(each) else each for each in values]
