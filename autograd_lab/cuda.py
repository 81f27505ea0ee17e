"""What programs ask before they use a GPU: this engine computes on the CPU."""

from __future__ import annotations


def is_available() -> bool:
    """False: there is no GPU here."""
    return False


def device_count() -> int:
    """No GPU."""
    return 0
