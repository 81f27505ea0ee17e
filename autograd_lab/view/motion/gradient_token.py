"""The number of a gradient on its way, by itself, as the capsule on a line shows it."""

from __future__ import annotations

from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.shapes.capsule import FLYING
from autograd_lab.view.kit.shapes.stroke import group, rect, say


def gradient_token(label: str, sign: str = "plus") -> str:
    """A capsule around the origin; without a number it is a drop."""
    high = FLYING + 9.0 if label else FLYING
    wide = max(high, text_width(label, FLYING, bold=True) + FLYING * 1.1) if label else high
    shape = rect("shape", -wide / 2, -high / 2, wide, high, high / 2)
    return group(f"capsule {sign} flying", shape, say(label, 0, 0.36 * FLYING) if label else "")
