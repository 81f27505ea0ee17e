"""Apple's GPU, which this engine does not use."""

from __future__ import annotations


def is_available() -> bool:
    """False: this engine computes on the CPU."""
    return False


def is_built() -> bool:
    """False: this engine computes on the CPU."""
    return False
