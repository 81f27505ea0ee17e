"""The moments of a compilation that have a name, and those that a short account would show."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.events import (
    Event,
    OperationDropped,
    OperationRewritten,
    OperationsFused,
    OperationsOrdered,
    PassFinished,
)


def moments_of(events: Sequence[Event]) -> dict[str, int]:
    """The step when all is captured, that after each pass, with "again" for one that comes twice, and the end."""
    found = {"end": len(events)}
    for step, event in enumerate(events, 1):
        if isinstance(event, PassFinished):
            found[f"{event.name} again" if event.name in found else event.name] = step
    return found


def notable_steps(events: Sequence[Event]) -> list[int]:
    """When all is captured, whenever a pass does something to the graph, when it is parted, written and done."""
    does = OperationDropped | OperationRewritten | OperationsFused | OperationsOrdered
    found = moments_of(events)
    ends = {found[name] for name in ("captured", "halves", "program", "buffers", "end") if name in found}
    return sorted({step for step, event in enumerate(events, 1) if isinstance(event, does)} | ends)
