"""Signposts: a number stands on its own line, and hides no box and no other number where there is a free place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.view.layout.signposts import TAB, Area, at, polyline, signposts

places = st.floats(0, 1000).map(lambda px: round(px, 2))
routes = st.lists(st.tuples(places, places), min_size=4, max_size=10).filter(lambda it: len(it) % 3 == 1).map(tuple)


@given(st.dictionaries(st.sampled_from("abcdef"), routes, max_size=5))
def test_each_number_stands_on_its_line(lines: dict[str, tuple[tuple[float, float], ...]]) -> None:
    found = signposts(lines, dict.fromkeys(lines, (40.0, 20.0)), [])
    assert set(found) == set(lines)
    for name, (x, y) in found.items():
        points = polyline(lines[name])
        aside = 20 - TAB + 1e-6
        assert min(px for px, _ in points) - aside <= x <= max(px for px, _ in points) + aside
        assert min(py for _, py in points) - 1e-6 <= y <= max(py for _, py in points) + 1e-6


@given(routes)
def test_a_line_is_walked_from_its_start_to_its_end(route: tuple[tuple[float, float], ...]) -> None:
    points = polyline(route)
    assert at(points, 0.0) == points[0] == route[0]
    assert max(abs(a - b) for a, b in zip(at(points, 1.0), route[-1], strict=True)) < 1e-6


def level(y: float) -> tuple[tuple[float, float], ...]:
    return ((0, y), (100, y), (200, y), (300, y))


def test_a_number_stands_in_the_middle_of_its_line() -> None:
    assert signposts({"a": level(5)}, {"a": (40, 20)}, []) == {"a": (150, 5)}


def test_a_number_gives_way_to_a_box_and_to_a_number() -> None:
    box: Area = (120, 0, 180, 10)
    (x, _) = signposts({"a": level(5)}, {"a": (40, 20)}, [box])["a"]
    assert x + 20 <= 120 or x - 20 >= 180
    found = signposts({"a": level(5), "b": level(12)}, dict.fromkeys("ab", (40.0, 20.0)), [])
    assert abs(found["a"][0] - found["b"][0]) >= 40


def test_lines_with_least_room_are_served_first() -> None:
    short = ((140, 12), (145, 12), (155, 12), (160, 12))
    found = signposts({"long": level(5), "short": short}, dict.fromkeys(("long", "short"), (20.0, 20.0)), [])
    assert found["long"][0] != 150
    assert found["short"] == (150.0, 12.0)


def upright(x: float) -> tuple[tuple[float, float], ...]:
    return ((x, 0), (x, 20), (x, 40), (x, 60))


def test_numbers_of_upright_lines_side_by_side_stand_aside_and_hide_neither_line_nor_head() -> None:
    found = signposts({"a": upright(0), "b": upright(30)}, dict.fromkeys("ab", (80.0, 22.0)), [])
    (a, at_a), (b, at_b) = found["a"], found["b"]
    assert a - 40 < 0 <= a + 40 < 30 and b + 40 > 30 >= b - 40 > 0
    assert min(at_a, at_b) - 11 >= 12
