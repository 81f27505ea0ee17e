"""The one ear that an engine looks at: who listens to it, if anybody does.

An engine asks `if listening.active is not None` before it says anything, so that nobody pays for what nobody hears. It
knows no more of its observers than this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any

active: Any = None
"""Who hears of each op, gradient and write: a recorder, or None."""
listeners: list[Callable[[str, Any], None]] = []
"""Who hears of milestones, also when nobody records: of "backward" with its tensors, of "step" with the optimizer."""
companions: list[Callable[[Any], AbstractContextManager[None]]] = []
"""What is entered with each recorder that listens: watchers of engines that know nothing of recorders."""
pacings: list[Callable[[Callable[[Exception], None]], AbstractContextManager[None]]] = []
"""What has other engines tell of their milestones."""
number = count().__next__
"""Numbers for tensors that somebody has heard of; they carry theirs in `_uid`."""
PACKED = "packed"
"""What a saved tensor's source is while a hook has packed it: nobody can say what lies in what the hook returned."""


def told(
    node: Any, recorded: bool, operands: tuple[Any, ...], outputs: tuple[Any, ...], in_place: bool = False
) -> None:
    """Tell the recorder of an op, whose results are new unless it wrote `in_place`."""
    for output in () if in_place else outputs:
        output._uid = number()
    if recorded:
        active.op_applied(node, node.name(), operands, outputs, in_place)
    else:
        active.op_applied(None, node.op, operands, outputs, in_place)


def passed(what: str, by: Any) -> None:
    """Tell of a milestone."""
    for listener in tuple(listeners):
        listener(what, by)


@contextmanager
def paused() -> Iterator[None]:
    """Tell nobody of what happens inside."""
    global active
    before, active = active, None
    try:
        yield
    finally:
        active = before
