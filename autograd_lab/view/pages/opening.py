"""Where a page opens: at a picture of which one sees at once what it is about."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.events import BackwardStarted, ErrorRaised, Event


def opening_step(events: Sequence[Event]) -> int:
    """The last error; else the beginning of the last backward pass, with all of its graph; else the end."""
    for kind in (ErrorRaised, BackwardStarted):
        steps = [step for step, event in enumerate(events, 1) if isinstance(event, kind)]
        if steps:
            return steps[-1]
    return len(events)
