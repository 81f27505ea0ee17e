"""How gradients flow, for the timeline of a page: layers × iterations, as far as these are in the recording."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autograd_lab.trace import Trace
from autograd_lab.trace.flow_table import flow_of
from autograd_lab.view.charts.flow_panels import ends_of, joined, logarithmic, short
from autograd_lab.view.kit.font import clean

ROWS = 12
"""So many layers at most: those of a larger network are joined by modules."""


def film_flow(trace: Trace, turns: int) -> dict[str, Any]:
    """The words are those of `widgets/src/flow.ts`; nothing, if nothing was measured, or more than the timeline has
    turns: then nobody knows which belong together."""
    flow = flow_of(trace)
    iterations = range(1, turns + 1) if trace.course is None else trace.course.shown
    rows, _ = joined(flow.rows, ROWS)
    if not rows or (trace.course is None and flow.seen > turns):
        return {}
    sizes = [[dict(row.norm).get(at) for at in iterations] for row in rows]
    scale = logarithmic(*ends_of(size for row in sizes for size in row if size is not None))
    told = {
        "rows": [clean(row.name) for row in rows],
        "sizes": [["" if size is None else short(size) for size in row] for row in sizes],
        "steps": ["".join(_letter(size, scale) for size in row) for row in sizes],
    }
    return {"flow": told}


def _letter(size: float | None, scale: Callable[[float], int]) -> str:
    """A dot for what is not known, a mark for what is not a size, else the step of the scale."""
    if size is None:
        return "."
    return str(scale(size)) if math.isfinite(size) else "!"
