"""Long pictures in rows: what holds of a layout holds of these too."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lab.view.compiled.rows import in_rows, split_at
from autograd_lab.view.layout.boxes import Box, Link, lay_out
from tests.view.layout.test_layout import (
    assert_clear_of_boxes,
    assert_ends_at_ports,
    assert_within,
    chain,
    graphs,
    points,
)

Graph = tuple[list[Box], list[Link]]


def assert_apart(boxes: list[Box], places: dict[str, tuple[float, float]]) -> None:
    for number, a in enumerate(boxes):
        for b in boxes[number + 1 :]:
            (ax, ay), (bx, by) = places[a.id], places[b.id]
            free_x = max(bx - ax - a.width, ax - bx - b.width)
            free_y = max(by - ay - a.height, ay - by - b.height)
            assert free_x >= 0 or free_y >= 0, (a, b)


@settings(deadline=None, max_examples=40)  # a graph takes a tenth of a second, and has many lines and boxes
@given(graphs(), st.sampled_from([200.0, 500.0, 900.0]))
def test_in_rows_boxes_keep_apart_and_lines_run_from_port_to_port_through_no_box(graph: Graph, longest: float) -> None:
    boxes, links = graph
    drawn = in_rows(lay_out(boxes, links), boxes, links, longest)
    assert_apart(boxes, drawn.places)
    assert_ends_at_ports(boxes, links, drawn, "LR")
    assert_clear_of_boxes(boxes, links, drawn)


@settings(deadline=None)
@given(graphs())
def test_rows_lie_within_the_picture(graph: Graph) -> None:
    boxes, links = graph
    assert_within(boxes, in_rows(lay_out(boxes, links), boxes, links, 400.0))


def test_a_short_layout_stays_in_one_row() -> None:
    boxes, links = chain(5)
    drawn = lay_out(boxes, links)
    assert in_rows(drawn, boxes, links, 1000.0) is drawn


@pytest.mark.parametrize("count", [30, 100])
def test_a_chain_becomes_rows_of_about_the_length_asked_for(count: int) -> None:
    boxes, links = chain(count)
    drawn = in_rows(lay_out(boxes, links), boxes, links, 600.0)
    assert 500 < drawn.width < 800
    assert len({y for _, y in drawn.places.values()}) == pytest.approx(count * 116 / 600, abs=2)


@given(st.floats(1, 299))
def test_a_route_cut_in_two_goes_where_it_went(x: float) -> None:
    route = ((0.0, 0.0), (50.0, 0.0), (100.0, 40.0), (150.0, 40.0), (200.0, 40.0), (250.0, 90.0), (300.0, 90.0))
    first, second = split_at(route, x)
    assert first[-1] == second[0] and abs(first[-1][0] - x) < 1e-6
    assert first[0] == route[0] and second[-1] == route[-1]
    whole = list(points(route, 400))
    for at, height in [*points(first, 9), *points(second, 9)]:
        assert min(abs(at - px) + abs(height - py) for px, py in whole) < 1.5
