from __future__ import annotations

import math
import shutil
import sys
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lab.view.layout.boxes import DOT_LIMIT, Box, Layout, LayoutError, Link, lay_out
from autograd_lab.view.layout.graphviz_engine import run_dot

RANK_GAP, BOX_GAP, NEAR = 56.0, 28.0, 0.03
has_graphviz = pytest.mark.skipif(not (shutil.which("dot") or find_spec("pygraphviz")), reason="needs Graphviz")


@st.composite
def graphs(draw, most=24):
    """Boxes of many sizes, links from earlier to later ones, several between the same two, ports anywhere."""
    sides = st.integers(8, 260).map(float) | st.floats(1, 300)
    boxes = [Box(f"b{i}", draw(sides), draw(sides)) for i in range(draw(st.integers(1, most)))]
    short = {box.id: min(box.width, box.height) for box in boxes}
    links = []
    for i in range(draw(st.integers(0, 2 * len(boxes))) if len(boxes) > 1 else 0):
        a, b = sorted(draw(st.lists(st.integers(0, len(boxes) - 1), min_size=2, max_size=2, unique=True)))
        leave, arrive = draw(st.sampled_from((0.0, 0.5, 1.0))), draw(st.floats(0, 1))
        links.append(
            Link(f"l{i}", f"b{a}", f"b{b}", leave * short[f"b{a}"], arrive * short[f"b{b}"], draw(st.integers(0, 80)))
        )
    return boxes, links


def chain(count: int, users: int = 0) -> tuple[list[Box], list[Link]]:
    """Boxes in a row; the first of them also feeds as many as `users` others."""
    boxes = [Box(str(i), 60, 30) for i in range(count)]
    links = [Link(f"{i}", str(i), str(i + 1), 15, 15) for i in range(count - 1)]
    return boxes, links + [Link(f"0-{i}", "0", str(i), 15, 25) for i in range(2, 2 + users)]


def points(route, steps=24):
    """Points along a cubic Bézier path."""
    for i in range(0, len(route) - 1, 3):
        a, b, c, d = route[i : i + 4]
        for step in range(steps + 1):
            t = step / steps
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            yield tuple(sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))


def rise(route) -> float:
    """How far from straight along a row a route is."""
    return max(abs(y - route[0][1]) for _, y in route)


def assert_apart(boxes: list[Box], drawn: Layout, direction: str, gaps=(RANK_GAP, BOX_GAP)) -> None:
    gap_x, gap_y = gaps if direction == "LR" else gaps[::-1]
    for a, b in combinations(boxes, 2):
        (ax, ay), (bx, by) = drawn.places[a.id], drawn.places[b.id]
        free_x = max(bx - ax - a.width, ax - bx - b.width)
        free_y = max(by - ay - a.height, ay - by - b.height)
        assert free_x >= gap_x - NEAR or free_y >= gap_y - NEAR, (a, b)


def assert_ends_at_ports(boxes: list[Box], links: list[Link], drawn: Layout, direction: str) -> None:
    size = {box.id: box for box in boxes}
    for link in links:
        route, (x, y), (to_x, to_y) = drawn.routes[link.id], drawn.places[link.source], drawn.places[link.target]
        if direction == "LR":
            start, end = (x + size[link.source].width, y + link.leave), (to_x, to_y + link.arrive)
        else:
            start, end = (x + link.leave, y + size[link.source].height), (to_x + link.arrive, to_y)
        assert math.dist(route[0], start) < NEAR and math.dist(route[-1], end) < NEAR
        assert len(route) % 3 == 1


def assert_within(boxes: list[Box], drawn: Layout) -> None:
    corners = [(x + box.width, y + box.height) for box in boxes for x, y in [drawn.places[box.id]]]
    everything = [*drawn.places.values(), *corners, *(point for route in drawn.routes.values() for point in route)]
    assert all(math.isfinite(x) and math.isfinite(y) for x, y in everything)
    assert all(-NEAR <= x <= drawn.width + NEAR and -NEAR <= y <= drawn.height + NEAR for x, y in everything)


def assert_clear_of_boxes(boxes: list[Box], links: list[Link], drawn: Layout, margin=1.0) -> None:
    for link in links:
        for box in boxes:
            if box.id not in (link.source, link.target):
                left, top = drawn.places[box.id]
                for x, y in points(drawn.routes[link.id]):
                    inside = margin < x - left < box.width - margin and margin < y - top < box.height - margin
                    assert not inside, (link, box)


@pytest.mark.parametrize("direction", ["LR", "TB"])
@given(graph=graphs())
def test_boxes_keep_apart_and_lie_within_the_picture(direction, graph):
    boxes, links = graph
    drawn = lay_out(boxes, links, direction=direction)
    assert_apart(boxes, drawn, direction)
    assert_within(boxes, drawn)


@pytest.mark.parametrize("direction", ["LR", "TB"])
@given(graph=graphs())
def test_routes_run_from_port_to_port_along_the_ranks_and_through_no_box(direction, graph):
    boxes, links = graph
    drawn = lay_out(boxes, links, direction=direction)
    assert_ends_at_ports(boxes, links, drawn, direction)
    assert_clear_of_boxes(boxes, links, drawn)
    along = 0 if direction == "LR" else 1
    for link in links:
        assert drawn.ranks[link.source] < drawn.ranks[link.target]
        stations = [point[along] for point in drawn.routes[link.id]]
        assert all(a <= b + NEAR for a, b in pairwise(stations))


@given(graph=graphs())
def test_the_room_before_a_target_is_straight(graph):
    boxes, links = graph
    drawn = lay_out(boxes, links)
    for link in links:
        end_x, end_y = drawn.routes[link.id][-1]
        near = [y for x, y in points(drawn.routes[link.id]) if x > end_x - link.room + NEAR]
        assert all(abs(y - end_y) < NEAR for y in near)


@given(graph=graphs())
def test_top_down_is_left_to_right_with_the_axes_exchanged(graph):
    boxes, links = graph
    turned = [Box(box.id, box.height, box.width) for box in boxes]
    across, down = lay_out(boxes, links), lay_out(turned, links, direction="TB")
    assert down.places == {name: (x, y) for name, (y, x) in across.places.items()}
    assert (down.width, down.height) == (across.height, across.width)


@given(graph=graphs())
def test_the_same_graph_is_drawn_with_the_same_numbers(graph):
    assert lay_out(*graph) == lay_out(*graph)


@settings(max_examples=25)
@given(graph=graphs(most=8))
def test_no_link_bends_back_on_itself_where_gaps_are_small(graph):
    boxes, links = graph
    drawn = lay_out(boxes, links, rank_gap=4, box_gap=2)
    assert_apart(boxes, drawn, "LR", (4, 2))
    assert_clear_of_boxes(boxes, links, drawn)


@pytest.mark.parametrize("count", [2, 7, 40])
def test_a_chain_is_perfectly_straight(count):
    boxes, links = chain(count)
    drawn = lay_out(boxes, links)
    assert {y for _, y in drawn.places.values()} == {0.0}
    assert all(rise(route) == 0 for route in drawn.routes.values())


def test_a_chain_of_boxes_of_different_heights_is_straight_through_its_ports():
    boxes = [Box(str(i), 60, 40 + 25 * (i % 3)) for i in range(6)]
    drawn = lay_out(boxes, [Link(str(i), str(i), str(i + 1), 12, 12) for i in range(5)])
    assert all(rise(route) == 0 for route in drawn.routes.values())


def test_a_line_stays_straight_where_leaves_and_skip_connections_join_it():
    boxes = [Box(name, 100, 60) for name in ("x", "w", "mul", "relu", "b", "add", "sum")]
    ends = [("x", "mul"), ("w", "mul"), ("mul", "relu"), ("relu", "add"), ("b", "add"), ("add", "sum"), ("mul", "sum")]
    ports = {"w": 40.0, "b": 40.0}
    links = [Link(f"{a}-{b}", a, b, 30, ports.get(a, 45.0 if (a, b) == ("mul", "sum") else 30.0)) for a, b in ends]
    drawn = lay_out(boxes, links)
    assert [rise(drawn.routes[name]) for name in ("mul-relu", "relu-add", "add-sum")] == [0, 0, 0]


def test_a_long_line_of_ops_with_two_operands_does_not_lead_down_and_down():
    boxes = [Box("w", 60, 50), *(Box(str(i), 60, 50) for i in range(60))]
    links = [Link(f"{i}", str(i), str(i + 1), 25, 14) for i in range(59)]
    links += [Link(f"w{i}", "w", str(i), 25, 36) for i in range(1, 60)]
    assert lay_out(boxes, links).height < 250


def test_both_sides_of_a_merge_and_of_a_fork_are_alike():
    boxes = [Box(name, 80, 40) for name in ("x", "up", "down", "y")]
    links = [
        Link("xu", "x", "up", 20, 20),
        Link("xd", "x", "down", 20, 20),
        Link("uy", "up", "y", 20, 10),
        Link("dy", "down", "y", 20, 30),
    ]
    drawn = lay_out(boxes, links)
    middle = (drawn.places["up"][1] + drawn.places["down"][1]) / 2
    assert drawn.places["x"][1] == pytest.approx(middle, abs=0.1) == drawn.places["y"][1]


def test_two_uses_of_one_tensor_by_one_op_are_two_lines_around_the_middle():
    links = [Link("first", "x", "mul", 20, 10), Link("second", "x", "mul", 20, 30)]
    drawn = lay_out([Box("x", 60, 40), Box("mul", 60, 40)], links)
    assert drawn.routes["first"] != drawn.routes["second"]
    assert drawn.places["x"][1] == drawn.places["mul"][1]


def test_operands_stand_in_the_order_in_which_they_arrive():
    boxes = [Box(name, 60, 30) for name in ("c", "b", "a", "cat")]
    links = [Link(name, name, "cat", 15, 5 + 10 * i) for i, name in enumerate("abc")]
    places = lay_out(boxes, links).places
    assert places["a"][1] < places["b"][1] < places["c"][1]


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_lines_of_a_tree_do_not_cross(depth):
    names = [format(i, "b") for i in range(1, 2**depth)]
    boxes = [Box(name, 60, 40) for name in sorted(names, reverse=True, key=lambda name: (len(name), name))]
    links = [Link(name, name, name[:-1], 20, 10 + 20 * int(name[-1])) for name in names if len(name) > 1]
    drawn = lay_out(boxes, links)
    for rank in range(depth - 1):
        routes = [drawn.routes[link.id] for link in links if drawn.ranks[link.source] == rank]
        ends = [route[-1][1] for route in sorted(routes, key=lambda route: route[0][1])]
        assert ends == sorted(ends)


def test_a_leaf_stands_next_to_its_first_use():
    boxes, links = chain(8)
    boxes.insert(0, Box("late", 60, 30))
    drawn = lay_out(boxes, [*links, Link("use", "late", "6", 15, 25)])
    assert drawn.ranks["late"] == drawn.ranks["6"] - 1


def test_an_op_whose_place_is_free_stands_where_the_program_ran_it():
    names = ["x", "early", "a", "b", "c", "late", "sum"]
    ends = [("x", "early"), ("x", "a"), ("a", "b"), ("b", "c"), ("x", "late"), ("c", "sum")]
    links = [Link(f"{a}-{b}", a, b, 15, 15) for a, b in ends]
    links += [Link("early-sum", "early", "sum", 15, 5), Link("late-sum", "late", "sum", 15, 25)]
    ranks = lay_out([Box(name, 60, 30) for name in names], links).ranks
    assert ranks["early"] == ranks["a"] and ranks["late"] == ranks["c"]


def test_a_hub_shares_one_lane_and_stays_small():
    boxes, links = chain(2002, users=2000)
    drawn = lay_out(boxes, links)
    assert drawn.height < 200
    assert max(len(route) for route in drawn.routes.values()) < 40


def test_a_hub_whose_users_are_all_alike_is_drawn():
    boxes = [Box("w", 60, 30), *(Box(str(i), 60, 30) for i in range(2000))]
    drawn = lay_out(boxes, [Link(str(i), "w", str(i), 15, 15) for i in range(2000)])
    assert drawn.places["w"][1] == pytest.approx(drawn.height / 2 - 15, abs=1)


def test_lanes_that_would_be_too_many_run_outside_and_through_no_box():
    boxes, links = chain(140)
    boxes = [Box(box.id, 60, 600) for box in boxes]
    links += [Link(f"skip{i}", str(i), str(139 - i), 15, 25) for i in range(68)]
    drawn = lay_out(boxes, links)
    assert_clear_of_boxes(boxes, links, drawn)
    assert_within(boxes, drawn)
    assert_ends_at_ports(boxes, links, drawn, "LR")


def test_a_chain_of_20000_is_drawn_without_recursion():
    boxes, links = chain(20_000)
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        drawn = lay_out(boxes, links)
    finally:
        sys.setrecursionlimit(depth)
    assert drawn.ranks["19999"] == 19_999 and drawn.height == 30


def test_parts_that_are_not_linked_stand_below_each_other_and_many_small_ones_in_a_grid():
    boxes, links = chain(12)
    below = lay_out([*boxes[:6], *boxes[6:]], [link for link in links if link.id != "5"])
    assert below.places["6"][0] == 0 and below.places["6"][1] > 30
    grid = lay_out([Box(str(i), 60, 30) for i in range(100)], [])
    assert 0.3 < grid.height / grid.width < 3


def test_nothing_to_draw_is_an_empty_picture():
    for engine in ("layered", "auto", "dot"):
        drawn = lay_out([], [], engine=engine)
        assert (drawn.width, drawn.height, drawn.places) == (0, 0, {})


A_B = [Box("a", 60, 30), Box("b", 60, 30)]


@pytest.mark.parametrize(
    ("boxes", "links", "said"),
    [
        (A_B, [Link("l", "b", "a", 0, 0)], "earlier box"),
        (A_B, [Link("l", "a", "a", 0, 0)], "itself"),
        (A_B, [Link("l", "a", "c", 0, 0)], "'c'"),
        (A_B, [Link("l", "a", "b", 31, 0)], "port outside"),
        (A_B, [Link("l", "a", "b", 0, math.nan)], "port outside"),
        (A_B, [Link("l", "a", "b", 0, 0, -1)], "room"),
        (A_B, [Link("l", "a", "b", 0, 0), Link("l", "a", "b", 0, 0)], "same id"),
        ([Box("a", 60, 30), Box("a", 60, 30)], [], "'a'"),
        ([Box("a", math.inf, 30)], [], "size"),
        ([Box("a", 0, 30)], [], "size"),
    ],
)
def test_a_graph_that_makes_no_sense_is_refused_with_the_reason(boxes, links, said):
    with pytest.raises(LayoutError, match=said):
        lay_out(boxes, links)


@pytest.mark.parametrize("wrong", [{"direction": "RL"}, {"engine": "neato"}])
def test_an_unknown_option_is_refused(wrong):
    with pytest.raises(LayoutError, match="direction is LR or TB"):
        lay_out(A_B, [], **wrong)


@has_graphviz
@pytest.mark.parametrize("direction", ["LR", "TB"])
@settings(max_examples=25, deadline=None)
@given(graph=graphs(most=10))
def test_graphviz_places_our_boxes_and_its_lines_end_at_our_ports(direction, graph):
    boxes, links = graph
    drawn = lay_out(boxes, links, direction=direction, engine="dot")
    assert drawn.engine == "dot"
    assert_apart(boxes, drawn, direction, (0, 0))
    assert_within(boxes, drawn)
    assert_ends_at_ports(boxes, links, drawn, direction)


@has_graphviz
def test_graphviz_leaves_the_room_before_a_target_straight():
    links = [Link("ac", "a", "c", 15, 8, room=50), Link("bc", "b", "c", 15, 22, room=20)]
    drawn = lay_out([*A_B, Box("c", 60, 30)], links, engine="dot")
    for link in links:
        end_x, end_y = drawn.routes[link.id][-1]
        assert all(abs(y - end_y) < NEAR for x, y in points(drawn.routes[link.id]) if x > end_x - link.room)


@has_graphviz
def test_both_engines_agree_on_who_is_above_whom_in_a_small_tree():
    boxes = [Box(name, 60, 30) for name in ("a", "b", "add", "c", "mul")]
    ends = [("a", "add", 8), ("b", "add", 22), ("add", "mul", 8), ("c", "mul", 22)]
    links = [Link(f"{a}-{b}", a, b, 15, port) for a, b, port in ends]
    for engine in ("layered", "dot"):
        places = lay_out(boxes, links, engine=engine).places
        assert places["a"][1] < places["b"][1] and places["add"][1] < places["c"][1]
        assert places["a"][0] < places["add"][0] < places["mul"][0]


def test_a_graph_too_large_for_graphviz_is_drawn_by_our_own_layout_which_says_so():
    boxes, links = chain(DOT_LIMIT + 1)
    drawn = lay_out(boxes, links, engine="dot")
    assert drawn.engine == "layered" and "too many for Graphviz" in drawn.notice


def test_without_graphviz_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(LayoutError, match="pip install pygraphviz"):
        lay_out(A_B, [], engine="dot")
    assert lay_out(A_B, []).engine == "layered"


@pytest.mark.skipif(not find_spec("pygraphviz"), reason="needs pygraphviz")
def test_the_dot_executable_is_used_where_there_is_one(tmp_path: Path, monkeypatch):
    if not shutil.which("dot"):  # the wheel brings no executable: this one hands its input to the wheel
        script = tmp_path / "dot"
        script.write_text(
            f"#!{sys.executable}\n"
            "import sys, pygraphviz\n"
            "form = next(word[2:] for word in sys.argv if word.startswith('-T'))\n"
            "graph = pygraphviz.AGraph(string=sys.stdin.read())\n"
            "sys.stdout.buffer.write(graph.draw(format=form, prog='dot'))\n"
        )
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    boxes, links = chain(5)
    by_executable = lay_out(boxes, links, engine="dot")
    monkeypatch.setenv("PATH", "")
    by_wheel = lay_out(boxes, links, engine="dot")
    assert list(by_executable.places) == list(by_wheel.places)
    assert [rise(route) for route in by_executable.routes.values()] == [0.0] * 4


@has_graphviz
def test_a_source_that_graphviz_refuses_is_a_clear_error():
    with pytest.raises(ValueError, match="Graphviz cannot draw this as svg"):
        run_dot("digraph {", "svg")
