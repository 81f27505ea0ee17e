"""`torch.random`: where random numbers come from, and how to go back to a point in their course."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autograd_lab.engine.draws.generator import default_generator, initial_seed, manual_seed, seed

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state",
    "thread_safe_generator",
]  # fmt: skip


def get_rng_state() -> Tensor:
    """All that the coming random numbers depend on, as bytes."""
    state: Tensor = default_generator.get_state()
    return state


def set_rng_state(new_state: Tensor) -> None:
    """Go on from a state that `get_rng_state` gave. Raises RuntimeError for what is none."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, device_type: str = "cuda", **_: Any) -> Iterator[None]:
    """Inside, random numbers may be drawn and seeds set; after it, all is as it was before."""
    before = default_generator.state()
    try:
        yield
    finally:
        if enabled:
            default_generator.restore(before)


def thread_safe_generator() -> None:
    """None, which stands for the one generator: all batches are loaded in one thread."""
