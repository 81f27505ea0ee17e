"""What programs ask before they use a GPU: this engine computes on the CPU."""

from __future__ import annotations


def is_available() -> bool:
    """False: there is no GPU here."""
    return False


def device_count() -> int:
    """No GPU."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: as in PyTorch, a generator that is not there takes any seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing, for each of no GPUs."""
