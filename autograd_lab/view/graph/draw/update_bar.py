"""The bar of an update as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.view.graph.training_cycle import LINE_SHARE, Turn
from autograd_lab.view.kit.font import fit, text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.stroke import group, rect, say
from autograd_lab.view.kit.shapes.wire import recorded, ribbon

WIDE = 5.0
APART = 22.0


def draw_cycle(part: Part, look: Look, turns: Sequence[Turn]) -> str:
    """The bar with its arrows, once the update is done."""
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
    drawn += [_arrows(turn, y) for turn in turns]
    return group("cycle", *drawn, id=part.id)


def _arrows(turn: Turn, top: float) -> str:
    third = (top - turn.top) / 3
    up = tuple((turn.up, top - third * n) for n in range(4))
    down = tuple((turn.down, turn.top + third * n) for n in range(4))
    words = say(turn.moved, turn.down + 13, turn.top + 2 * third + 2, "fine") if turn.moved else ""
    return recorded(up, state="update") + ribbon(down, WIDE, 1.0) + words
