"""The moments of a compilation that have a name, and those that a short account would show."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab import events as e


def moments_of(events: Sequence[e.Event]) -> dict[str, int]:
    """The step when all is captured, that after each pass, with "again" for one that comes twice, and the end."""
    found = {"end": len(events)}
    for step, event in enumerate(events, 1):
        if isinstance(event, e.PassFinished):
            found[f"{event.name} again" if event.name in found else event.name] = step
    return found


def notable_steps(events: Sequence[e.Event]) -> list[int]:
    """When all is captured, whenever a pass does something to the graph, when it is parted, written and done."""
    does = e.OperationDropped | e.OperationRewritten | e.OperationsFused | e.OperationsOrdered
    found = moments_of(events)
    ends = {found[name] for name in ("captured", "halves", "program", "buffers", "end") if name in found}
    return sorted({step for step, event in enumerate(events, 1) if isinstance(event, does)} | ends)
