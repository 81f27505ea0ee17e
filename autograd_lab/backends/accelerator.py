"""What programs ask before they use an accelerator: this engine computes on the CPU."""

from __future__ import annotations


def is_available() -> bool:
    """False: there is no accelerator here."""
    return False


def device_count() -> int:
    """No accelerator."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator here."""
