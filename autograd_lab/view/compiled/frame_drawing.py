"""What stands on the sheet of a compilation, as SVG: its cards, the program's lines, the legend."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace

from autograd_lab.view.compiled.drawing import DRAW
from autograd_lab.view.compiled.frame import MARGIN, Frame
from autograd_lab.view.compiled.legend import LEGEND_ROW, LEGEND_WIDTH, Entry, columns_in
from autograd_lab.view.kit.part import UNKNOWN, Look, Part
from autograd_lab.view.kit.pen import Path, group, rect, say
from autograd_lab.view.kit.unknown import or_else

Routes = Mapping[str, Path]
SMALL = 12.0


def draw_part(part: Part, look: Look, routes: Routes) -> str:
    """One part alone; empty where there is nothing to see of it."""
    drawn = _drawn(part, look, routes)
    return _unknown(part, routes) if drawn is None else drawn


@or_else(None)
def _drawn(part: Part, look: Look, routes: Routes) -> str | None:
    return DRAW[part.kind](part, look, routes) if part.kind in DRAW else _AROUND[part.kind](part, look)


def _unknown(part: Part, routes: Routes) -> str:
    """A part that cannot be drawn; of a line there is nothing to see then."""
    if part.id in routes:
        return ""
    sign = say("?", part.x + part.width / 2, part.y + part.height / 2 + SMALL / 2, "bold")
    return group(part, part.kind, UNKNOWN, rect(part, 3) + sign)


def _edge(part: Part, look: Look) -> str:
    """A side like torn paper, where the recording broke off."""
    teeth = 2 * max(2, round(part.height / 20))
    zigzag = "".join(f"l{part.width * (-1) ** tooth:.6g} {part.height / teeth:.6g}" for tooth in range(teeth))
    return group(part, "edge", look, f'<path class="torn" d="M{part.x:.7g} {part.y:.7g}{zigzag}"/>')


def _title(part: Part, look: Look) -> str:
    count = say(look.text("count"), part.x + part.width, part.y + 24, "count")
    return group(part, "title", look, say(look.text("headline"), part.x, part.y + 26, "headline") + count)


def _caption(part: Part, look: Look) -> str:
    lines = (say(text, part.x, part.y + 18 + 23 * n) for n, (_, text) in enumerate(look.texts))
    return group(part, "caption", look, "".join(lines))


def _code(part: Part, look: Look) -> str:
    y = part.y + 15.5
    number = say(look.text("number"), part.x + 34, y, "number")
    note = say(look.text("note"), part.x + part.width - 8, y, "note")
    text = say(look.text("code"), part.x + 44, y)
    return group(part, "code", look, (rect(part, 0, "row") if look.classes else "") + number + text + note)


_AROUND: dict[str, Callable[[Part, Look], str]] = {"edge": _edge, "title": _title, "caption": _caption, "code": _code}


def draw_panel(frame: Frame) -> str:
    """What the lines of the program lie on."""
    if not frame.lines:
        return ""
    return rect(Part("", "", "", MARGIN, frame.below - 6, frame.code_width, frame.height + 12), 6, "panel")


def legend_rows(entries: Container[Entry], places: list[Entry], frame: Frame) -> list[str]:
    """A row of the legend for each of `places`; those that are not among `entries` are empty."""
    left = MARGIN + frame.code_width + 30
    high = -(-len(places) // columns_in(frame.width - MARGIN - left))
    drawn = []
    for number, entry in enumerate(places):
        x = left + LEGEND_WIDTH * (number // high)
        y = frame.below + LEGEND_ROW * (number % high)
        drawn.append(swatch(entry, x, y) + say(entry.meaning, x + 52, y + 14) if entry in entries else "")
    return drawn


def swatch(entry: Entry, x: float, y: float) -> str:
    """The sample that stands before a line of the legend."""
    look = Look((entry.swatch,))
    part = Part(f"legend-{entry.kind}-{entry.needs}", entry.kind, "", x, y + 1, 40, 18)
    if entry.kind == "edge":
        return _edge(replace(part, width=8), look)
    kind = {"input": "call"}.get(entry.kind, entry.kind)
    radius = 7 if entry.swatch in ("input", "tangent") else 3
    sample = say(entry.sample, x + 20, y + 14, "sample")
    return group(part, kind, look, (rect(part, radius) if entry.kind != "text" else "") + sample)
