"""What programs set of PyTorch's machinery, and may ask for again; here it changes nothing but the answer."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.errors.conditions import (
    _check,
    _check_index,
    _check_not_implemented,
    _check_tensor_all,
    _check_tensor_all_with,
    _check_type,
    _check_value,
    _check_with,
)  # fmt: skip
from autograd_lab.engine.errors.once import is_warn_always_enabled, set_warn_always, warn_once
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import NO_CUDA
from autograd_lab.engine.numbers.storages import TypedStorage, UntypedStorage
from autograd_lab.engine.tensor.typed import OnCuda

__all__ = [
    "AcceleratorError",
    "OutOfMemoryError",
    "_check",
    "_check_index",
    "_check_not_implemented",
    "_check_tensor_all",
    "_check_tensor_all_with",
    "_check_type",
    "_check_value",
    "_check_with",
    "_has_compatible_shallow_copy_type",
    "are_deterministic_algorithms_enabled",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "has_lapack",
    "has_mkl",
    "has_openmp",
    "has_spectral",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_storage",
    "is_vulkan_available",
    "is_warn_always_enabled",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_num_threads",
    "set_warn_always",
    "typename",
    "use_deterministic_algorithms",
]  # fmt: skip

_set: dict[str, Any] = {
    "threads": 1,
    "interop": 1,
    "precision": "highest",
    "deterministic": False,
    "warn": False,
}


def _has_compatible_shallow_copy_type(input: Any, from_: Any) -> bool:
    """Whether one tensor's `.data` may become the other's: all are of one kind."""
    return True


def set_num_threads(int: int) -> None:
    """How many threads an op may use; numpy decides."""
    if int <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _set["threads"] = int


def get_num_threads() -> int:
    """What was set last; 1 to begin with."""
    return _set["threads"]


def set_num_interop_threads(int: int) -> None:
    """How many ops may run at once; here one does."""
    _set["interop"] = int


def get_num_interop_threads() -> int:
    """What was set last; 1 to begin with."""
    return _set["interop"]


def set_float32_matmul_precision(precision: str) -> None:
    """How exact products of float32 are to be; here they always are."""
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"Unknown float32_matmul_precision: {precision}")
    _set["precision"] = precision


def get_float32_matmul_precision() -> str:
    """What was set last; "highest" to begin with."""
    return _set["precision"]


def use_deterministic_algorithms(mode: Any, *, warn_only: Any = False) -> None:
    """Have ops give the same result each time; here they always do."""
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            kind = type(value).__name__
            raise TypeError(f"_set_deterministic_algorithms(): argument {name} must be bool, not {kind}")
    _set["deterministic"], _set["warn"] = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """What was set last."""
    return _set["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether one would only be warned."""
    return _set["warn"]


DEBUG_MODES = ("default", "warn", "error")


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """The same by one word or number: "default", "warn" or "error"."""
    if isinstance(debug_mode, str):
        if debug_mode not in DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = DEBUG_MODES.index(debug_mode)
    if debug_mode not in range(3):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """What was set last, as a number."""
    return (1 if _set["warn"] else 2) if _set["deterministic"] else 0


class OutOfMemoryError(RuntimeError):
    """What a GPU raises that is full; the CPU raises MemoryError."""

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """What a GPU raises; there is none."""

    __module__ = "torch"


has_lapack = has_spectral = has_mkl = has_openmp = True


def is_vulkan_available() -> bool:
    """False: there is one device, the CPU."""
    return False


def set_flush_denormal(mode: bool) -> bool:
    """False: numbers next to 0 stay what they are."""
    return False


SET_DTYPE = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)


def set_default_tensor_type(t: Any) -> None:
    """The dtype of Python floats, by the name of a class of tensors."""
    warn_once(SET_DTYPE)
    name = t.rpartition(".")[2] if isinstance(t, str) else getattr(t, "__name__", "")
    if isinstance(t, OnCuda) or "cuda" in str(t):
        raise TypeError(f"type {f'torch.cuda.{name}' if isinstance(t, OnCuda) else t} not available. {NO_CUDA}.")
    found = [each for each in dtypes.BY_NUMPY.values() if f"{each.title}Tensor" == name]
    if not found or not found[0].is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    dtypes.set_default_dtype(found[0])


def is_storage(obj: Any) -> bool:
    """Whether it is the memory of a tensor: of bytes, or of one dtype."""
    return isinstance(obj, UntypedStorage | TypedStorage)


def typename(obj: Any) -> str:
    """The name of a thing's type, with its module; of a tensor as `x.type()` has it."""
    if hasattr(obj, "_array") and not isinstance(obj, type):
        return str(obj.type())
    cls = obj if isinstance(obj, type) else type(obj)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
