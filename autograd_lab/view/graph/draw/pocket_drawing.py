"""Pockets as SVG: with words, or so small that only their shape tells what became of what they keep."""

from __future__ import annotations

from autograd_lab.view.graph.looks.pocket_look import UNPACKED
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.pocket import CLOSE, pocket, pocket_width
from autograd_lab.view.kit.shapes.stroke import circle, group, lower_corners, path

DOTS, DOT, DEEP = (3.0, 6.5, 10.0), 1.3, 4.5
"""Right of a pocket that others should follow: where dots stand, their radius, and how far below its upper edge; px."""


def draw_pocket(part: Part, look: Look, *, is_followed: bool = False) -> str:
    """A pocket in a look, its upper edge where its part stands; with dots if more should follow than have room."""
    state = look.classes[0]
    if state == "hidden":
        return ""
    classes = f"pocket {state}" + f" {UNPACKED}" * (UNPACKED in look.classes)
    if part.text == "tick":
        inner = path("shape", lower_corners(part.x, part.y, part.width, part.height, min(4, part.height / 2)))
        dots = [circle("dot", part.x + part.width + x, part.y + DEEP, DOT) for x in DOTS if is_followed]
        return group(classes, inner, *dots, id=part.id)
    title = look.text("title")
    if pocket_width(title, "", state) > part.width + CLOSE:
        title = look.text("number") or title
    drawn = pocket(part.x, part.y, part.width, title, state)
    return drawn.replace(f'<g class="pocket {state}"', f'<g id="{part.id}" class="{classes}"', 1)
