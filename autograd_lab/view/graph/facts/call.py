"""Calls of modules: which ops ran inside of which module."""

from __future__ import annotations

import math
from dataclasses import dataclass

from autograd_lab.events import ModuleEntered, Where


@dataclass(slots=True)
class Call:
    """One call of a module: the ops from number `start` up to, not including, `end` ran inside.

    `parent` is the number of the call around it, `level` how many there are around it; `entered` and `left` are steps.
    """

    number: int
    path: str
    type: str
    root: str | None
    parameters: int
    parent: int | None
    level: int
    entered: int
    start: int
    end: int = 0
    left: float = math.inf
    where: Where | None = None
    """The line that calls it."""

    @property
    def name(self) -> str:
        """The module's path from the variable that means the outermost one, its class where there is none."""
        return ".".join(filter(None, (self.root, self.path))) or self.type

    @property
    def size(self) -> int:
        """How many ops ran inside."""
        return self.end - self.start

    def leave(self, end: int, left: float) -> None:
        """The call came to its end after op number `end` - 1, at step `left`."""
        self.end, self.left = end, left


def enter(calls: list[Call], inside: list[Call], event: ModuleEntered, start: int, step: int) -> Call:
    """Add a call that begins before op number `start`, inside of the last of the calls that go on."""
    parent = inside[-1] if inside else None
    place = (event.module, event.type, event.root, event.parameters)
    call = Call(len(calls), *place, parent.number if parent else None, parent.level + 1 if parent else 0, step, start)
    call.where = event.where
    calls.append(call)
    return call
