"""What cannot be found out, as SVG: a part that is there, and of which nothing else is known."""

from __future__ import annotations

from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.shapes.stroke import group, rect, say
from autograd_lab.view.kit.shapes.wire import plain

RADIUS = 8.0
LOW = 5.0
"""How far below the middle of a part its question mark stands, px."""


def draw_unknown(part: Part, route: Path | None) -> str:
    """A line without a head, or an outline with a question mark."""
    if route:
        return group("link unknown", plain(route, "unknown"), id=part.id)
    shape = rect("shape", part.x, part.y, part.width, part.height, min(RADIUS, part.height / 2))
    words = say("?", part.x + part.width / 2, part.y + part.height / 2 + LOW, "mid")
    return group("quiet-chip unknown", shape, words, id=part.id)
