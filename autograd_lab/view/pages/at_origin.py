"""Parts drawn as if each stood in the corner, where most drawings are alike, and where they really are."""

from __future__ import annotations

import re
from itertools import islice

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.face import HANG_SIDE
from autograd_lab.view.graph.facts.state import is_kept
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.shapes.pocket import SIZE
from autograd_lab.view.kit.shapes.stroke import say, wide
from autograd_lab.view.pages.local_products import KIND as REASON
from autograd_lab.view.pages.local_products import draw_reason

VERSION = re.compile(r"(?:^| )v\d+(?:,.*)?$")
"""What follows the name of what was saved, or stands alone where that has none."""
NEAR = 4
"""So much wider than its pocket a name may be, px."""
BELOW = 16
"""So far below its pocket a name reaches, px."""
RIM = 4
"""So much is shown around a picture, so that no outline is cut off where it touches the edge of its pane, px."""
LINES = ("link", "drop")
ANCHORED = ("cycle", "versions")
"""Parts whose drawings reach beyond them."""


def drawn_at_origin(picture: Picture, part: Part, look: Look) -> str:
    """A part as if it stood in the corner; lines where they are."""
    route = picture.drawing.routes.get(part.of if part.kind == "number" else part.id)
    if part.kind == REASON:
        return draw_reason(part, look)
    if part.text == "tick":
        return _named_tick(picture, picture.draw(part.at_origin(), look, route), part, look)
    if part.kind in LINES:
        return picture.draw(part, look, route)
    if part.kind in ANCHORED or (part.kind == "number" and look.text("hook")):
        drawn = picture.draw(part, look, route)
        return f'<g><g transform="translate({-part.x:.7g} {-part.y:.7g})">{drawn}</g></g>' if drawn else ""
    return picture.draw(part.at_origin(), look, route)


def _named_tick(picture: Picture, drawn: str, part: Part, look: Look) -> str:
    """A pocket that is too small for words has its name beside it, if it is the only one of its card and lines leave
    room; else below it, if the name is no wider."""
    name = VERSION.split(look.text("title"))[0]
    width = wide(name, SIZE)
    if not drawn or not name:
        return drawn
    card = picture.drawing.pockets[part.id].card
    if _is_alone(card) and HANG_SIDE + part.width + NEAR + width <= picture.choice.faces[card.id].hang_width:
        return drawn.removesuffix("</g>") + say(name, part.width + NEAR, part.height + 1) + "</g>"
    if width > part.width + NEAR:
        return drawn
    return drawn.removesuffix("</g>") + say(name, (part.width - width) / 2, part.height + SIZE) + "</g>"


def _is_alone(card: Card) -> bool:
    """Whether a card has one pocket."""
    kept = (slot for op in card.ops for slot in op.slots if is_kept(slot))
    return len(list(islice(kept, 2))) == 1


def height_of(picture: Picture) -> float:
    """How far down a picture reaches, with the names below its pockets."""
    ticks = (part for part in picture.parts if part.text == "tick")
    named = (part for part in ticks if not _is_alone(picture.drawing.pockets[part.id].card))
    return max([picture.choice.placed.height, *(part.y + part.height + BELOW for part in named)])


def place_of(part: Part, routes: dict[str, Path]) -> tuple[float, float, float, float]:
    """Corner and size; of a line those of what it spans."""
    if part.id not in routes:
        return part.x, part.y, part.width, part.height
    xs, ys = zip(*routes[part.id], strict=True)
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
