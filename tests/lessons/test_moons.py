"""The picture of two half moons: where a network's border is, and what is said of it to who cannot see it."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest

from autograd_lab.lessons.moons import border, draw_moons, moons


def heights_of(answer: Any) -> Any:
    rows, columns = np.mgrid[0:9, 0:12]
    return answer(rows, columns)


def test_the_border_lies_where_the_answer_is_0() -> None:
    pieces = list(border(heights_of(lambda row, column: row + 2.0 * column - 10.3)))
    assert len(pieces) > 8
    assert all(row + 2 * column == pytest.approx(10.3) for row, column in chain.from_iterable(pieces))


def test_a_ring_has_a_border_that_comes_back_to_where_it_began() -> None:
    pieces = list(border(heights_of(lambda row, column: 6.5 - (row - 4.1) ** 2 - (column - 5.2) ** 2)))
    ends = [tuple(np.round(end, 9)) for end in chain.from_iterable(pieces)]
    assert len(pieces) > 8 and all(ends.count(end) == 2 for end in ends)


def test_who_says_the_same_everywhere_has_no_border() -> None:
    assert list(border(heights_of(lambda row, column: row * 0 + 1.0))) == []


def test_each_panel_says_how_many_points_are_on_the_right_side_and_so_does_its_alternative_text() -> None:
    points, sides = moons()
    drawn = draw_moons(
        points, sides, {"by height": lambda places: 0.2 - places[:, 1:], "nowhere": lambda places: places[:, :1] - 9}
    )
    right = int((np.sign(0.2 - points[:, 1:]) == sides).sum())
    said = [f"by height: {right} of 60 points on the right side", "nowhere: 30 of 60 points on the right side"]
    assert [text for text in said if f">{text}<" in drawn.svg] == said
    assert all(text in drawn._repr_mimebundle_()[1]["image/png"]["alt"] for text in said)


def test_points_of_both_sides_differ_in_shape_too() -> None:
    points, sides = moons(20)
    svg = draw_moons(points, sides, {"before": lambda places: places[:, :1]}).svg
    assert svg.count('class="round"') == svg.count('class="square"') == 10 + 1, "and one of each in the legend"
