"""`GradScaler`: a loss times a large number has gradients that do not vanish in float16; then they are divided."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import float16, float32, int32
from autograd_lab.engine.tensor import factories
from autograd_lab.nn.parameter import overwritten
from autograd_lab.whose import users_level

NOT_SCALED = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
NEW_SCALE = (
    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False."
)


PASSED = (
    "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
    "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the optimizer "
    "use them directly."
)


class Stage(Enum):
    """How far an optimizer has come since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _Progress:
    """One optimizer's stage, and whether it found gradients that are infinite or no numbers (1.0) or not (0.0)."""

    def __init__(self) -> None:
        self.stage = Stage.READY
        self.found_inf: float | None = None


class GradScaler:
    """Scales losses by a factor that it adapts.

    A step whose gradients overflowed is skipped, and the factor shrinks; after `growth_interval` good ones it grows.
    Raises AssertionError for factors that go the wrong way.
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled:
            told = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
            warnings.warn(told, stacklevel=users_level())
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._scale: Any = None
        self._growth_tracker: Any = None
        self._optimizers: defaultdict[int, _Progress] = defaultdict(_Progress)

    def scale(self, outputs: Any) -> Any:
        """A tensor, or those in an iterable, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Variable):
            if self._scale is None:
                self._scale = factories.full((), self._init_scale, dtype=float32)
                self._growth_tracker = factories.full((), self._init_growth_tracker, dtype=int32)
            return outputs * self._scale
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        found = map(self.scale, outputs)
        return type(outputs)(found) if isinstance(outputs, list | tuple) else found

    def _check(self, asked: str) -> None:
        for name in ("_scale", "_growth_tracker"):
            if getattr(self, name) is None:
                raise AssertionError(f"Attempted {asked} but {name} is None.  {NOT_SCALED}")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, to look at them or clip them.

        Raises RuntimeError if that was done since the last `update`, ValueError for gradients in float16.
        """
        if not self._enabled:
            return
        self._check("unscale_")
        progress = self._optimizers[id(optimizer)]
        if progress.stage is Stage.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if progress.stage is Stage.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        progress.found_inf = _unscaled(optimizer, np.float32(1 / float(self._scale._array)))
        progress.stage = Stage.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's step on unscaled gradients; none at all if one of these is infinite or no number."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check("step")
        progress = self._optimizers[id(optimizer)]
        if progress.stage is Stage.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._left_to(optimizer, progress, args, kwargs)
        if progress.stage is Stage.READY:
            self.unscale_(optimizer)
        if progress.found_inf is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        done = None if progress.found_inf else optimizer.step(*args, **kwargs)
        progress.stage = Stage.STEPPED
        return done

    def _left_to(self, optimizer: Any, progress: _Progress, args: Any, kwargs: dict[str, Any]) -> Any:
        """The step of an optimizer that unscales for itself: by the scaler, or by `grad_scale` and `found_inf`."""
        takes_scaler = "grad_scaler" in inspect.signature(optimizer.step).parameters
        if takes_scaler:
            warnings.warn(PASSED, FutureWarning, stacklevel=users_level())
            kwargs["grad_scaler"] = self
        else:
            if is_scaled := progress.stage is Stage.READY:
                progress.found_inf = _unscaled(optimizer, np.float32(1), half=True)
            scale = self._scale * getattr(optimizer, "grad_scale", 1)
            optimizer.grad_scale = scale if is_scaled else None
            optimizer.found_inf = factories.full((), progress.found_inf or 0.0, dtype=float32)
        done = optimizer.step(*args, **kwargs)
        progress.stage = Stage.STEPPED
        if not takes_scaler:
            del optimizer.grad_scale, optimizer.found_inf
        return done

    def update(self, new_scale: Any = None) -> None:
        """Let the scale shrink if a step was skipped, or grow after enough good ones; or set it."""
        if not self._enabled:
            return
        self._check("update")
        if new_scale is not None:
            self._set(new_scale)
        else:
            found = [one.found_inf for one in self._optimizers.values() if one.found_inf is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(any(found))
            overwritten(self._scale, "_amp_update_scale_")
        self._optimizers.clear()

    def _set(self, new_scale: Any) -> None:
        if isinstance(new_scale, float):
            self._scale.fill_(new_scale)
            return
        if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
            raise AssertionError(NEW_SCALE)
        self._scale.copy_(new_scale)

    def _adapt(self, found_inf: bool) -> None:
        scale, tracker = self._scale._array, self._growth_tracker._array
        if found_inf:
            scale *= np.float32(self._backoff_factor)
            tracker[...] = 0
            return
        tracker += 1
        if tracker == self._growth_interval:
            with np.errstate(over="ignore"):
                grown = scale * np.float32(self._growth_factor)
            if np.isfinite(grown):
                scale[...] = grown
            tracker[...] = 0

    def get_scale(self) -> float:
        """The scale; 1 if there is no scaling."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale._array)

    def get_growth_factor(self) -> float:
        """What the scale is multiplied by when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Change what the scale is multiplied by when it grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by when it shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Change what the scale is multiplied by when it shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Change after how many good steps the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker._array)

    def is_enabled(self) -> bool:
        """Whether losses are scaled at all."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """What it takes to go on later; nothing if there is no scaling."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where `state_dict` was taken. Raises RuntimeError if it is empty."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._optimizers:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker())
            state.update(_scale=None, _growth_tracker=None)
        return state


def _unscaled(optimizer: Any, factor: Any, half: bool = False) -> float | None:
    """Multiply the gradients of all parameters; 1.0 if one was not finite, 0.0 if all were, None if there are none."""
    found: float | None = None
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            if grad.dtype is float16 and not half:
                raise ValueError("Attempting to unscale FP16 gradients.")
            found = max(found or 0.0, float(not np.isfinite(grad._array).all()))
            grad._array *= grad._array.dtype.type(factor)
            overwritten(grad, "_amp_foreach_non_finite_check_and_unscale_", 0)  # PyTorch does not count it either
    return found
