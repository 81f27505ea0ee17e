"""Switches that programs set before they use a GPU; here they switch nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

enabled = True
deterministic = False
benchmark = False
benchmark_limit = 10
allow_tf32 = True


@contextmanager
def flags(
    enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False,
    allow_tf32: bool = True, fp32_precision: str = "none",
) -> Iterator[None]:  # fmt: skip
    """Set the switches inside of a `with` block."""
    wanted = {"enabled": enabled, "benchmark": benchmark, "benchmark_limit": benchmark_limit}
    wanted |= {"deterministic": deterministic, "allow_tf32": allow_tf32}
    before = {name: globals()[name] for name in wanted}
    globals().update(wanted)
    try:
        yield
    finally:
        globals().update(before)


def is_available() -> bool:
    """False: this engine computes on the CPU."""
    return False
