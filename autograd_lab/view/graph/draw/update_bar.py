"""The bar of an update as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.view.graph.training_cycle import BESIDE, LINE_SHARE, MOVED, SIGN, Turn
from autograd_lab.view.kit.font import fit, text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.stroke import group, rect, say
from autograd_lab.view.kit.shapes.width import Widths
from autograd_lab.view.kit.shapes.wire import recorded, ribbon

APART = 22.0
AFTER = 90.0
"""Room for the words after the last arrow, px."""


def draw_cycle(part: Part, look: Look, turns: Sequence[Turn], widths: Widths) -> str:
    """The bar, once the update begins, with what goes down to it, and up to each card that it has changed."""
    if "coming" in look.classes:
        return ""
    x, y, width, height = part.x, part.y, part.width, part.height
    drawn = [rect("shape", x, y, width, height, height / 2)]
    line, rule = fit(look.text("line"), LINE_SHARE * width, 15, mono=True), look.text("rule")
    all_of = text_width(line, 15, mono=True) + (APART + text_width(rule, 15, bold=True) if rule else 0)
    if all_of > width - 24:
        rule, all_of = "", text_width(line, 15, mono=True)
    left, base = x + (width - all_of) / 2, y + height / 2 + 5.4
    drawn.append(say(line, left, base, "source"))
    drawn.append(say(rule, x + (width + all_of) / 2, base, "strong end") if rule else "")
    ends = [turn.up for turn in turns[1:]] + [x + width + AFTER]
    sign = next(sign for sign in (SIGN, "", None) if sign is None or _have_room(turns, ends, sign))
    ahead = look.text("ahead").split()
    for number, turn in enumerate(turns):
        drawn.append(_arrows(turn, y, sign, widths(turn.gradient), done=str(number) not in ahead))
    return group("cycle", *drawn, id=part.id)


def _have_room(turns: Sequence[Turn], ends: Sequence[float], sign: str) -> bool:
    """Whether all words for how far weights move fit between the arrows, with a sign before them."""
    if sign and not all(turn.is_signed for turn in turns):
        return False
    rooms = [end - turn.down - 2 * BESIDE for turn, end in zip(turns, ends, strict=True)]
    return all(text_width(sign + turn.moved, MOVED, bold=True) <= room for turn, room in zip(turns, rooms, strict=True))


def _arrows(turn: Turn, top: float, sign: str | None, wide: float, *, done: bool) -> str:
    """What goes down at a card, so wide; once it is done, what goes up; with a `sign`, or an empty one, by how much its
    weights move: beside the shaft of the arrow, for its tip is wider."""
    third = (top - turn.top) / 3
    up = tuple((turn.up, top - third * n) for n in range(4))
    down = tuple((turn.down, turn.top + third * n) for n in range(4))
    if not done:
        return ribbon(down, wide, turn.gradient)
    is_told = sign is not None and turn.moved
    words = (
        say(f"{sign}{turn.moved}", turn.down + BESIDE, turn.top + turn.share * (top - turn.top) + 5, "moved")
        if is_told
        else ""
    )
    return recorded(up, state="update") + ribbon(down, wide, turn.gradient) + words
