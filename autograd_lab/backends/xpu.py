"""What programs ask of an Intel GPU, answered as a build of PyTorch for the CPU answers."""

from __future__ import annotations

from typing import Any

from autograd_lab.cuda import device_count as device_count
from autograd_lab.cuda import empty_cache as empty_cache
from autograd_lab.cuda import is_available as is_available
from autograd_lab.cuda import is_bf16_supported as is_bf16_supported
from autograd_lab.cuda import is_initialized as is_initialized
from autograd_lab.cuda import manual_seed as manual_seed
from autograd_lab.cuda import manual_seed_all as manual_seed_all
from autograd_lab.cuda import max_memory_allocated as max_memory_allocated
from autograd_lab.cuda import memory_allocated as memory_allocated


def current_device(*args: Any, **named: Any) -> Any:
    """Always an error: there is no such GPU here."""
    raise AssertionError("Torch not compiled with XPU enabled")


get_device_name = get_rng_state = set_device = synchronize = current_device
