"""The course of a run below its picture: how losses, norms of gradients and bytes went over all iterations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from html import escape

from autograd_lab.trace.course import Course, Series
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.numeral import bytes_text, numeral
from autograd_lab.view.languages.speaking import translated

HEAD, TALL, FOOT, GAP, TICKS = 34.0, 120.0, 26.0, 26.0, 62.0
"""Heights of a chart's heading, of its lines and of the line below, distance between charts, and how much room the
numbers beside an axis have, px."""
HEIGHT = HEAD + TALL + FOOT
WIDE, NARROW = 1232.0, 354.0
"""Widths of all charts of a wide page together, and of each chart of a narrow one, px."""
SIZE, LABELS = 13.0, 0.48
"""Size of letters, px, and the largest share of a chart's width that names of lines have."""
NAMED = 4
"""Lines of a chart that are named, those with the largest last values; others are drawn thin."""
TITLES = {"loss": "loss", "norm": "norm of each gradient", "held": "bytes saved for backward, at most"}
CHARTS = f"""
.course > div {{ display: flex; align-items: start; gap: 0 {GAP:.0f}px; padding: 0 24px; }}
.course > .narrow {{ flex-wrap: wrap; padding: 0 14px; }}
.course svg {{ flex: 1 1 260px; min-width: 0; overflow: visible; }}
@media (width < 1000px) {{ .course > .wide {{ display: none; }} }}
@media (width >= 1000px) {{ .course > .narrow {{ display: none; }} }}
"""
"""Where they stand in a page."""
IN_FRAME = """
.course > .narrow { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: thin; }
.course > .narrow svg { flex: 0 0 max(260px, 44%); }
"""
"""The same in a frame, which is as high as one row of them: those that have no room are scrolled to, and peep in."""


def draw_course(course: Course) -> str:
    """Charts as HTML, one for losses, one for gradients, one for bytes: for a wide page, and for a narrow one, which
    shows them below each other where there is no room for two."""
    kinds = [kind for kind in TITLES if any(each.kind == kind for each in course.series)]
    across = (WIDE - GAP * (len(kinds) - 1)) / max(1, len(kinds))
    rows = (
        f'<div class="{name}">{_row(course, kinds, width)}</div>'
        for name, width in (("wide", across), ("narrow", NARROW))
    )
    words = escape(translated(course_in_words(course)))
    return f'<div class="course" role="img" aria-label="{words}">{"".join(rows)}</div>'


def _row(course: Course, kinds: Sequence[str], width: float) -> str:
    size = f'viewBox="0 0 {width:.0f} {HEIGHT:.0f}" style="max-width: {width:.0f}px"'
    of_kind = ([each for each in course.series if each.kind == kind] for kind in kinds)
    return "".join(
        f"<svg {size}>{_chart(kind, series, course, width)}</svg>" for kind, series in zip(kinds, of_kind, strict=True)
    )


def course_in_words(course: Course) -> str:
    """The same in sentences, for whoever cannot see it."""
    told = ["1 iteration." if course.seen == 1 else f"{course.seen:,} iterations."]
    for each in (each for each in course.series if each.kind in TITLES):
        name = each.name if each.kind == "loss" else f"{TITLES[each.kind]}, {each.name}"
        (start, first), (end, last) = each.points[0], each.points[-1]
        told.append(f"{name}: {_number(each, first)} in iteration {start:,}, {_number(each, last)} in {end:,}.")
    return clean(" ".join(told))


def _chart(kind: str, series: Sequence[Series], course: Course, width: float) -> str:
    known = [each for each in series if each.points[0][0] <= _until(course)]  # others begin later
    named = sorted(known, key=lambda each: -_sound(_shown(each, course)[1]))[:NAMED]
    said = _said(named, course, width * LABELS - 16)
    beside = max((text_width(text, SIZE) for text in said.values()), default=0.0) + 16
    left, room = TICKS, width - beside - TICKS
    numbers = [number for each in series for _, number in each.points if math.isfinite(number)]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    logs = kind == "norm" and low > 0 and high / low > 30
    scale = _Scale(course.seen, low, high, logs, left, room)
    lines = "".join(_line(each, scale, "named" if each in named else "") for each in series)
    axis = f'<path class="axis" d="M{left:.1f} {HEAD:.1f}v{TALL:.1f}h{room:.1f}"/>'
    ticks = "".join(_text(_number(series[0], at), left - 8, scale.down(at) + 4, "quiet", "end") for at in scale.ends)
    marks = (scale.across(at) for at in course.shown)
    shown = "".join(f'<path class="shown" d="M{mark:.1f} {HEAD:.1f}v{TALL:.1f}"/>' for mark in marks)
    below = HEAD + TALL + 18
    ends = _text("1", left, below, "quiet") + _text(
        translated(f"iteration {course.seen:,}"), left + room, below, "quiet", "end"
    )
    title = translated(TITLES[kind], "chart") + (translated(", logarithmic") if logs else "")
    title += translated(", where recorded") if kind == "held" and _has_gaps(series) else ""
    at = course.shown[-1] if course.shown else course.seen
    if at != course.seen:
        title += translated(f", at {at:,}")
    heading = _text(fit(title, width, SIZE, bold=True), 0, 16, "heading")
    labels = _labels(named, said, scale, left + room + 8)
    return f'<g class="{kind}">{heading}{shown}{axis}{ticks}{lines}{labels}{ends}</g>'


class _Scale:
    """Where an iteration and a number lie in a chart."""

    def __init__(self, last: int, low: float, high: float, logs: bool, x: float, room: float) -> None:
        self._last, self._logs, self._x, self._room = last, logs, x, room
        self.ends = (low if logs else min(0.0, low), high)
        self._low, self._high = (math.log(low), math.log(high)) if logs else self.ends

    def across(self, iteration: int) -> float:
        return self._x + self._room * (iteration - 1) / max(1, self._last - 1)

    def down(self, number: float) -> float:
        height = math.log(number) if self._logs and number > 0 else number
        share = (height - self._low) / (self._high - self._low) if self._high > self._low else 0.5
        return HEAD + TALL * (1 - 0.94 * share)


def _line(series: Series, scale: _Scale, classes: str) -> str:
    """One line, broken where a number is not finite or was not measured; a point that stands alone is a dot."""
    drawn, last = "", series.points[-1][0]
    stretch: list[str] = []
    for (at, number), (following, _) in zip(series.points, [*series.points[1:], (last, 0.0)], strict=True):
        if is_finite := math.isfinite(number):
            stretch.append(f"{scale.across(at):.1f} {scale.down(number):.1f}")
        is_apart = series.kind == "held" and following > at + 1  # it is known where it was recorded, not between
        if stretch and (not is_finite or is_apart or at == last):
            drawn += _stretch(stretch, classes)
            stretch = []
    return drawn


def _has_gaps(series: Sequence[Series]) -> bool:
    """Whether a line is not known of each iteration between its first and its last."""
    return any(later > at + 1 for each in series for (at, _), (later, _) in itertools.pairwise(each.points))


def _stretch(points: Sequence[str], classes: str) -> str:
    if len(points) > 1:
        return f'<path class="run {classes}" d="M{"L".join(points)}"/>'
    x, y = points[0].split()
    return f'<circle class="run" cx="{x}" cy="{y}" r="3"/>'


def _said(named: Sequence[Series], course: Course, room: float) -> dict[str, str]:
    """Names of lines, each with its number in the shown iteration; too long ones are without what all begin with."""
    numbers = {each.name: _number(each, _shown(each, course)[1]) + _when(each, course) for each in named}
    left = {name: room - 8 - text_width(number, SIZE) for name, number in numbers.items()}
    heads = [name.split(".")[:-1] for name in numbers]
    fits = all(text_width(name, SIZE) <= left[name] for name in numbers)
    alike = itertools.takewhile(lambda parts: len(set(parts)) == 1, zip(*heads, strict=False))
    shared = 0 if fits or len(heads) == 1 else len(list(alike))
    own = {name: _ending(".".join(name.split(".")[shared:]), left[name]) for name in numbers}
    return {
        each.name: numbers[each.name] if each.kind == "held" else f"{own[each.name]} {numbers[each.name]}"
        for each in named
    }


def _labels(named: Sequence[Series], said: Mapping[str, str], scale: _Scale, x: float) -> str:
    """What is said of lines, at their ends, none over another."""
    drawn, free = "", 0.0
    for each in sorted(named, key=lambda each: scale.down(_sound(each.points[-1][1]))):
        y = max(scale.down(_sound(each.points[-1][1])) + 4, free)
        free = y + SIZE + 3
        drawn += _text(said[each.name], x, y)
    return drawn


def _until(course: Course) -> int:
    """The iteration that is shown last."""
    return course.shown[-1] if course.shown else course.seen


def _shown(series: Series, course: Course) -> tuple[int, float]:
    """The iteration that is shown last, or the last one before it that was measured, and its number."""
    until = _until(course)
    return next((point for point in reversed(series.points) if point[0] <= until), series.points[0])


def _when(series: Series, course: Course) -> str:
    """Of which iteration the number of a line is, if not of the one that is shown; where its line ends, if it does."""
    at, last = _shown(series, course)[0], series.points[-1][0]
    if at == _until(course):
        return ""
    others = (point[0] for each in course.series if each.kind == series.kind for point in each.points)
    is_over = at == last and any(at < other <= _until(course) for other in others)
    return translated(f" until {at:,}" if is_over else f" at {at:,}")


def _ending(name: str, room: float) -> str:
    """A name; if it is too long, its first part and its last ones, or the end alone: they tell lines apart."""
    first, *parts = name.split(".")
    ends = [".".join(parts[start:]) for start in range(len(parts))]
    shorter = [name, *(f"{first}…{end}" for end in ends[1:]), *(f"…{end}" for end in ends)]
    last = (parts or [first])[-1]
    shorter += [f"…{last[start:]}" for start in range(1, len(last))]
    return next((text for text in shorter if text_width(text, SIZE) <= room), shorter[-1])


def _number(series: Series, number: float) -> str:
    return bytes_text(int(number)) if series.kind == "held" else numeral(number, 3)


def _sound(number: float) -> float:
    return number if math.isfinite(number) else 0.0


def _text(text: str, x: float, y: float, classes: str = "", anchor: str = "start") -> str:
    kind = f' class="{classes}"' if classes else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(clean(text))}</text>'
