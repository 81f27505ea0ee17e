"""Pockets as SVG: with words, or so small that only their shape tells what became of what they keep."""

from __future__ import annotations

from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.pocket import pocket
from autograd_lab.view.kit.shapes.stroke import group, lower_corners, path


def draw_pocket(part: Part, look: Look) -> str:
    """A pocket in a look, its upper edge where its part stands."""
    state = look.classes[0]
    if state == "hidden":
        return ""
    if part.text == "tick":
        inner = path("shape", lower_corners(part.x, part.y, part.width, part.height, min(4, part.height / 2)))
        return group(f"pocket {state}", inner, id=part.id)
    drawn = pocket(part.x, part.y, part.width, look.text("title"), state)
    return drawn.replace("<g", f'<g id="{part.id}"', 1)
