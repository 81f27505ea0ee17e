"""Sparklines: any course of numbers, as small as a word, inside of its panel."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.view.kit.shapes.spark import FOOT, HEAD, Spark, spark

values = st.floats(allow_nan=True, allow_infinity=True, width=32)
courses = st.lists(values, max_size=40)


@given(courses, st.integers(0, 50))
def test_any_course_stays_inside_of_its_panel(course: list[float], now: int) -> None:
    drawn = spark(10, 20, 200, 80, Spark("loss", list(enumerate(course)), now, "1.0", "2.0"))
    ElementTree.fromstring(drawn)
    line = re.search(r'class="course" d="([^"]*)"', drawn)
    assert (line is not None) == any(map(math.isfinite, course))
    if line is not None:
        points = [tuple(map(float, pair.split())) for pair in re.split("[ML]", line[1])[1:]]
        assert len(points) == sum(map(math.isfinite, course))
        assert all(10 <= x <= 210 and 20 + HEAD <= y <= 100 - FOOT for x, y in points)
        assert [x for x, _ in points] == sorted(x for x, _ in points)


def test_what_falls_by_more_than_thirty_times_is_drawn_by_its_logarithm_and_says_so() -> None:
    falling = [(0.0, 100.0), (1.0, 10.0), (2.0, 1.0)]
    drawn = spark(0, 0, 200, 80, Spark("loss", falling, 2, "100", "1.0"))
    assert "log scale" in drawn
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", drawn)[:3]]
    assert heights[1] - heights[0] == heights[2] - heights[1] > 0
    assert "log scale" not in spark(0, 0, 200, 80, Spark("loss", [(0.0, 2.0), (1.0, 1.0)], 1, "2.0", "1.0"))
