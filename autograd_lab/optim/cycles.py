"""Schedules that rise and fall: triangles, one cycle, and cosines that begin anew."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from autograd_lab.nn.parameter import typename
from autograd_lab.optim.optimizer import Group, Optimizer
from autograd_lab.optim.schedule import LRScheduler, a_value_for_each, set_rate


class WithMomentum(LRScheduler):
    """What moves the momentum, or the first beta, the other way."""

    cycle_momentum: bool

    def _with_momentum(self, optimizer: Optimizer, base: Any, most: Any, last_epoch: int) -> None:
        """Note the bounds of the momentum in each group. Raises ValueError for an optimizer without one."""
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        bases = a_value_for_each("base_momentum", optimizer, base)
        mosts = a_value_for_each("max_momentum", optimizer, most)
        for group, low, high in zip(optimizer.param_groups, bases, mosts, strict=True):
            if last_epoch == -1:
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group: Group, momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


SHAPES: dict[str, Callable[..., float]] = {
    "triangular": lambda cycle: 1.0,
    "triangular2": lambda cycle: 1 / 2.0 ** (cycle - 1),
    "exp_range": lambda gamma, step: gamma**step,
}
"""How high a cycle is, by its number, or by a base and the step, for the last one."""


class CyclicLR(WithMomentum):
    """Up from `base_lr` to `max_lr` in `step_size_up` steps, and down again, over and over."""

    def __init__(
        self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", cycle_momentum: bool = True,
        base_momentum: Any = 0.8, max_momentum: Any = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{typename(optimizer).rpartition('.')[2]} is not an Optimizer")
        bases = a_value_for_each("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(bases, optimizer.param_groups, strict=True):
                set_rate(group, rate)
        self.max_lrs = a_value_for_each("max_lr", optimizer, max_lr)
        up, down = float(step_size_up), float(step_size_up if step_size_down is None else step_size_down)
        self.total_size, self.step_ratio = up + down, up / (up + down)
        if mode not in SHAPES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode
        self._choose_scale()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._with_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def _choose_scale(self) -> None:
        if self._scale_fn_custom is None:
            shape = SHAPES[self.mode]
            self._scale_fn_ref = partial(shape, self.gamma) if self.mode == "exp_range" else shape
            self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """How high a cycle is, by its number, or by the step."""
        return self._scale_fn_ref(x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; a function of the user's is left out, of an object there are its own."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        custom = state["_scale_fn_custom"]
        plain_function = custom is None or isinstance(custom, FunctionType)
        return state | {"_scale_fn_custom": None if plain_function else vars(custom).copy()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        custom = state_dict["_scale_fn_custom"]
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})
        if custom is not None:
            vars(self._scale_fn_custom).update(custom)
        self._choose_scale()

    def get_lr(self) -> list[float]:
        self._asked()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        share = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        height = self.scale_fn(at)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                low, high = group["base_momentum"], group["max_momentum"]
                self._set_momentum(group, high - (high - low) * share * height)
        return [low + (high - low) * share * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]


CURVES: dict[str, Callable[[float, float, float], float]] = {
    "cos": lambda start, end, share: end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1),
    "linear": lambda start, end, share: (end - start) * share + start,
}


class OneCycleLR(WithMomentum):
    """Up to `max_lr` in a part `pct_start` of all steps, then down to almost nothing (Smith and Topin, 2018)."""

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
        cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95, div_factor: float = 25.0,
        final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{typename(optimizer).rpartition('.')[2]} is not an Optimizer")
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        if not (isinstance(pct_start, float) and 0 <= pct_start <= 1):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in CURVES:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._schedule_phases = _phases(pct_start, self.total_steps, three_phase)
        self._anneal_func_type = anneal_strategy
        mosts = a_value_for_each("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, mosts, strict=True):
                group["initial_lr"], group["max_lr"] = most / div_factor, most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._with_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._asked()
        step, begin = self.last_epoch, 0.0
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        phases = list(self._schedule_phases)
        while step > phases[0]["end_step"] and len(phases) > 1:
            begin = phases.pop(0)["end_step"]
        phase = phases[0]
        share = (step - begin) / (phase["end_step"] - begin)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal_func(start, end, share))
        return [self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], share) for group in groups]

    def _anneal_func(self, start: float, end: float, share: float) -> float:
        if "_anneal_func_type" not in vars(self):  # as a state of an old PyTorch left it
            return self.anneal_func(start, end, share)  # type: ignore[attr-defined]
        return CURVES[self._anneal_func_type](start, end, share)

    _annealing_cos = staticmethod(CURVES["cos"])
    _annealing_linear = staticmethod(CURVES["linear"])


def _phases(share: float, total: int, three: bool) -> list[dict[str, Any]]:
    """For each phase its last step, and from where to where rate and momentum go."""
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    top, last = share * total, total - 1
    rise, fall = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
    found: list[tuple[Any, ...]] = [(float(top) - 1, "initial_lr", "max_lr", *rise)]
    if three:
        found.append((float(2 * top) - 2, "max_lr", "initial_lr", *fall))
        found.append((last, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
    else:
        found.append((last, "max_lr", "min_lr", *fall))
    return [dict(zip(names, phase, strict=True)) for phase in found]


def _total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """The number of steps. Raises ValueError if it is not told, or not positive."""
    if total_steps is None and (epochs is None or steps_per_epoch is None):
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    told = {"total_steps": total_steps} if total_steps is not None else {
        "epochs": epochs, "steps_per_epoch": steps_per_epoch,
    }  # fmt: skip
    for name, value in told.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(value for value in told.values() if value is not None)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Along half a wave of the cosine in `T_0` epochs, then anew, each time in `T_mult` times as many."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min, self.T_cur = T_mult, eta_min, float(last_epoch)
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: float | None = None) -> None:
        """Begin the next epoch, or be somewhere within one: 3.5 is in the midst of the fourth."""
        if epoch is not None and epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            self._advance()
            return
        self.last_epoch = math.floor(epoch)
        self.T_cur, self.T_i = self._within(epoch)
        self._set()

    def _advance(self) -> None:
        self.last_epoch += 1
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur %= self.T_i
            self.T_i *= self.T_mult
        self._set()

    def _within(self, epoch: float) -> tuple[float, int]:
        """How far an epoch is into its wave, and how long that is."""
        length = self.T_0
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return epoch, length

    def rate(self, rate: float, base: float) -> float:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
