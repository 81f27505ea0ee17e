"""A scene at a step as SVG: one small function a kind of part, styled by the classes that the look names.

All text of the user's program goes through `_say`, which escapes it and marks characters that the font cannot draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import escape

from autograd_lab.view.cell import (
    FLAG,
    HEADING,
    HEAT,
    LINE,
    NAME,
    PAD,
    SIGN,
    SMALL,
    TABLE,
    TABLE_LINE,
    VALUE,
    Part,
    value_size,
)
from autograd_lab.view.fold_cell import FIRST, PITCH, SHEET
from autograd_lab.view.font import clean, fit, text_width
from autograd_lab.view.frame import CODE, GAP, HEAD, MARGIN
from autograd_lab.view.legend import LEGEND_ROW, LEGEND_WIDTH, Entry, columns_in, entries_of
from autograd_lab.view.look import Look
from autograd_lab.view.scene import FRAME_KINDS, Path, Scene
from autograd_lab.view.style import style_sheet


def to_svg(scene: Scene, step: int | None = None, *, same_size: bool = False) -> str:
    """The picture after `step` events, by default after all. Raises IndexError for a step that there is not.

    The graph stands where it always stands; the program's lines follow right below it or, with `same_size`, where they
    are below the highest of all steps.
    """
    state = scene.state(scene.steps if step is None else step)
    looks = [(part, scene.look(part, state)) for part in scene.parts]
    drawn = [(part, look) for part, look in looks if "hidden" not in look.classes]
    entries = entries_of((part.kind, look) for part, look in drawn)
    graph = [draw_part(part, look, scene) for part, look in drawn if part.kind != "code"]
    code = [draw_part(part, look, scene) for part, look in drawn if part.kind == "code"]
    up = 0.0 if same_size else scene.frame.below - GAP - _bottom(scene, [part for part, _ in drawn])
    below = "".join([_panel(scene), *code, _legend(scene, entries), _foot(scene, scene.height_for(len(entries)))])
    body = [*graph, f'<g transform="translate(0 {-up:.1f})">{below}</g>']
    height = scene.height if same_size else scene.height_for(len(entries)) - up
    size = f'width="{scene.width:.0f}" height="{height:.0f}" viewBox="0 0 {scene.width:.0f} {height:.0f}"'
    title = escape(clean(scene.frame.captions.moment(state)))
    said = escape(clean(scene.frame.captions.at(state)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title><desc>{said}</desc>'
        f'<style>{style_sheet()}</style><rect width="100%" height="100%" fill="#ffffff"/>{"".join(body)}</svg>'
    )


def draw_part(part: Part, look: Look, scene: Scene) -> str:
    """One part alone; empty where there is nothing to see of it."""
    return _DRAW[part.kind](part, look, scene)


def _bottom(scene: Scene, drawn: list[Part]) -> float:
    """How far down the graph reaches."""
    parts = [part.y + part.height for part in drawn if part.kind not in FRAME_KINDS]
    lines = [y for part in drawn if part.id in scene.routes for _, y in scene.routes[part.id]]
    return max([*parts, *lines], default=HEAD)


def _say(text: str, x: float, y: float, classes: str = "", *, size: float = SMALL, anchor: str = "start") -> str:
    if not text:
        return ""
    kind = f' class="{classes}"' if classes else ""
    where = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"' + (f' text-anchor="{anchor}"' if anchor != "start" else "")
    return f'<text {where}{kind} xml:space="preserve">{escape(clean(text))}</text>'


def _group(part: Part, kind: str, look: Look, inner: str) -> str:
    return f'<g id="{part.id}" class="{" ".join((kind, *look.classes))}">{inner}</g>'


def _rect(part: Part, radius: float, classes: str = "shape") -> str:
    return (
        f'<rect class="{classes}" x="{part.x:.1f}" y="{part.y:.1f}" width="{part.width:.1f}" '
        f'height="{part.height:.1f}" rx="{radius:g}"/>'
    )


def _framed(part: Part, radius: float) -> str:
    return _rect(part, radius, "halo") + _rect(part, radius)


def _box(part: Part, look: Look, scene: Scene) -> str:
    radius = 10 if "leaf" in look.classes else 3
    x, y = part.x + PAD, part.y + PAD + NAME - 4
    badge = look.text("version")
    room = part.width - 2 * PAD - (34 if badge else 0)
    inner = _framed(part, radius) + _say(fit(look.text("name"), room, NAME, bold=True), x, y, "bold", size=NAME)
    if badge:
        inner += _rect(Part("", "", "", part.x + part.width - 38, part.y + 6, 31, 17), 8, "badge")
        inner += _say(badge, part.x + part.width - 22.5, part.y + 18.5, "version bold", size=11, anchor="middle")
    inner += _value(look, x, y + 4, part.width - 2 * PAD)
    size = value_size(scene.looks.history.boxes[part.of])[1] if part.of else 0
    inner += _say(look.text("meta"), x, y + 4 + size + LINE, "small")
    return _group(part, "box", look, inner)


def _value(look: Look, x: float, y: float, width: float) -> str:
    """Heat cells if there are any, and lines of numbers, downwards from y."""
    lines = [text for name, text in look.texts if name.startswith("value")]
    if look.text("heat"):
        rows = look.text("heat").split("/")
        cells = _heat(rows, x, y + 4)
        frame = Part("", "", "", x, y + 4, HEAT * max(map(len, rows)), HEAT * len(rows))
        below = y + HEAT * len(rows) + LINE + 1
        return cells + _rect(frame, 0, "heat") + _say(fit(lines[0], width, SMALL), x, below, "value")
    size, pitch = (VALUE, LINE) if len(lines) == 1 else (TABLE, TABLE_LINE)
    return "".join(
        _say(fit(line, width + 4, size, mono=True), x, y + pitch * (number + 1), "mono value", size=size)
        for number, line in enumerate(lines)
    )


def _heat(rows: list[str], x: float, y: float) -> str:
    """Heat cells downwards from (x, y): one path for all cells of a level."""
    paths: dict[str, list[str]] = {}
    for row, levels in enumerate(rows):
        for column, level in enumerate(levels):
            paths.setdefault(level, []).append(_square(row, column))
    drawn = "".join(f'<path class="h{level}" d="{"".join(squares)}"/>' for level, squares in sorted(paths.items()))
    return f'<g transform="translate({x:.1f} {y:.1f})">{drawn}</g>'


@cache
def _square(row: int, column: int) -> str:
    return f"M{HEAT * column:g} {HEAT * row:g}h{HEAT:g}v{HEAT:g}h-{HEAT:g}z"


def _flow(part: Part, look: Look, scene: Scene) -> str:
    text = look.text("flow")
    if not text:
        return ""
    return _group(part, "flow", look, _rect(part, 4, "halo") + _say("↩ " + text, part.x + PAD, part.y + 14))


def _dock(part: Part, look: Look, scene: Scene) -> str:
    """AccumulateGrad, docked to its leaf."""
    inner = Part(part.id, part.kind, part.of, part.x, part.y + 3, part.width, part.height - 6)
    text = _say(look.text("title"), part.x + part.width / 2, part.y + 19, size=SMALL, anchor="middle")
    return _group(part, "dock", look, _framed(inner, 12) + text)


def _grad(part: Part, look: Look, scene: Scene) -> str:
    title = _say(look.text("title"), part.x + PAD, part.y + 18, "title")
    value = _value(look, part.x + PAD + 42, part.y + 1, part.width - 2 * PAD - 42)
    return _group(part, "grad", look, _framed(part, 3) + title + value)


def _pill(part: Part, look: Look, scene: Scene) -> str:
    number = " · ".join(filter(None, (look.text("number"), look.text("state"))))
    size = SIGN if "sign" in look.classes else NAME
    centre, middle = part.x + part.width / 2, part.y + part.height / 2
    title = _say(look.text("title"), centre, middle + (0 if number else size / 3), "bold", size=size, anchor="middle")
    count = _say(number, centre, middle + 16, "small", anchor="middle")
    return _group(part, "pill", look, _framed(part, min(part.height / 2, 23)) + title + count)


def _slot(part: Part, look: Look, scene: Scene) -> str:
    """A tab on top of its pill; torn along its upper edge when stale, with a pin when retained."""
    x, y, right, bottom = part.x, part.y, part.x + part.width, part.y + part.height
    tab = f"M{x:.1f} {bottom:.1f}V{y:.1f}H{right - 6:.1f}L{right:.1f} {y + 6:.1f}V{bottom:.1f}Z"
    teeth = max(4, int(part.width // 12))
    steps = ((x + part.width * (tooth + 1) / teeth, y + 4 * (tooth % 2 == 0)) for tooth in range(teeth))
    zigzag = "".join(f"L{across:.1f} {down:.1f}" for across, down in steps)
    torn = f"M{right:.1f} {bottom:.1f}H{x:.1f}V{y:.1f}{zigzag}Z"
    pin = f'<circle class="pin" cx="{right - 12:.1f}" cy="{y + 8:.1f}" r="4.5"/>'
    state, end = look.text("state"), right - (20 if "retained" in look.classes else 9)
    room = end - x - 18 - text_width(state, SMALL, bold=True)
    texts = _say(fit(look.text("title"), room, SMALL), x + 8, y + 16) + _say(state, end, y + 16, anchor="end")
    shapes = f'<path class="halo" d="{tab}"/><path class="tab" d="{tab}"/><path class="torn" d="{torn}"/>{pin}'
    return _group(part, "slot", look, shapes + texts)


def _chip(part: Part, look: Look, scene: Scene) -> str:
    text = _say(look.text("title"), part.x + part.width / 2, part.y + 13.5, size=SMALL + 1, anchor="middle")
    right, middle = part.x + part.width, part.y + part.height / 2
    line = f'<path d="M{right:.1f} {middle:.1f}h8" stroke="#57606a" stroke-width="1.5" fill="none"/>'
    return _group(part, "chip", look, line + _framed(part, 2 if part.kind == "number" else 9) + text)


def _link(part: Part, look: Look, scene: Scene) -> str:
    route = scene.routes[part.id]
    (x0, y0), (x1, y1) = route[0], route[-1]
    across = scene.direction == "LR"
    line = path_of(_shortened(route, across))
    fore = _head(x1, y1, 1, across, 8)
    back = _head(x0, y0, -1, across, 11)
    label = look.text("label")
    at = (x1 - 12, y1 - 8, "end") if across else (x1 + 7, y1 - 12, "start")
    text = _say(label, at[0], at[1], "mono", anchor=at[2]) + _flowing(part, route, scene)
    inner = (
        f'<path class="under" d="{line}"/><path class="line" d="{line}"/><path class="fore" d="{fore}"/>'
        f'<path class="back" d="{back}"/>{text}'
    )
    return _group(part, "link", look, inner)


def _flowing(part: Part, route: Path, scene: Scene) -> str:
    """The shapes on a line to or from a fold: where it arrives, or, since others may arrive there, where it leaves.

    Where there is room at neither end, the shape is left out; the tensor that the op makes tells of it.
    """
    across = scene.direction == "LR"
    (x0, y0), (x1, y1) = route[0], route[-1]
    if not across:
        return _say(part.text, x1 + 7, y1 - 26, "flowing")
    bend = route[min(3, len(route) - 1)]
    if part.kind == "fold-link" or bend[0] - x0 < 90:
        alone = part.kind == "fold-link" or len(scene.looks.history.ops[part.of].uses) == 1
        return _say(part.text, x1 - 12, y1 + 15, "flowing", anchor="end") if alone else ""
    return _say(part.text, x0 + 13, y0 + (15 if bend[1] <= y0 else -7), "flowing")


def _shortened(route: Path, across: bool) -> Path:
    """The route without its very ends, so that the line does not stick out of the arrowheads' tips."""
    (x0, y0), (x1, y1) = route[0], route[-1]
    first, last = ((x0 + 2, y0), (x1 - 2, y1)) if across else ((x0, y0 + 2), (x1, y1 - 2))
    return (first, *route[1:-1], last)


def path_of(route: Path) -> str:
    """An SVG path of a route: a start, then triples of two control points and an end."""
    points = [f"{x:.1f} {y:.1f}" for x, y in route]
    return f"M{points[0]}" + (f"C{' '.join(points[1:])}" if len(points) > 1 else "")


def _head(x: float, y: float, way: int, across: bool, size: float) -> str:
    """An arrowhead with its tip at (x, y), pointing with the ranks (1) or against them (-1)."""
    base, half = -way * size, size * 0.55
    if across:
        return f"M{x:.1f} {y:.1f}L{x + base:.1f} {y - half:.1f}V{y + half:.1f}Z"
    return f"M{x:.1f} {y:.1f}L{x - half:.1f} {y + base:.1f}H{x + half:.1f}Z"


def _fold(part: Part, look: Look, scene: Scene) -> str:
    count = scene.looks.folds[part.of].sheets
    sheets = "".join(_rect(part.moved(SHEET * n, SHEET * n), 8, "sheet") for n in range(count, 0, -1))
    x, y, room = part.x + 2 * PAD, part.y + FIRST, part.width - 3 * PAD
    lines = _say(fit(look.text("title"), room, NAME, bold=True), x, y, "bold", size=NAME)
    for number, (_, text) in enumerate(look.texts[1:], 1):
        lines += _say(fit(text, room, SMALL), x, y + PITCH * number, "small")
    return _group(part, "fold", look, sheets + _framed(part, 8) + lines)


def _module(part: Part, look: Look, scene: Scene) -> str:
    """A flag with the path of the module that begins here, on a pole where it stands high."""
    flag = replace(part, height=FLAG)
    high = part.height > HEADING
    pole = f'<path class="pole" d="M{part.x + 1:.1f} {part.y + 4:.1f}v{part.height + 16:.1f}"/>' if high else ""
    text = _say(look.text("title"), part.x + 8, part.y + 14, "bold", size=SMALL)
    return _group(part, "module", look, pole + _rect(flag, 4) + text)


def _title(part: Part, look: Look, scene: Scene) -> str:
    moment = look.text("moment")
    moment = moment[:1].upper() + moment[1:]
    count = _say(look.text("count"), part.x + part.width, part.y + 24, "count", anchor="end", size=14)
    return _group(part, "title", look, _say(moment, part.x, part.y + 26, "moment", size=22) + count)


def _caption(part: Part, look: Look, scene: Scene) -> str:
    lines = (_say(text, part.x, part.y + 18 + 23 * n, size=17) for n, (_, text) in enumerate(look.texts))
    return _group(part, "caption", look, "".join(lines))


def _code(part: Part, look: Look, scene: Scene) -> str:
    y = part.y + 15.5
    number = _say(look.text("number"), part.x + 34, y, "number mono", anchor="end")
    note = _say(look.text("note"), part.x + part.width - 8, y, "note", anchor="end")
    text = _say(look.text("code"), part.x + 44, y, "mono", size=CODE)
    return _group(part, "code", look, _rect(part, 0, "row") + number + text + note)


def _panel(scene: Scene) -> str:
    frame = scene.frame
    if not frame.lines:
        return ""
    return _rect(Part("", "", "", MARGIN, frame.below - 6, frame.code_width, frame.height + 12), 6, "panel")


def _foot(scene: Scene, bottom: float) -> str:
    """What is folded: no op is left out without a word."""
    return _say(scene.notices[0], MARGIN, bottom - MARGIN, "small") if scene.plan.folds else ""


def _legend(scene: Scene, entries: list[Entry]) -> str:
    left = MARGIN + scene.frame.code_width + 30
    columns = columns_in(scene.width - MARGIN - left)
    rows = -(-len(entries) // columns)
    drawn = []
    for number, entry in enumerate(entries):
        x = left + LEGEND_WIDTH * (number // rows)
        y = scene.frame.below + LEGEND_ROW * (number % rows)
        drawn.append(swatch(entry, x, y, scene) + _say(entry.meaning, x + 52, y + 14, size=13))
    return f'<g class="legend">{"".join(drawn)}</g>'


def swatch(entry: Entry, x: float, y: float, scene: Scene) -> str:
    """The sample that stands before a line of the legend."""
    look = Look((entry.swatch,) if entry.swatch != "constant" else ("constant", "no-grad"))
    part = Part(f"legend-{entry.kind}-{entry.needs}", entry.kind, "", x, y + 1, 40, 18)
    if entry.kind == "link":
        line, head = f"M{x} {y + 10}h40", _head(x, y + 10, -1, True, 10)
        tip = _head(x + 40, y + 10, 1, True, 8)
        inner = f'<path class="line" d="{line}"/><path class="fore" d="{tip}"/><path class="back" d="{head}"/>'
        return _group(part, "link", look, inner)
    if entry.kind == "slot":
        return _slot(part, look, scene)
    kind = {"number": "chip", "docked": "chip"}.get(entry.kind, entry.kind)
    look = Look((entry.swatch, entry.kind)) if kind == "chip" else look
    radius = 9 if entry.kind in ("pill", "docked", "dock") else 7 if entry.swatch == "leaf" else 3
    sample = _say(entry.sample, x + 20, y + 14, size=SMALL, anchor="middle")
    return _group(part, kind, look, (_framed(part, radius) if entry.kind != "text" else "") + sample)


_DRAW: dict[str, Callable[[Part, Look, Scene], str]] = {
    "box": _box,
    "flow": _flow,
    "dock": _dock,
    "grad": _grad,
    "pill": _pill,
    "slot": _slot,
    "number": _chip,
    "docked": _chip,
    "link": _link,
    "fold-chip": _chip,
    "fold-link": _link,
    "module": _module,
    "more": lambda part, look, scene: _say(look.text("title"), part.x + PAD, part.y + 12, "small"),
    "fold": _fold,
    "title": _title,
    "caption": _caption,
    "code": _code,
}
