"""`torch.mps`: what programs ask of a GPU of Apple, answered as PyTorch answers on other machines."""

from __future__ import annotations

from autograd_lab.cuda import device_count as device_count
from autograd_lab.cuda import is_available as is_available
from autograd_lab.cuda import manual_seed as manual_seed


def _refused(job: str) -> None:
    raise RuntimeError(f"Cannot execute {job}() without MPS backend.")


def empty_cache() -> None:
    """Always an error: there is no such GPU here."""
    _refused("emptyCache")


def synchronize() -> None:
    """Always an error: there is no such GPU here."""
    _refused("deviceSynchronize")


def current_allocated_memory() -> None:
    """Always an error: there is no such GPU here."""
    _refused("getCurrentAllocatedMemory")


def driver_allocated_memory() -> None:
    """Always an error: there is no such GPU here."""
    _refused("getDriverAllocatedMemory")
