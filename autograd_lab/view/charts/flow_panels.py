"""Gradient flow as one picture: a row for each parameter, a column for each iteration that was measured.

Three panels stand side by side: how large each gradient is, how much of it is zero, and by how much of its own size
each update changes the weight. Where there are too many parameters for letters that one can read, they are joined by
modules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from string import Template

from autograd_lab.trace.course import Points
from autograd_lab.trace.flow_table import Flow, Row
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.ink import box, words
from autograd_lab.view.kit.numeral import numeral
from autograd_lab.view.kit.palette import STEPS
from autograd_lab.view.languages.speaking import translated

WIDTH, HEIGHT = 1280.0, 720.0
LEFT, TOP, FOOT, NAMES, GAP, NUMBER = 40.0, 150.0, 92.0, 210.0, 24.0, 78.0
"""Margins, room for names beside the first panel, between panels, and for numbers beside each; px."""
SHARES = (0.46, 0.27, 0.27)
ROWS, TALLEST = 26, 40.0
"""So many rows at most, no higher than this, px."""
COLUMNS = 120
"""So many columns at most; more iterations share one, which shows the largest."""
SMALL = 13.0
UPDATES = (1e-6, 1.0)
"""The scale of updates, from which colours say the same in each picture."""

FLOW_SHEET = Template(
    ".flow text { font-family: 'Autograd Sans', system-ui, sans-serif; fill: $ink; }"
    ".flow .bold { font-weight: 600; } .flow .quiet { fill: $quiet; }"
    ".flow .pane { fill: $mist; } .flow .odd { fill: $alarm; } .flow .nought { fill: $paper; }"
    ".flow .edge { fill: none; stroke: $hair; stroke-width: 1; }"
    + "".join(
        f".flow .{name}{step} {{ fill: ${scale}{step}; }}"
        for name, scale in (("n", "grad_plus"), ("z", "value_plus"), ("u", "value_minus"))
        for step in range(1, STEPS + 1)
    )
)


@dataclass(frozen=True, slots=True)
class Panel:
    """What a panel shows: the points of a row, and the step of the scale, 0 to 8, that a number has."""

    title: str
    letter: str
    points: Callable[[Row], Points]
    step: Callable[[float], int]
    ends: tuple[str, str]
    nought: str
    said: Callable[[float], str]


def draw_flow(flow: Flow) -> str:
    """The panels, in 1280 × 720 px, without a headline."""
    rows, is_joined = joined(flow.rows, ROWS)
    columns = _columns(flow.measured)
    height = min(TALLEST, (HEIGHT - TOP - FOOT) / len(rows))
    panels = [(panel, share) for panel, share in zip(_panels(rows), SHARES, strict=True) if _says(panel, rows)]
    width = WIDTH - 2 * LEFT - NAMES - GAP * (len(panels) - 1) - NUMBER * len(panels)
    unit = width / sum(share for _, share in panels)
    drawn, x = _names(rows, height), LEFT + NAMES
    for panel, share in panels:
        drawn += _draw(panel, rows, columns, (x, TOP, share * unit, height))
        x += share * unit + NUMBER + GAP
    return f'<g class="flow">{drawn}{_foot(flow, is_joined)}</g>'


def joined(rows: Sequence[Row], most: int) -> tuple[list[Row], bool]:
    """So many rows at most: these, or those of modules in which their parameters are taken together; and whether they
    were."""
    depth = max((row.name.count(".") for row in rows), default=0)
    found, level = list(rows), depth
    while len(found) > most and level > 0:
        names = [".".join(row.name.split(".")[:level]) for row in rows]
        groups = groupby(zip(names, rows, strict=True), itemgetter(0))
        found, level = [_together(name, [row for _, row in group]) for name, group in groups], level - 1
    return found[:most], level < depth


def _together(name: str, rows: list[Row]) -> Row:
    """Parameters as one: the norm of all their gradients, the mean share of zeros, the largest update."""
    return Row(
        name=name,
        norm=_merged([row.norm for row in rows], lambda each: math.hypot(*each)),
        zeros=_merged([row.zeros for row in rows], lambda each: sum(each) / len(each)),
        update=_merged([row.update for row in rows], largest),
    )


def _merged(points: list[Points], how: Callable[[list[float]], float]) -> Points:
    found: dict[int, list[float]] = {}
    for each in points:
        for at, number in each:
            found.setdefault(at, []).append(number)
    return tuple((at, how(numbers)) for at, numbers in sorted(found.items()))


def largest(numbers: Sequence[float]) -> float:
    """The largest number, or NaN if one is among them."""
    return next((number for number in numbers if math.isnan(number)), max(numbers))


def _panels(rows: Sequence[Row]) -> Iterator[Panel]:
    sizes = [number for row in rows for _, number in row.norm]
    low, high = ends_of(sizes)
    percent = "{:.0%}".format
    yield Panel(
        "size of the gradient, ‖grad‖", "n", lambda row: row.norm, logarithmic(low, high), (short(low), short(high)),
        "0", short,
    )  # fmt: skip
    yield Panel(
        "share of zeros in it", "z", lambda row: row.zeros, lambda number: math.ceil(number * STEPS), ("", "100 %"),
        "none", lambda number: percent(number).replace("%", " %"),
    )  # fmt: skip
    yield Panel(
        "update ÷ weight", "u", lambda row: row.update, logarithmic(*UPDATES), ("≤ 1e-6", "1"), "0", short
    )  # fmt: skip


def _says(panel: Panel, rows: Sequence[Row]) -> bool:
    """Whether a panel is worth its room: that there are no zeros anywhere is said in words."""
    return any(number or panel.letter != "z" for row in rows for _, number in panel.points(row))


def ends_of(sizes: Iterable[float]) -> tuple[float, float]:
    """The ends of a scale of sizes: what hardly differs has hardly different colours."""
    known = [size for size in sizes if 0 < size < math.inf]
    low, high = min(known, default=1.0), max(known, default=1.0)
    return max(min(low, high / 10), high * 1e-30, 1e-300), high


def logarithmic(low: float, high: float) -> Callable[[float], int]:
    """The step of a scale between two sizes, 0 to 8, that a size has."""
    span = math.log(high / low) or 1.0

    def step(number: float) -> int:
        if number == 0:
            return 0
        within = min(max(number, low), high)
        return min(STEPS, 1 + math.floor(STEPS * math.log(within / low) / span))

    return step


def short(number: float) -> str:
    """A number in two digits.

    >>> short(7.25e-7), short(0.0), short(12.34)
    ('7.3e-7', '0', '12')
    """
    return numeral(float(f"{number:.2g}"), 3).removesuffix(".0") if math.isfinite(number) else numeral(number)


def _columns(measured: Sequence[int]) -> list[tuple[int, ...]]:
    """The iterations of each column."""
    each = -(-len(measured) // COLUMNS) or 1
    return [tuple(measured[start : start + each]) for start in range(0, len(measured), each)]


def _names(rows: Sequence[Row], height: float) -> str:
    drawn = ""
    for place, row in enumerate(rows):
        name = clean(row.name)
        while text_width(name, SMALL) > NAMES - 14 and "." in name.lstrip("…"):
            name = "…" + name.lstrip("….").partition(".")[2]
        y = TOP + (place + 0.5) * height + SMALL * 0.36
        drawn += words(fit(name, NAMES - 14, SMALL), LEFT + NAMES - 12, y, SMALL, "", "end")
    return drawn


def _draw(
    panel: Panel, rows: Sequence[Row], columns: Sequence[Sequence[int]], place: tuple[float, float, float, float]
) -> str:
    x, y, width, height = place
    drawn = words(translated(panel.title), x, y - 14, 15, "bold") + box(x, y, width, height * len(rows), "pane")
    across = width / max(1, len(columns))
    drawn += f'<g transform="translate({x:.1f} {y:.1f}) scale({across:.4f} {height:.4f})">'
    drawn += _cells(panel, rows, columns, 1 - 1 / height) + "</g>"
    for number, row in enumerate(rows):
        if points := panel.points(row):
            last, middle = points[-1][1], y + (number + 0.5) * height + SMALL * 0.36
            drawn += words(panel.said(last), x + width + 8, middle, SMALL, "" if math.isfinite(last) else "bold")
    drawn += box(x, y, width, height * len(rows), "edge") + _ends(columns, x, y + height * len(rows) + 18, width)
    return drawn + _scale(panel, x, y + height * len(rows) + 34)


def _cells(panel: Panel, rows: Sequence[Row], columns: Sequence[Sequence[int]], tall: float) -> str:
    """All cells, a path for each colour, in units of columns and rows."""
    paths: dict[str, str] = {}
    for number, row in enumerate(rows):
        points, start = dict(panel.points(row)), 0
        for look, run in groupby(_look(panel, [points[at] for at in column if at in points]) for column in columns):
            count = len(list(run))
            paths[look] = paths.get(look, "") + f"M{start} {number}h{count}v{tall:.3g}h-{count}z"
            start += count
    return "".join(f'<path class="{look}" d="{path}"/>' for look, path in paths.items() if look)


def _look(panel: Panel, numbers: list[float]) -> str:
    """The class of a cell: the step of the largest number; none for what is not known."""
    if not numbers:
        return ""
    most = largest(numbers)
    if not math.isfinite(most):
        return "odd"
    step = panel.step(most)
    return f"{panel.letter}{step}" if step else "nought"


def _ends(columns: Sequence[Sequence[int]], x: float, y: float, width: float) -> str:
    """The iterations at both ends of a panel."""
    first, last = f"{columns[0][0]:,}", f"{columns[-1][-1]:,}"
    drawn = words(first, x, y, SMALL, "quiet")
    return drawn + (words(last, x + width, y, SMALL, "quiet", "end") if last != first else "")


def _scale(panel: Panel, x: float, y: float) -> str:
    """What the colours of a panel say."""
    drawn, low = words(panel.nought, x, y + 12, SMALL), text_width(panel.nought, SMALL)
    x += low + 6
    drawn += box(x, y, 16, 14, "nought") + box(x, y, 16, 14, "edge")
    x += 26
    if panel.ends[0]:
        drawn += words(panel.ends[0], x, y + 12, SMALL)
        x += text_width(panel.ends[0], SMALL) + 6
    drawn += "".join(box(x + 11 * (step - 1), y, 11, 14, f"{panel.letter}{step}") for step in range(1, STEPS + 1))
    return drawn + words(panel.ends[1], x + 11 * STEPS + 6, y + 12, SMALL)


def _foot(flow: Flow, is_joined: bool) -> str:
    """What has to be known to read the picture."""
    told = [
        f"{len(flow.measured):,} of {flow.seen:,} iterations were measured" if len(flow.measured) < flow.seen else ""
    ]
    told.append("the numbers are those of the last one")
    if not any(number for row in flow.rows for _, number in row.zeros):
        told.append("no element of a gradient is 0")
    if any(row.norm and {at for at, _ in row.norm} - {at for at, _ in row.update} for row in flow.rows if row.update):
        told.append("grey: not measured")
    if is_joined:
        told.append("a row is a module: all of its parameters together")
    if any(not math.isfinite(number) for row in flow.rows for _, number in row.norm):
        told.append("orange: NaN or infinite")
    sentence = "; ".join(translated(each) for each in told if each)
    return words(sentence[:1].upper() + sentence[1:] + ".", LEFT, HEIGHT - 24, 14, "quiet")
