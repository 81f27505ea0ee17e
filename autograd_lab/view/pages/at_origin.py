"""Parts drawn as if each stood in the corner, where most drawings are alike, and where they really are."""

from __future__ import annotations

import re

from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.shapes.pocket import SIZE
from autograd_lab.view.kit.shapes.stroke import say, wide
from autograd_lab.view.pages.local_products import KIND as REASON
from autograd_lab.view.pages.local_products import draw_reason

VERSION = re.compile(r" v\d")
"""What follows the name of what was saved."""
NEAR = 4
"""So much wider than its pocket a name may be, px."""
LINES = ("link", "drop")
ANCHORED = ("cycle", "versions")
"""Parts whose drawings reach beyond them."""


def drawn_at_origin(picture: Picture, part: Part, look: Look) -> str:
    """A part as if it stood in the corner; lines where they are."""
    route = picture.drawing.routes.get(part.of if part.kind == "number" else part.id)
    if part.kind == REASON:
        return draw_reason(part, look)
    if part.text == "tick":
        return _named_tick(picture.draw(part.at_origin(), look, route), part, look)
    if part.kind in LINES:
        return picture.draw(part, look, route)
    if part.kind in ANCHORED or (part.kind == "number" and look.text("hook")):
        drawn = picture.draw(part, look, route)
        return f'<g><g transform="translate({-part.x:.7g} {-part.y:.7g})">{drawn}</g></g>' if drawn else ""
    return picture.draw(part.at_origin(), look, route)


def _named_tick(drawn: str, part: Part, look: Look) -> str:
    """A pocket that is too small for words has its name below it, where one looks closely, if that is no wider."""
    name = VERSION.split(look.text("title"))[0]
    width = wide(name, SIZE)
    if not drawn or not name or width > part.width + NEAR:
        return drawn
    return drawn.removesuffix("</g>") + say(name, (part.width - width) / 2, part.height + SIZE) + "</g>"


def place_of(part: Part, routes: dict[str, Path]) -> tuple[float, float, float, float]:
    """Corner and size; of a line those of what it spans."""
    if part.id not in routes:
        return part.x, part.y, part.width, part.height
    xs, ys = zip(*routes[part.id], strict=True)
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
