"""Steps of torch's optimizers: one pair of global hooks, from which whoever wants to hear of steps is told.

Torch goes through its hooks while it calls them, so none can be hung on or taken off inside of one; a listener can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch.optim import optimizer as optimizers

from autograd_lab.torch_bridge.internals import Shared

Listener = Callable[..., None]
_before: list[Listener] = []
_after: list[Listener] = []


def _tell(listeners: list[Listener], optimizer: Any) -> None:
    for listener in tuple(listeners):
        listener(optimizer)


def _hang() -> Callable[[], None]:
    handles = [
        optimizers.register_optimizer_step_pre_hook(lambda optimizer, *_: _tell(_before, optimizer)),
        optimizers.register_optimizer_step_post_hook(lambda optimizer, *_: _tell(_after, optimizer)),
    ]

    def undo() -> None:
        for handle in handles:
            handle.remove()

    return undo


_hooks = Shared(_hang)


@contextmanager
def heard_by(before: Listener, after: Listener) -> Iterator[None]:
    """Have steps of optimizers told to two listeners."""
    _before.append(before)
    _after.insert(0, after)  # who has listened longest decides last what becomes of what the others have told
    try:
        with _hooks:
            yield
    finally:
        _before.remove(before)
        _after.remove(after)
