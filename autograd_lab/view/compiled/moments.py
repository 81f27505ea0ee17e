"""The moments of a compilation that have a name."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.events import Event, PassFinished, PassStarted


def moments_of(events: Sequence[Event]) -> dict[str, int]:
    """The step when all is captured, that after each pass (after the last of two alike), and the end."""
    started = [step for step, event in enumerate(events) if isinstance(event, PassStarted)]
    done = {event.name: step for step, event in enumerate(events, 1) if isinstance(event, PassFinished)}
    return {"end": len(events), "captured": started[0] if started else len(events), **done}
