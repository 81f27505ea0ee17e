"""The moments of a compilation that have a name."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.events import Event, PassFinished


def moments_of(events: Sequence[Event]) -> dict[str, int]:
    """The step when all is captured, that after each pass, with "again" for one that comes twice, and the end."""
    found = {"end": len(events)}
    for step, event in enumerate(events, 1):
        if isinstance(event, PassFinished):
            found[f"{event.name} again" if event.name in found else event.name] = step
    return found
