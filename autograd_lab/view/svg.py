"""A scene at a step as SVG: one small function a kind of part, styled by the classes that the look names.

What they are drawn with is in `pen.py`; the parts of a compilation are drawn in their own room.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from html import escape
from math import ceil

from autograd_lab.view.charts.run import course_height, draw_course
from autograd_lab.view.compiled import drawing
from autograd_lab.view.graph.frame import GAP, HEAD, MARGIN
from autograd_lab.view.graph.legend import LEGEND_ROW, LEGEND_WIDTH, Entry, columns_in, entries_of
from autograd_lab.view.graph.look import UNKNOWN
from autograd_lab.view.graph.plan.cell import (
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
    gradient_height,
)
from autograd_lab.view.graph.plan.fold_cell import FIRST, PITCH, SHEET
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path, arrow, framed, group, path_of, rect, say
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.scene import FRAME_KINDS, NARROWEST, Scene

Draw = Callable[[Part, Look, Scene], str]


def to_svg(
    scene: Scene, step: int | None = None, *, same_size: bool = False, theme: str = "light", poster: bool = False
) -> str:
    """The picture after `step` events, by default after all: a recording as a slide, a compilation as it is laid out.

    Slides are all of one size, and have a theme; a `poster` is a large sheet for print. Pictures of a compilation are
    of one size with `same_size`. Raises IndexError for a step that there is not.
    """
    stills = scene.poster if poster else scene.stills
    if stills is not None:
        return replace(stills, theme=theme).svg(step)
    if theme != "light" or poster:
        raise ValueError("a compilation is drawn in light colours alone, and not as a poster")
    return scene_svg(scene, step, same_size=same_size)


@undisturbed
def scene_svg(
    scene: Scene,
    step: int | None = None,
    *,
    same_size: bool = False,
    explained: Container[Entry] = (),
    draw: Draw | None = None,
) -> str:
    """The parts of a scene after `step` events, by default after all, as pages, movies and comparisons show them.

    The graph stands where it always stands; the program's lines follow right below it or, with `same_size`, where they
    are below the highest of all steps, and rows of the legend keep their places, too. The legend leaves out what was
    `explained` before; `draw` draws a part in place of `draw_part`. Raises IndexError for a step that there is not.
    """
    draw = draw or draw_part
    state = scene.state(scene.steps if step is None else step)
    looks = [(part, scene.look(part, state)) for part in scene.parts]
    drawn = [(part, look) for part, look in looks if "hidden" not in look.classes]
    if not same_size and scene.subject.is_narrowed:
        scene = _narrowed(scene, [part for part, _ in drawn])
        drawn = [(part, scene.look(part, state)) for part in scene.parts]
        drawn = [(part, look) for part, look in drawn if "hidden" not in look.classes]
    entries = [entry for entry in entries_of((part.kind, look) for part, look in drawn) if entry not in explained]
    places = scene.entries if same_size else entries
    graph = [draw(part, look, scene) for part, look in drawn if part.kind != "code"]
    code = [draw(part, look, scene) for part, look in drawn if part.kind == "code"]
    up = 0.0 if same_size else scene.frame.below - GAP - _bottom(scene, [part for part, _ in drawn])
    bottom = scene.height_for(len(places))
    legend = f'<g class="legend">{"".join(legend_rows(entries, places, scene))}</g>'
    below = "".join([draw_panel(scene), *code, legend, draw_foot(scene, bottom), draw_run(scene, bottom)])
    body = [*graph, f'<g transform="translate(0 {-up:.7g})">{below}</g>']
    height = bottom - up
    size = f'width="{scene.width:.0f}" height="{height:.0f}" viewBox="0 0 {scene.width:.0f} {height:.0f}"'
    title = escape(clean(scene.subject.headline(state).text))
    said = escape(clean(scene.frame.captions.at(state)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">'
        f"<title>{title}</title><desc>{said}</desc>"
        f'<style>{scene.style}</style><rect width="100%" height="100%" fill="#ffffff"/>{"".join(body)}</svg>'
    )


def draw_part(part: Part, look: Look, scene: Scene) -> str:
    """One part alone; empty where there is nothing to see of it."""
    drawn = _drawn(part, look, scene)
    return _unknown(part, scene) if drawn is None else drawn


@or_else(None)
def _drawn(part: Part, look: Look, scene: Scene) -> str | None:
    return _DRAW[part.kind](part, look, scene)


def _unknown(part: Part, scene: Scene) -> str:
    """A part that cannot be drawn; of a line there is nothing to see then."""
    if part.id in scene.routes:
        return ""
    sign = say("?", part.x + part.width / 2, part.y + part.height / 2 + SMALL / 2, "bold")
    return group(part, part.kind, UNKNOWN, rect(part, 3) + sign)


def _narrowed(scene: Scene, drawn: list[Part]) -> Scene:
    """A scene without the room that later steps will take to the right."""
    right = max((part.x + part.width for part in drawn if part.kind not in FRAME_KINDS), default=0.0)
    right = max([right, *(x for part in drawn for x, _ in scene.routes.get(part.id, ()))])
    width = max(ceil(right + MARGIN), NARROWEST)
    if width >= scene.width:
        return scene
    frame = replace(scene.frame, width=width)
    parts = [part for part in scene.parts if part.kind not in FRAME_KINDS]
    return replace(scene, width=width, frame=frame, parts=[*parts, *frame.parts])


def _bottom(scene: Scene, drawn: list[Part]) -> float:
    """How far down the graph reaches."""
    parts = [part.y + part.height for part in drawn if part.kind not in FRAME_KINDS]
    lines = [y for part in drawn if part.id in scene.routes for _, y in scene.routes[part.id]]
    return max([*parts, *lines], default=HEAD)


def _box(part: Part, look: Look, scene: Scene) -> str:
    radius = 10 if "leaf" in look.classes else 3
    x, y = part.x + PAD, part.y + PAD + NAME - 4
    badge = look.text("version")
    wide = max(31.0, text_width(badge, SMALL, bold=True) + 14)
    room = part.width - 2 * PAD - (wide + 3 if badge else 0)
    inner = framed(part, look, radius) + say(fit(look.text("name"), room, NAME, bold=True), x, y, "name")
    if badge:
        left = part.x + part.width - wide - 7
        inner += rect(Part("", "", "", left, part.y + 6, wide, 17), 8, "badge")
        inner += say(badge, left + wide / 2, part.y + 18.5, "version")
    inner += _value(look, x, y + 4, part.width - 2 * PAD)
    bottom = part.y + part.height - (gradient_height(scene.looks.history.boxes[part.of]) if part.of else 0)
    inner += say(look.text("meta"), x, bottom - 6, "small")
    return group(part, "box", look, inner)


def _value(look: Look, x: float, y: float, width: float) -> str:
    """Heat cells if there are any, and lines of numbers, downwards from y."""
    lines = [text for name, text in look.texts if name.startswith("value")]
    if look.text("heat"):
        rows = look.text("heat").split("/")
        cells = _heat(rows, x, y + 4)
        frame = Part("", "", "", x, y + 4, HEAT * max(map(len, rows)), HEAT * len(rows))
        below = y + HEAT * len(rows) + LINE + 1
        return cells + rect(frame, 0, "heat") + say(fit(lines[0], width, SMALL), x, below, "value")
    size, pitch, name = (VALUE, LINE, "one") if len(lines) == 1 else (TABLE, TABLE_LINE, "many")
    return "".join(
        say(fit(line, width + 4, size, mono=True), x, y + pitch * (number + 1), f"value {name}")
        for number, line in enumerate(lines)
    )


def _heat(rows: list[str], x: float, y: float) -> str:
    """Heat cells downwards from (x, y): one path for all cells of a level, in units of a cell."""
    paths: dict[str, list[str]] = {}
    for row, levels in enumerate(rows):
        for column, level in enumerate(levels):
            paths.setdefault(level, []).append(f"M{column} {row}.5h1")
    drawn = "".join([f'<path class="h{level}" d="{"".join(cells)}"/>' for level, cells in sorted(paths.items())])
    return f'<g class="cells" transform="translate({x:.7g} {y:.7g}) scale({HEAT:g})">{drawn}</g>'


def _flow(part: Part, look: Look, scene: Scene) -> str:
    text = look.text("flow")
    if not text:
        return ""
    halo = rect(part, 4, "halo") if "now" in look.classes else ""
    return group(part, "flow", look, halo + say("↩ " + text, part.x + PAD, part.y + 14))


def _dock(part: Part, look: Look, scene: Scene) -> str:
    """AccumulateGrad, docked to its leaf."""
    inner = Part(part.id, part.kind, part.of, part.x, part.y + 3, part.width, part.height - 6)
    text = say(look.text("title"), part.x + part.width / 2, part.y + 19)
    return group(part, "dock", look, framed(inner, look, 12) + text)


def _grad(part: Part, look: Look, scene: Scene) -> str:
    title = say(look.text("title"), part.x + PAD, part.y + 18, "title")
    value = _value(look, part.x + PAD + 42, part.y + 1, part.width - 2 * PAD - 42)
    return group(part, "grad", look, framed(part, look, 3) + title + value)


def _pill(part: Part, look: Look, scene: Scene) -> str:
    number = " · ".join(filter(None, (look.text("number"), look.text("state"))))
    size, kind = (SIGN, "symbol") if "sign" in look.classes else (NAME, "name")
    centre, middle = part.x + part.width / 2, part.y + part.height / 2
    title = say(look.text("title"), centre, middle + (0 if number else size / 3), kind)
    count = say(number, centre, middle + 16, "small")
    return group(part, "pill", look, framed(part, look, min(part.height / 2, 23)) + title + count)


def _slot(part: Part, look: Look, scene: Scene) -> str:
    """A tab on top of its pill; torn along its upper edge when stale, with a pin when retained."""
    x, right, bottom = part.x, part.x + part.width, part.y + part.height
    stale, kept = "stale" in look.classes, "retained" in look.classes
    edge = f"H{x:.7g}V{part.y + 4:.7g}{_torn(part.width)}" if stale else f"H{x:.7g}V{part.y:.7g}H{right - 6:.7g}l6 6"
    shape = f'd="M{right:.7g} {bottom:.7g}{edge}Z"/>'
    shapes = f'<path class="halo" {shape}' if "now" in look.classes else ""
    shapes += f'<path class="{"torn" if stale else "tab"}" {shape}'
    shapes += f'<circle class="pin" cx="{right - 12:.7g}" cy="{part.y + 8:.7g}" r="4.5"/>' if kept else ""
    state, end, y = look.text("state"), right - (20 if kept else 9), part.y + (17.5 if stale else 16)
    room = end - x - 18 - text_width(state, SMALL, bold=True)
    texts = say(fit(look.text("title"), room, SMALL), x + 8, y) + say(state, end, y, "end")
    return group(part, "slot", look, shapes + texts)


def _torn(width: float) -> str:
    """An edge like torn paper, from left to right."""
    teeth = 2 * max(2, int(width // 24))
    return "".join(f"l{width / teeth:.6g} {4 if tooth % 2 else -4}" for tooth in range(teeth))


def _chip(part: Part, look: Look, scene: Scene) -> str:
    text = say(look.text("title"), part.x + part.width / 2, part.y + 13.5)
    right, middle = part.x + part.width, part.y + part.height / 2
    line = f'<path d="M{right:.7g} {middle:.7g}h8" stroke="#57606a" stroke-width="1.5" fill="none"/>'
    return group(part, "chip", look, line + framed(part, look, 2 if part.kind == "number" else 9) + text)


def _link(part: Part, look: Look, scene: Scene) -> str:
    """A line with one arrowhead: ahead, or back once a gradient has gone that way."""
    route = scene.routes[part.id]
    (x0, y0), (x1, y1) = route[0], route[-1]
    across = scene.direction == "LR"
    line = path_of(_shortened(route, across))
    under = f'<path class="under" d="{line}"/>' if "now" in look.classes else ""
    head = arrow("back", x0, y0, -1, across) if "sent" in look.classes else arrow("fore", x1, y1, 1, across)
    label = look.text("label")
    text = say(label, x1 - 12, y1 - 8, "mono end") if across else say(label, x1 + 7, y1 - 12, "mono")
    text += _flowing(part, route, scene)
    return group(part, "link", look, f'{under}<path class="line" d="{line}"/>{head}{text}')


def _flowing(part: Part, route: Path, scene: Scene) -> str:
    """The shapes on a line to or from a fold: where it arrives, or, since others may arrive there, where it leaves.

    Where there is room at neither end, the shape is left out; the tensor that the op makes tells of it.
    """
    across = scene.direction == "LR"
    (x0, y0), (x1, y1) = route[0], route[-1]
    if not across:
        return say(part.text, x1 + 7, y1 - 26, "flowing")
    bend = route[min(3, len(route) - 1)]
    if part.kind == "fold-link" or bend[0] - x0 < 90:
        alone = part.kind == "fold-link" or len(scene.looks.history.ops[part.of].uses) == 1
        return say(part.text, x1 - 12, y1 + 15, "flowing end") if alone else ""
    return say(part.text, x0 + 13, y0 + (15 if bend[1] <= y0 else -7), "flowing")


def _shortened(route: Path, across: bool) -> Path:
    """The route without its very ends, so that the line does not stick out of the arrowheads' tips."""
    (x0, y0), (x1, y1) = route[0], route[-1]
    first, last = ((x0 + 2, y0), (x1 - 2, y1)) if across else ((x0, y0 + 2), (x1, y1 - 2))
    return (first, *route[1:-1], last)


def _fold(part: Part, look: Look, scene: Scene) -> str:
    count = scene.looks.folds[part.of].sheets
    sheets = "".join(rect(part.moved(SHEET * n, SHEET * n), 8, "sheet") for n in range(count, 0, -1))
    x, y, room = part.x + 2 * PAD, part.y + FIRST, part.width - 3 * PAD
    lines = say(fit(look.text("title"), room, NAME, bold=True), x, y, "name")
    for number, (_, text) in enumerate(look.texts[1:], 1):
        lines += say(fit(text, room, SMALL), x, y + PITCH * number, "small")
    return group(part, "fold", look, sheets + framed(part, look, 8) + lines)


def _module(part: Part, look: Look, scene: Scene) -> str:
    """A flag with the path of the module that begins here, on a pole where it stands high."""
    flag = replace(part, height=FLAG)
    high = part.height > HEADING
    pole = f'<path class="pole" d="M{part.x + 1:.7g} {part.y + 4:.7g}v{part.height + 16:.7g}"/>' if high else ""
    text = say(look.text("title"), part.x + 8, part.y + 14, "bold")
    return group(part, "module", look, pole + rect(flag, 4) + text)


def _inset(part: Part, look: Look, scene: Scene) -> str:
    """The panel on which what a fold hides lies."""
    title = fit(look.text("title"), part.width - 32, NAME, bold=True)
    return group(part, "inset", look, rect(part, 10) + say(title, part.x + 16, part.y + FIRST, "name"))


def _edge(part: Part, look: Look, scene: Scene) -> str:
    """A side like torn paper, where the recording broke off."""
    teeth = 2 * max(2, round(part.height / 20))
    zigzag = "".join(f"l{part.width * (-1) ** tooth:.6g} {part.height / teeth:.6g}" for tooth in range(teeth))
    return group(part, "edge", look, f'<path class="torn" d="M{part.x:.7g} {part.y:.7g}{zigzag}"/>')


def _title(part: Part, look: Look, scene: Scene) -> str:
    count = say(look.text("count"), part.x + part.width, part.y + 24, "count")
    return group(part, "title", look, say(look.text("headline"), part.x, part.y + 26, "headline") + count)


def _caption(part: Part, look: Look, scene: Scene) -> str:
    lines = (say(text, part.x, part.y + 18 + 23 * n) for n, (_, text) in enumerate(look.texts))
    return group(part, "caption", look, "".join(lines))


def _code(part: Part, look: Look, scene: Scene) -> str:
    y = part.y + 15.5
    number = say(look.text("number"), part.x + 34, y, "number")
    note = say(look.text("note"), part.x + part.width - 8, y, "note")
    text = say(look.text("code"), part.x + 44, y)
    return group(part, "code", look, (rect(part, 0, "row") if look.classes else "") + number + text + note)


def draw_panel(scene: Scene) -> str:
    """What the lines of the program lie on."""
    frame = scene.frame
    if not frame.lines:
        return ""
    return rect(Part("", "", "", MARGIN, frame.below - 6, frame.code_width, frame.height + 12), 6, "panel")


def draw_foot(scene: Scene, bottom: float) -> str:
    """What is folded: no op is left out without a word."""
    above = bottom - course_height(scene.trace.course)
    return say(scene.notices[0], MARGIN, above - MARGIN, "small") if scene.plan.folds else ""


def draw_run(scene: Scene, bottom: float) -> str:
    """The course of all iterations, below the one that is shown."""
    course = scene.trace.course
    if course is None or not course.series:
        return ""
    return draw_course(course, MARGIN, bottom - course_height(course), scene.width - 2 * MARGIN)


def legend_rows(entries: list[Entry], places: list[Entry], scene: Scene) -> list[str]:
    """A row of the legend for each of `places`; those that are not among `entries` are empty."""
    left = MARGIN + scene.frame.code_width + 30
    high = -(-len(places) // columns_in(scene.width - MARGIN - left))
    drawn = []
    for number, entry in enumerate(places):
        x = left + LEGEND_WIDTH * (number // high)
        y = scene.frame.below + LEGEND_ROW * (number % high)
        row = swatch(entry, x, y, scene) + say(entry.meaning, x + 52, y + 14)
        drawn.append(row if entry in entries else "")
    return drawn


def swatch(entry: Entry, x: float, y: float, scene: Scene) -> str:
    """The sample that stands before a line of the legend."""
    look = Look((entry.swatch,) if entry.swatch != "constant" else ("constant", "no-grad"))
    part = Part(f"legend-{entry.kind}-{entry.needs}", entry.kind, "", x, y + 1, 40, 18)
    if entry.kind == "link":
        sent = "sent" in look.classes
        head = arrow("back", x, y + 10, -1, True) if sent else arrow("fore", x + 40, y + 10, 1, True)
        return group(part, "link", look, f'<path class="line" d="M{x:.7g} {y + 10:.7g}h40"/>{head}')
    if entry.kind in ("slot", "edge"):
        return _DRAW[entry.kind](replace(part, width=8) if entry.kind == "edge" else part, look, scene)
    kind = {"number": "chip", "docked": "chip", "input": "call"}.get(entry.kind, entry.kind)
    radius = 9 if entry.kind in ("pill", "docked", "dock") else 7 if entry.swatch in ("leaf", "input", "tangent") else 3
    sample = say(entry.sample, x + 20, y + 14, "sample")
    return group(part, kind, look, (rect(part, radius) if entry.kind != "text" else "") + sample)


_DRAW: dict[str, Draw] = {
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
    "more": lambda part, look, scene: say(look.text("title"), part.x + PAD, part.y + 12, "small"),
    "fold": _fold,
    "inset": _inset,
    "edge": _edge,
    "title": _title,
    "caption": _caption,
    "code": _code,
    **drawing.DRAW,
}
