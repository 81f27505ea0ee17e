"""One sheet for all: what was captured, with what becomes of each operation; what is left; the Python that runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograd_lab.view.compiled.graph import Places, say, stage_picture
from autograd_lab.view.compiled.sheet import sheet_picture
from autograd_lab.view.compiled.style import style_sheet
from autograd_lab.view.compiled.told import AGAIN, CHANGED, GONE, LOOP, SAVED, SIGNS, TAKES, Compilation, Sheet, Stage
from autograd_lab.view.font import clean, text_width
from autograd_lab.view.frame import wrap

MARGIN = 28.0
HEADING = 58.0
APART = 44.0
ABREAST = 1800.0
"""Panels stand side by side up to this width, px."""
MEANINGS = {
    GONE: "left out", CHANGED: "done in another way", LOOP: "part of a loop over tiles", SAVED: "kept for backward",
    AGAIN: "computed again in backward", TAKES: "takes from forward",
}  # fmt: skip

Panel = tuple[str, str, str, float, float]
"""A heading, a sentence, a drawing, its width and height."""
Rows = list[list[Panel]]
"""Panels side by side, row by row."""


def picture(told: Compilation, widest: float = ABREAST) -> str:
    """An SVG of all: what was captured, what is left, the Python that runs. It is `widest` px wide, or as need be."""
    chosen, places = (told.stages[0], told.stages[-1]), Places(told, widest)
    rows = in_rows([stage_panel(stage, places) for stage in chosen], widest)
    rows += in_rows(list(map(sheet_panel, told.sheets)), max(widest, places.width))
    body, y = [say(told.title, MARGIN, MARGIN + 20, "moment")], MARGIN + 34
    facts = [line for fact in told.facts for line in wrap(fact, max(widest, *map(_wide, rows)), 17, most=9)]
    for fact in facts:
        y += 24
        body.append(say(fact, MARGIN, y, "fact"))
    drawn, width, height = _rows(rows, chosen, y + 18)
    width = max([width, *(text_width(fact, 17) for fact in facts)])
    return _whole(told.title, told.facts, "".join(body) + drawn, width + 2 * MARGIN, height)


def part_picture(rows: Rows, stages: Sequence[Stage] = ()) -> str:
    """An SVG of some panels alone, of these stages."""
    drawn, width, height = _rows(rows, stages, 12)
    names = [panel[0] for row in rows for panel in row]
    return _whole(", ".join(names), (), drawn, width + 2 * MARGIN, height)


def stage_panel(stage: Stage, places: Places) -> Panel:
    """A stage under its name."""
    return (stage.name, stage.says, *stage_picture(stage, places))


def sheet_panel(sheet: Sheet) -> Panel:
    """A listing under its name."""
    return (sheet.title, sheet.says, *sheet_picture(sheet))


def in_rows(panels: list[Panel], widest: float) -> Rows:
    """Panels side by side if they take no more than `widest` px, else below each other."""
    return [panels] if _wide(panels) <= widest else [[one] for one in panels]


def _rows(rows: Rows, stages: Sequence[Stage], y: float) -> tuple[str, float, float]:
    """The panels below a legend; their width, and where they end."""
    legend, y = _legend(stages, y)
    body = [legend]
    for row in rows:
        x = MARGIN
        for panel in row:
            body.append(_panel(panel, x, y))
            x += _width(panel) + APART
        y += HEADING + max(panel[4] for panel in row) + 34
    return "".join(body), max([700.0, *map(_wide, rows)]), y


def _wide(panels: list[Panel]) -> float:
    return sum(map(_width, panels)) + APART * (len(panels) - 1)


def _width(panel: Panel) -> float:
    return max(panel[3], text_width(panel[0], 19, bold=True), text_width(panel[1], 15))


def _panel(panel: Panel, x: float, y: float) -> str:
    heading, says, drawn, _, _ = panel
    texts = say(heading, x, y + 30, "heading") + say(says, x, y + 51, "says")
    return f'{texts}<g transform="translate({x:.7g} {y + HEADING + 10:.7g})">{drawn}</g>'


def _legend(stages: Sequence[Stage], y: float) -> tuple[str, float]:
    """The signs that occur, in one line, and where what follows begins."""
    sorts = {mark.sort for stage in stages for marks in stage.marks.values() for mark in marks}
    entries = [f"{SIGNS[sort]} {words}" for sort, words in MEANINGS.items() if sort in sorts]
    if not entries:
        return "", y
    return say("     ".join(entries), MARGIN, y + 8, "says"), y + 22


def _whole(title: str, facts: Sequence[str], body: str, width: float, height: float) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    said = escape(clean(" ".join(facts)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">'
        f"<title>{escape(clean(title))}</title><desc>{said}</desc><style>{style_sheet()}</style>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>{body}</svg>'
    )
