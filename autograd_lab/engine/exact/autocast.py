"""What ops do in an `autocast` region: some take their floats in half precision, some in float32, some in the widest.

Which op does what is PyTorch's choice for the CPU. Ops call `lowered`, `widened` or `promoted` first, if there was a
region at all; the casts are ops of their own, and recorded. A leaf that requires grad, a weight as a rule, is cast once
in a region: whoever writes to it meanwhile computes on with the old copy, as in PyTorch.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from typing import Any

from autograd_lab import listening
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.dtypes import F32, F64, NumpyDtype
from autograd_lab.whose import users_level

__all__ = [
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_autocast_gpu_dtype",
]  # fmt: skip

used = False
"""Whether autocast was ever switched on, in any thread: until then, nobody asks further."""


class State(threading.local):
    """What holds in a thread: on or off, the lower dtype (None stands for bfloat16), and the weights cast so far."""

    enabled = False
    dtype: dtypes.dtype | None = None
    caches = True
    depth = 0

    def __init__(self) -> None:
        self.casts: dict[int, tuple[Variable, Any]] = {}


state = State()


class Region:
    """The setting in a `with` block, None for what stays as it is; when the outermost one ends, casts are forgotten."""

    def __init__(self, enabled: bool | None, dtype: dtypes.dtype | None, caches: bool) -> None:
        self._setting = enabled, dtype, caches

    def __enter__(self) -> Any:
        global used
        self._before = [*getattr(self, "_before", ()), (state.enabled, state.dtype, state.caches)]
        enabled, dtype, state.caches = self._setting
        if enabled is not None:
            state.enabled, state.dtype = enabled, dtype
        used = used or state.enabled
        state.depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        state.depth -= 1
        if state.depth == 0:
            clear_autocast_cache()
        state.enabled, state.dtype, state.caches = self._before.pop()


def same_region() -> Region:
    """What holds now, for what is run again later."""
    return Region(state.enabled, state.dtype, state.caches)


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether ops are cast here: on the CPU or, without an argument, on a GPU, of which there is none."""
    return device_type == "cpu" and state.enabled


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Switch the casting of ops on or off."""
    global used
    used = used or enabled
    state.enabled = enabled


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The dtype that ops take in half precision."""
    return dtypes.float16 if device_type == "cuda" else state.dtype or dtypes.bfloat16()


def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Choose the dtype that ops take in half precision."""
    state.dtype = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether weights are cast once in a region."""
    return state.caches


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether weights are to be cast once in a region."""
    state.caches = enabled


def clear_autocast_cache() -> None:
    """Forget the weights that were cast."""
    state.casts.clear()


def _is_float(tensor: Any) -> bool:
    return isinstance(tensor, Variable) and tensor._array.dtype.kind in "fV" and tensor._array.dtype is not F64


def lowered(*tensors: Any) -> Sequence[Any]:
    """The operands of an op that runs in half precision; the last one is cast first, as in PyTorch."""
    if not state.enabled:
        return tensors
    dtype = get_autocast_dtype("cpu").numpy
    return [_lowered(one, dtype) if _is_float(one) else one for one in reversed(tensors)][::-1]


def _lowered(tensor: Any, dtype: NumpyDtype) -> Any:
    is_weight = tensor._array.dtype is F32 and tensor._needs and tensor.is_leaf and not tensor._is_view()
    if not (is_weight and state.caches and is_grad_enabled()):
        return _cast(tensor, dtype)
    if id(tensor) not in state.casts:
        state.casts[id(tensor)] = tensor, _cast(tensor, dtype)
    return state.casts[id(tensor)][1]


def _cast(tensor: Any, dtype: NumpyDtype) -> Any:
    found = tensor._to(dtype)
    if found is not tensor and listening.active is not None:
        listening.active.step_applied()
    return found


def widened(*tensors: Any) -> Sequence[Any]:
    """The operands of an op that runs in float32; the last one is cast first, as in PyTorch."""
    if not state.enabled:
        return tensors
    return [_cast(one, F32) if _is_float(one) else one for one in reversed(tensors)][::-1]


def promoted(tensors: Sequence[Any]) -> Sequence[Any]:
    """The operands of an op that joins them: in float32 if one of them is. Raises RuntimeError for a third dtype."""
    if not state.enabled:
        return tensors
    lower = get_autocast_dtype("cpu").numpy
    found = [one._array.dtype for one in tensors if _is_float(one)]
    for before, after in zip([lower, *found], found, strict=False):
        if F32 not in (before, after) and before is not after:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return [_cast(one, F32) if _is_float(one) else one for one in tensors] if F32 in found else tensors


def _instead(old: str, new: str) -> None:
    text = f"torch.{old} is deprecated. Please use torch.{new} instead."
    warnings.warn(text, DeprecationWarning, stacklevel=users_level())


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """As `get_autocast_dtype("cpu")`, which has come in its place."""
    _instead("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """As `get_autocast_dtype("cuda")`, which has come in its place."""
    _instead("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_cpu_dtype(dtype: dtypes.dtype) -> None:
    """As `set_autocast_dtype("cpu", dtype)`, which has come in its place."""
    _instead("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def set_autocast_gpu_dtype(dtype: dtypes.dtype) -> None:
    """Nothing: there is no GPU."""
    _instead("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")


def is_autocast_cpu_enabled() -> bool:
    """As `is_autocast_enabled("cpu")`, which has come in its place."""
    _instead("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """As `set_autocast_enabled("cpu", enabled)`, which has come in its place."""
    _instead("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def autocast_increment_nesting() -> int:
    """How many regions there are, with one more from now on."""
    state.depth += 1
    return state.depth


def autocast_decrement_nesting() -> int:
    """How many regions there are, with one less from now on."""
    state.depth -= 1
    return state.depth
