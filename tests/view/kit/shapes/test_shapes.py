"""Shapes keep to their room, and no text in them is ever markup."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.view.kit.font import clean, text_width
from autograd_lab.view.kit.shapes import axis, bar, capsule, key_line, outline, panel, pocket
from autograd_lab.view.kit.shapes.panel import CodeLine

SAYING: dict[str, Callable[[str], str]] = {
    "badge": lambda text: outline.badge(9, 9, text),
    "struck": lambda text: outline.struck(text, 9, 9, 17, "many"),
    "layer": lambda text: outline.layer(0, 0, 90, 90, text),
    "pocket": lambda text: pocket.pocket(0, 0, pocket.pocket_width(text, text), text, "saved", text),
    "capsule": lambda text: capsule.capsule(0, 0, text, 1.0),
    "flying": lambda text: capsule.capsule(0, 0, text, -1.0, flying=True),
    "tag": lambda text: capsule.number_tag(0, 0, text, (40, 9)),
    "chip": lambda text: capsule.quiet_chip(0, 0, text, text),
    "hook": lambda text: capsule.hook(0, 0, text),
    "lane": lambda text: bar.lane(0, 0, 300, text, text, [(100, 1.0), (150, None)]),
    "band": lambda text: axis.band(0, 0, text_width(clean(text), 13.5, bold=True) + 40, text, "forward"),
    "names": lambda text: axis.names([(0, text)], 9, 0),
    "headline": lambda text: panel.headline(0, 0, text, [(text, "plus")], (90, text)),
    "code": lambda text: panel.code(0, 0, 300, [CodeLine(1, text, "now", text)]),
    "legend": lambda text: key_line.legend(0, 0, [(20, "", text)]),
}


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(f"<svg>{svg}</svg>")
    assert {one.tag for one in root.iter()} <= {"svg", "g", "text", "tspan", "rect", "path", "circle"}
    return ["".join(one.itertext()) for one in root.iter("text")]


@pytest.mark.parametrize("name", SAYING)
@given(text=st.one_of(st.text(min_size=1, max_size=12), st.sampled_from(['<b a="', "&amp;", "</text><script>", "]]>"])))
def test_any_text_is_said_and_is_no_markup(name: str, text: str) -> None:
    said = clean(text)
    assert not said or any(said in one or said.strip() in one for one in texts(SAYING[name](text)))


numbers = st.lists(st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, math.nan, math.inf])), max_size=60)


def spans(svg: str) -> list[tuple[float, float]]:
    found = re.findall(r'<rect class="(?:plus|minus|odd)" x="([-\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    return [(float(x), float(x) + float(width)) for x, width in found]


@given(numbers, st.floats(40, 400), st.one_of(st.none(), st.floats(0, 1e7)))
def test_the_parts_of_a_sum_stay_in_its_bar_and_none_is_dropped(
    parts: list[float], width: float, total: float | None
) -> None:
    found = spans(bar.sum_bar(10, 0, width, parts, total))
    assert len(found) == len(parts)
    assert all(10 - 0.1 <= start <= end <= 10 + width + 0.4 for start, end in found)
    if len({part < 0 for part in parts}) == 1:
        assert all(one[1] <= other[0] + 0.5 for one, other in pairwise(found))


def test_a_negative_part_takes_back_the_end_of_the_rest() -> None:
    (start, end), (back, stop) = spans(bar.sum_bar(0, 0, 100, [3.0, -1.0]))
    assert start < back < end and stop <= end + 0.5


def test_a_sum_is_framed_until_all_its_parts_are_there() -> None:
    assert "expected" in bar.sum_bar(0, 0, 100, [5.0], 9.0)
    assert "expected" not in bar.sum_bar(0, 0, 100, [5.0, -4.0], 9.0)


def test_parts_are_as_long_as_their_numbers_are_large() -> None:
    (a, b), (c, d) = spans(bar.sum_bar(0, 0, 92, [1.0, 8.0]))
    assert (d - c) / (b - a) == pytest.approx(8, rel=0.01)


@given(st.text(max_size=30), st.floats(30, 300), st.sampled_from(pocket.STATES))
def test_the_text_of_a_pocket_stays_in_it(text: str, width: float, state: str) -> None:
    (said, *_) = [*texts(pocket.pocket(0, 0, width, text, state)), ""]
    assert said == "…" or text_width(said, pocket.SIZE, bold=state == "stale") <= width - 2 * pocket.PAD + 0.1


@given(st.floats(0, 1), st.floats(20, 300))
def test_progress_fills_from_the_right(part: float, width: float) -> None:
    drawn = re.findall(r'x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', bar.progress(0, 0, width, part))
    assert all(float(x) + float(wide) == pytest.approx(width, abs=0.02) for x, wide in drawn)


def test_names_below_marks_never_overlap_and_the_one_of_now_is_there() -> None:
    marks = [(float(x), f"node{x}") for x in range(0, 300, 15)]
    drawn = axis.names(marks, 0, 7)
    places = sorted(float(x) for x in re.findall(r'<text x="([\d.]+)"', drawn))
    assert 105.0 in places
    assert all(b - a > text_width("node100", 13.5) for a, b in pairwise(places))


def test_a_dotted_line_says_that_lines_of_code_are_left_out_and_an_empty_one_is_none() -> None:
    def marks(*numbers: int) -> int:
        return panel.code(0, 0, 300, [CodeLine(number, "x = 1") for number in numbers]).count("left-out")

    assert marks(1, 2, 4, 5) == 0
    assert marks(14, 15, 18, 33) == 2
    assert marks(0, 7, 0, 90) == 0  # the name of a file stands between them


def test_the_tint_of_a_module_that_has_no_body_is_as_round_as_its_card() -> None:
    assert '<rect class="head"' in outline.module_outline(0, 0, 100, 60, 60)
    assert '<path class="head"' in outline.module_outline(0, 0, 100, 160, 60)
