"""`autocast`: regions in which ops choose their dtype; and what custom functions need to take part."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.exact import autocast as engine
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import device
from autograd_lab.engine.numbers.dtypes import F64
from autograd_lab.engine.ops.ground.copying import to_dtype
from autograd_lab.whose import users_level

SUPPORTED = ("bfloat16", "float16")
KNOWN = ("cpu", "cuda", "xpu", "mtia", "maia", "hpu", "mps", "xla", "ipu")


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast knows a kind of device."""
    device(device_type)  # which refuses what is no kind of device at all
    return device_type in KNOWN


def _checked_type(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


class autocast(engine.Region):
    """Ops inside take float16 or bfloat16 where that is enough, and float32 where it is not; also a decorator.

    `dtype` is bfloat16 unless given. Only `device_type="cpu"` has an effect here.
    """

    def __init__(
        self, device_type: str, dtype: dtypes.dtype | None = None, enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:  # fmt: skip
        _checked_type(device_type)
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = engine.get_autocast_dtype(device_type) if dtype is None else dtype
        if enabled and device_type == "cuda":
            warnings.warn(
                "CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=users_level()
            )
        elif enabled and getattr(self.fast_dtype, "name", None) not in SUPPORTED:
            name, supported = device_type.upper(), ", ".join(f"torch.{name}" for name in SUPPORTED)
            warnings.warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of {supported} currently.",
                stacklevel=users_level(),
            )
            enabled = False
        caches = engine.state.caches if cache_enabled is None else cache_enabled
        super().__init__(enabled if device_type == "cpu" else None, self.fast_dtype, caches)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n        output = "
                "model(input)"
            )

        @functools.wraps(func)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return decorated


autocast.__module__ = "torch.amp.autocast_mode"  # which is what printing one shows, as in PyTorch


def _cast(value: Any, dtype: dtypes.dtype) -> Any:
    """Tensors of floats in another dtype, also those in containers."""
    if is_tensor(value):
        is_float = value._array.dtype.kind in "fV" and value._array.dtype is not F64
        return to_dtype(value, dtype.numpy) if is_float else value
    if isinstance(value, str | bytes | np.ndarray):
        return value
    if isinstance(value, Mapping):
        return {_cast(key, dtype): _cast(item, dtype) for key, item in value.items()}
    if isinstance(value, Iterable):
        items = (_cast(item, dtype) for item in value)
        return type(value)(items) if isinstance(value, list | tuple) else items
    return value


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: dtypes.dtype | None = None) -> Any:
    """A decorator of a custom Function's `forward`: in a region its inputs are cast, and no op inside is any more.

    Without `cast_inputs` it only notes whether there was a region, for `custom_bwd`.
    """
    _checked_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        inside = engine.is_autocast_enabled(device_type)
        args[0]._dtype = engine.get_autocast_dtype(device_type)
        args[0]._fwd_used_autocast = inside and cast_inputs is None
        if cast_inputs is None or not inside:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*(_cast(arg, cast_inputs) for arg in args), **_cast(kwargs, cast_inputs))

    return decorated


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """A decorator of a custom Function's `backward`, which then runs in a region if `forward` did."""
    _checked_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, dtype=args[0]._dtype, enabled=args[0]._fwd_used_autocast):
            return bwd(*args, **kwargs)

    return decorated
