"""Lanes as SVG: a weight that all turns of a loop use, with a part for each use."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.view.kit.font import fit
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.stroke import group, rect, say

WIDEST, EDGE = 40.0, 8.0
"""Width of a bar, and how near it comes to the end of its lane, px."""
TITLE = 108.0
"""Room for name and `.grad` at the left, px."""


def draw_lane(part: Part, look: Look, uses: Sequence[tuple[float, float]]) -> str:
    """A lane whose uses come down at (x, room) each, in px from its left side."""
    x, y, height = part.x, part.y, part.height
    drawn = [rect("shape", x, y, part.width, height, 8)]
    drawn.append(say(fit(look.text("name").rsplit(".", 1)[-1], TITLE, 18, bold=True), x + 14, y + 25, "name"))
    drawn.append(say(fit(look.text("grad"), TITLE, 13.5, bold=True), x + 14, y + height - 10, "note plus"))
    parts = look.text("parts").split()
    inner = [_use(x + at, y, min(WIDEST, 0.7 * room, 2 * (part.width - EDGE - at)), height, height_text)
             for (at, room), height_text in zip(uses, parts, strict=False)]  # fmt: skip
    return group(f"lane {' '.join(look.classes[1:])}", *drawn, group("part", *inner), id=part.id)


def _use(middle: float, top: float, width: float, height: float, part: str) -> str:
    inner = height - 10
    if part == "-":
        return rect("expected", middle - width / 2, top + 6, width, inner, 2)
    if part == "0":
        return ""  # exactly nothing came
    tall = inner * int(part) / 100
    return rect("plus", middle - width / 2, top + height - 4 - tall, width, tall, 2)
