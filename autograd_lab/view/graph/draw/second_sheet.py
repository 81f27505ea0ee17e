"""Sheets as SVG: below the cards of a second layer."""

from __future__ import annotations

from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.outline import layer


def draw_sheet(part: Part, look: Look) -> str:
    """A sheet, once its pass has begun to record."""
    if "coming" in look.classes:
        return ""
    return f'<g id="{part.id}">{layer(part.x, part.y, part.width, part.height, part.text)}</g>'
