"""Switches that programs set before they use a GPU; here they switch nothing."""

from __future__ import annotations

deterministic = False
benchmark = False


def is_available() -> bool:
    """False: this engine computes on the CPU."""
    return False
