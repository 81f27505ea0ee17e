"""Two pictures on one page, with marks on what differs and, below them, what differs in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograd_lab.view.compare.both import Both
from autograd_lab.view.compare.one_of_two import Mark
from autograd_lab.view.graph.frame import wrap
from autograd_lab.view.kit.font import FAMILY, clean, fit
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.style import LIGHT, MARKS
from autograd_lab.view.pages.sheet import columns_for, inset, with_own_ids
from autograd_lab.view.png import svg_size
from autograd_lab.view.svg import scene_svg

MARGIN, GAP, HEADING, TEXT, ROW = 24.0, 24.0, 30.0, 15.0, 22.0
"""Around the page, between the pictures, above each; size of a sentence and height of its line, px."""
LINES = 24
"""So many lines say what differs; the player lists all of it."""
OFF, FLAG, FLAG_WIDTH = 7.0, 15.0, 66.0
"""How far a frame stands off what it is around, and the size of its flag, px; as in `widgets/src/marks.ts`."""


def diptych(both: Both, beat: int | None = None) -> str:
    """The SVG of both graphs at a beat, by default the last. Raises IndexError for a beat that there is not."""
    beats = both.pairing.beats
    at = len(beats) - 1 if beat is None else beat
    if not 0 <= at < len(beats):
        raise IndexError(f"there are beats 0 to {len(beats) - 1}, no beat {at}")
    pictures = [_marked(both, side, beats[at][side], at) for side in (0, 1)]
    sizes = [svg_size(picture) for picture in pictures]
    width, height = (max(sides) for sides in zip(*sizes, strict=True))
    columns = columns_for(2, width + GAP, height + HEADING)
    across, down = width + GAP, height + HEADING + GAP
    places = [(MARGIN + side % columns * across, MARGIN + side // columns * down) for side in (0, 1)]
    drawn = [
        _say(fit(clean(title), width, 20, bold=True), x, y + 18, 20, bold=True) + inset(picture, x, y + HEADING)
        for picture, title, (x, y) in zip(pictures, both.titles, places, strict=True)
    ]
    page = columns * across - GAP + 2 * MARGIN
    told, bottom = _sentences(both.told, MARGIN + (2 // columns) * down, page - 2 * MARGIN)
    size = f'width="{page:.0f}" height="{bottom:.0f}" viewBox="0 0 {page:.0f} {bottom:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(clean(both.title))}</title>'
        f'<desc>{escape(clean(" ".join(both.told)))}</desc><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{''.join(drawn)}{told}</svg>"
    )


def _sentences(told: Sequence[str], top: float, width: float) -> tuple[str, float]:
    """What differs, from `top` downwards, and where that ends."""
    lines = [
        (line, number == 0)
        for sentence in told or ["Nothing: both do the same."]
        for number, line in enumerate(wrap(clean(sentence), width - 16, TEXT, 3))
    ]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], ("… and more, which the player tells", True)]
    drawn = [_say("What differs", MARGIN, top + TEXT, TEXT + 2, bold=True)]
    for number, (line, is_first) in enumerate(lines, 1):
        y = top + TEXT + 4 + ROW * number
        drawn.append((_say("•", MARGIN, y, TEXT) if is_first else "") + _say(line, MARGIN + 16, y, TEXT))
    return "".join(drawn), top + TEXT + 4 + ROW * len(lines) + MARGIN


def _say(text: str, x: float, y: float, size: float, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    font = f'font-family="{FAMILY}" font-size="{size:g}"{weight} fill="{LIGHT["ink"]}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {font} xml:space="preserve">{escape(text)}</text>'


def _marked(both: Both, side: int, step: int, beat: int) -> str:
    """The picture of one side with its marks, whose ids are its own."""
    scene = both.scenes[side]
    state = scene.state(step)
    parts = {part.id: part for part in scene.parts}
    marks = [mark for each in both.differences for mark in each.marks if mark.side == side and mark.holds(beat)]
    seen = (mark for mark in marks if "hidden" not in scene.look(parts[mark.parts[0]], state).classes)
    signs = "".join(_sign(mark, [parts[name] for name in mark.parts]) for mark in seen)
    rules = f"<style>{MARKS.substitute(LIGHT).strip()}</style>"
    return with_own_ids(scene_svg(scene, step), f"{'ab'[side]}-").replace("</svg>", f"{rules}{signs}</svg>")


def _sign(mark: Mark, parts: Sequence[Part]) -> str:
    left, top = min(part.x for part in parts), min(part.y for part in parts)
    right, bottom = max(part.x + part.width for part in parts), max(part.y + part.height for part in parts)
    if not mark.only:
        x, y = right + 8, top + min((bottom - top) / 2, 12)
        sign = f'<text x="{x:.1f}" y="{y + 5:.1f}" font-size="14" text-anchor="middle">≠</text>'
        return f'<g class="differs"><circle cx="{x:.1f}" cy="{y:.1f}" r="8.5"/>{sign}</g>'
    x, y, width, height = left - OFF, top - OFF, right - left + 2 * OFF, bottom - top + 2 * OFF
    frame = f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>'
    flag = f'<rect class="flag" x="{x + 8:.1f}" y="{y - FLAG / 2:.1f}" width="{FLAG_WIDTH}" height="{FLAG}" rx="3"/>'
    words = (
        f'<text x="{x + 8 + FLAG_WIDTH / 2:.1f}" y="{y + 4:.1f}" font-size="11" text-anchor="middle">only here</text>'
    )
    return f'<g class="only">{frame}{flag}{words}</g>'
