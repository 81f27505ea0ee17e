"""Lanes as SVG: a weight that all turns of a loop use, with a part for each use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograd_lab.view.graph.draw.card_drawing import tile_in
from autograd_lab.view.kit.font import fit, text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.stroke import group, rect, say

NAME, MANY, NOTE = 18.0, 17.0, 13.5
"""Sizes of a lane's name, of its value, and of what stands in small, px."""
LOW = 50
"""Above bars lower than this there is room for a number, in hundredths of the lane."""
LEAST_TILE, MOST_TILE, CLEAR = 26.0, 72.0, 24.0
"""A tile is at least and at most so wide, and so far from the first use, px."""
WIDEST, EDGE = 40.0, 8.0
"""Width of a bar, and how near it comes to the end of its lane, px."""
TITLE = 108.0
"""Room for name and `.grad` at the left, px."""


def draw_lane(part: Part, look: Look, uses: Sequence[tuple[float, float]]) -> str:
    """A lane whose uses come down at (x, room) each, in px from its left side."""
    x, y, height = part.x, part.y, part.height
    drawn = [rect("shape", x, y, part.width, height, 8)]
    name = fit(look.text("name"), TITLE, NAME, bold=True)
    drawn.append(say(name, x + 14, y + 25, "name"))
    drawn.append(say(fit(look.text("grad"), TITLE, NOTE, bold=True), x + 14, y + height - 10, "note plus"))
    beside = text_width(name, NAME, bold=True) + 10
    if beside + text_width(look.text("value"), MANY) <= TITLE:
        drawn.append(say(look.text("value"), x + 14 + beside, y + 25, "many"))
    drawn.append(_tiles(part, look, tile_side(part, uses)))
    parts = look.text("parts").split()
    drawn.append(group("numbers", *_numbers(part, look, uses)))
    signs = look.text("signs").split()
    inner = [_use(x + at, y, _width(part, at, room), height, height_text, sign)
             for (at, room), height_text, sign in zip(uses, parts, signs, strict=False)]  # fmt: skip
    return group(f"lane {' '.join(look.classes[1:])}", *drawn, group("part", *inner), id=part.id)


def tile_side(part: Part, uses: Sequence[tuple[float, float]]) -> float:
    """Width of the tiles of a lane, px; 0 where there is no room for two up to its first use."""
    room = min((at for at, _ in uses), default=0.0) - TITLE - 14 - CLEAR
    side = min(part.height - 2 * EDGE, (room - EDGE) / 2, MOST_TILE)
    return side if side >= LEAST_TILE else 0.0


def _tiles(part: Part, look: Look, side: float) -> str:
    """What the weight holds, and beside it its `.grad`."""
    texts, x, high = (look.text("tile"), look.text("gtile")), part.x + 14 + TITLE, part.height - 2 * EDGE
    return "".join(
        tile_in(text, bool(number), side, high, x + number * (side + EDGE), part.y + EDGE)
        for number, text in enumerate(texts)
        if text and side
    )


def _numbers(part: Part, look: Look, uses: Sequence[tuple[float, float]]) -> Iterator[str]:
    """What each use has brought, at the left of its bar, where the lines to lower lanes do not run; or above it."""
    places = [TITLE, *sorted(at for at, _ in uses), part.width]
    told = (look.text(name).split() for name in ("numbers", "parts", "signs"))
    for (at, room), text, tall, sign in zip(uses, *told, strict=False):
        which, half = places.index(at), _width(part, at, room) / 2
        before, after = at - places[which - 1], places[which + 1] - at
        wide = text_width(text, NOTE, bold=True)
        low, kind = part.y + part.height - 9, f"note {sign}"
        if text != "-" and wide + 2 * half + 10 <= before:
            yield say(text, part.x + at - half - 5, low, f"{kind} end")
        elif text != "-" and wide / 2 <= min(before, after - wide / 2) and int(tall) < LOW:
            yield say(text, part.x + at, low - part.height * int(tall) / 100, f"{kind} mid")


def _width(part: Part, at: float, room: float) -> float:
    return min(WIDEST, 0.7 * room, 2 * (part.width - EDGE - at))


def _use(middle: float, top: float, width: float, height: float, part: str, sign: str) -> str:
    inner = height - 10
    if part == "-":
        return rect("expected", middle - width / 2, top + 6, width, inner, 2)
    if part == "0":
        return ""  # exactly nothing came
    tall = inner * int(part) / 100
    return rect(sign, middle - width / 2, top + height - 4 - tall, width, tall, 2)
