"""Lines are as wide as what they carry, and end where they were told to."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.view.kit.shapes import wire
from autograd_lab.view.kit.shapes.route import Path, backward, halves, middle, shortened
from autograd_lab.view.kit.shapes.width import LEAST, MOST, widths

POINT = st.tuples(st.floats(0, 1000), st.floats(0, 1000))
ROUTES = st.integers(1, 4).flatmap(lambda n: st.lists(POINT, min_size=3 * n + 1, max_size=3 * n + 1).map(tuple))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(NUMBERS, min_size=1, max_size=8), NUMBERS)
def test_a_width_is_between_the_least_and_the_most(numbers: list[float], other: float) -> None:
    rule = widths(numbers)
    assert all(LEAST <= rule(number) <= MOST for number in (*numbers, other))


@given(st.lists(NUMBERS, min_size=1, max_size=8), NUMBERS, NUMBERS)
def test_a_larger_gradient_is_never_on_a_thinner_line(numbers: list[float], one: float, other: float) -> None:
    rule, (low, high) = widths(numbers), sorted((abs(one), abs(other)))
    assert rule(low) <= rule(high) == rule(-high)


def test_up_to_two_decades_widths_add_up_and_beyond_they_are_logarithms() -> None:
    near, far = widths([3.0, 4.0, 7.0]), widths([1.0, 1e-6])
    assert near(3.0) + near(4.0) == pytest.approx(near(7.0))
    assert far(0.01) - far(0.1) == pytest.approx(far(1e-4) - far(1e-3))
    assert (near.said, far.said) == ("width = |∂|", "width = log |∂|")


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_what_is_no_number_is_as_wide_as_can_be(number: float) -> None:
    assert widths([1.0, number])(number) == MOST


def test_an_exact_0_is_a_thin_quiet_line() -> None:
    assert widths([0.0, 1.0])(0.0) == widths([])(0.0) == LEAST
    assert 'class="wire sent zero"' in wire.ribbon(((9, 0), (6, 0), (3, 0), (0, 0)), LEAST, 0.0)


@given(ROUTES, st.floats(0, 1))
def test_two_halves_are_the_whole_course(route: Path, part: float) -> None:
    first, second = halves(route, part)
    assert first[0] == route[0] and second[-1] == route[-1]
    assert first[-1] == second[0] == middle(route, part)
    assert len(first) % 3 == len(second) % 3 == 1


@given(st.floats(0, 1))
def test_half_of_a_straight_line_is_half_of_its_length(part: float) -> None:
    x, y = middle(((0, 5), (10, 5), (60, 5), (100, 5)), part)
    assert (x, y) == (pytest.approx(100 * part, abs=1), 5)


@given(ROUTES)
def test_a_course_there_and_back_is_the_same(route: Path) -> None:
    assert backward(backward(route)) == route


@given(ROUTES, st.floats(1.5, 14), st.sampled_from([1.0, -1.0, 0.0, math.nan]))
def test_the_arrow_ends_at_the_receiver(route: Path, width: float, number: float) -> None:
    drawn = wire.ribbon(route, width, number)
    tip = re.search(r'class="tip" d="M([-\d.]+) ([-\d.]+)L', drawn)
    assert tip is not None
    assert (float(tip[1]), float(tip[2])) == (
        pytest.approx(route[-1][0], abs=0.01),
        pytest.approx(route[-1][1], abs=0.01),
    )
    assert ('class="core"' in drawn) == (number < 0 and width >= wire.CORE_FROM)
    assert "nan" not in drawn.replace("sent odd", "")


@given(ROUTES, st.floats(1, 20))
def test_a_shortened_course_keeps_its_start_and_direction(route: Path, by: float) -> None:
    rest, (ux, uy) = shortened(route, by)
    assert math.hypot(ux, uy) == pytest.approx(1)
    assert rest[-1] == (pytest.approx(route[-1][0] - by * ux), pytest.approx(route[-1][1] - by * uy))


@given(st.floats(0.5, 40), st.floats(6, 20), st.floats(-60, 60))
def test_a_ribbon_does_not_run_back_through_its_tip_however_short_its_last_piece(
    last: float, by: float, rise: float
) -> None:
    ending = [(80.0 + last * share / 3, rise) for share in (1, 2, 3)]
    route = ((0.0, 0.0), (40.0, 0.0), (40.0, rise), (80.0, rise), *ending)
    rest, _ = shortened(route, by)
    places = [middle(rest, step / 40) for step in range(41)]
    assert all(ahead[0] >= behind[0] - 0.01 for behind, ahead in pairwise(places))
    assert max(x for x, _ in places) == pytest.approx(80.0 + last - by)
