"""Pictures of several recordings: what they share stands at the same place, and steps have counterparts."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pytest import approx

import autograd_lab as torch
from autograd_lab.display.experiment import run as run_function
from autograd_lab.notebook import trace
from autograd_lab.trace import Trace
from autograd_lab.view.compare.both import Both, both_of
from autograd_lab.view.compare.counterpart import counterpart
from autograd_lab.view.compare.shared_places import Places, by_lines
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Part
from autograd_lab.view.pages.layouts import PANES
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.traces import Instruction, programs, run

TITLES = ("here", "there")
Corners = dict[str, tuple[float, ...]]

panes = st.sampled_from([*PANES, (576.0, 440.0), (1184.0, 210.0)])
views = st.sampled_from(["engine", "maths"])


def corners(picture: Picture) -> Corners:
    cards = [part for part in picture.parts if part.kind == "card"]
    return {part.id: (part.x, part.y, part.width, part.height) for part in cards}


def drawn(trace: Trace) -> RecordedScene | None:
    try:
        scene = make_scene(trace)
    except NothingToDraw:
        return None
    assert isinstance(scene, RecordedScene)
    return scene


def compared(one: Trace, other: Trace) -> Both | None:
    return None if drawn(one) is None or drawn(other) is None else both_of(one, other, TITLES)


def alone(scene: RecordedScene, view: Any, pane: tuple[float, float]) -> Corners:
    found = drawn(scene.trace)
    assert found is not None
    return corners(found.picture(view, pane))


def overlap(one: Part, other: Part) -> bool:
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return across > 0.1 and down > 0.1


def partners(both: Both) -> dict[str, str]:
    """By card of the first picture, op or leaf, the one of the second."""
    return {**both.pairing.ops, **both.pairing.boxes}


class TestTwo:
    """Two recordings that are compared."""

    @settings(max_examples=15, deadline=None)
    @given(programs, panes, views)
    def test_with_other_numbers_all_stands_at_the_same_place(self, program: Any, pane: Any, view: Any) -> None:
        both = compared(run(program), run(program, (-0.12345, 17.25)))
        if both is not None:
            first, second = (scene.picture(view, pane) for scene in both.scenes)
            assert corners(first) == corners(second)
            assert first.drawing.routes == second.drawing.routes
            assert first.ranges == second.ranges

    @settings(max_examples=15, deadline=None)
    @example([("backward_retained", 0, 0), ("no_grad", 4, 0)], [("add", 0, 0)], 0, (800.0, 480.0), "engine")
    @given(programs, programs, st.integers(0, 25), panes, views)
    def test_what_belongs_together_stands_at_the_same_place_or_each_graph_for_itself(
        self, program: list[Instruction], changed: list[Instruction], cut: int, pane: Any, view: Any
    ) -> None:
        both = compared(run(program), run(program[:cut] + changed + program[cut:]))
        if both is None:
            return
        pictures = [scene.picture(view, pane) for scene in both.scenes]
        here, there = (corners(picture) for picture in pictures)
        shared = {name: other for name, other in partners(both).items() if name in here and other in there}
        together = {name: here[name] for name in shared} == {name: there[other] for name, other in shared.items()}
        assert together or [here, there] == [alone(scene, view, pane) for scene in both.scenes]

    @settings(max_examples=15, deadline=None)
    @given(programs, programs, st.integers(0, 25), panes)
    def test_no_card_lies_over_another_nor_beyond_the_picture(
        self, program: list[Instruction], changed: list[Instruction], cut: int, pane: Any
    ) -> None:
        both = compared(run(program), run(program[:cut] + changed + program[cut:]))
        for scene in both.scenes if both is not None else ():
            picture = scene.picture("engine", pane)
            cards = [part for part in picture.parts if part.kind == "card"]
            placed = picture.choice.placed
            assert not any(overlap(*pair) for pair in combinations(cards, 2))
            assert all(0 <= part.x <= part.x + part.width <= placed.width + 0.1 for part in cards)
            assert all(0 <= part.y <= part.y + part.height <= placed.height + 0.1 for part in cards)

    def test_a_line_goes_straight_through_the_gap_that_the_other_one_leaves(self) -> None:
        def f(x: Any) -> Any:
            if x > 0:
                h = x**2
            else:
                u = -x
                h = u.exp()
            return 3 * h + 1

        both = both_of(trace(f, 2.0), trace(f, -2.0), TITLES)
        first, second = (scene.picture("engine", (1184.0, 240.0)) for scene in both.scenes)
        assert corners(first)["o3"] == corners(second)["o4"]  # y
        assert corners(first)["o1"] == corners(second)["o1"]  # x**2, and -x in its place
        left, right = first.drawing.routes["o1-o2"][0], first.drawing.routes["o1-o2"][-1]
        exp = corners(second)["o2"]
        assert left[1] == right[1] and left[0] < exp[0] < exp[0] + exp[2] < right[0]

    def test_an_op_in_the_place_of_another_stands_there_too(self) -> None:
        def f(x: Any, act: Any) -> Any:
            return (act(x * 2) * 3).sum()

        ones = torch.ones(3, requires_grad=True)
        both = both_of(trace(f, ones, torch.tanh), trace(f, ones, torch.relu), TITLES)
        first, second = (corners(scene.picture("engine", (576.0, 440.0))) for scene in both.scenes)
        assert first == second and "o1" in first
        assert "o1" not in both.pairing.ops

    def test_graphs_with_little_in_common_are_drawn_as_they_are_by_themselves(self) -> None:
        def g(u: Any, v: Any) -> Any:
            return (u / v).cos() + u.sin().exp()

        both = both_of(trace(lambda x: (x * x).sum(), 1.0), trace(g, 1.0, 2.0), TITLES)
        for scene in both.scenes:
            assert corners(scene.picture("engine", PANES[0])) == alone(scene, "engine", PANES[0])


def f(a: Any, n: int) -> Any:
    y = a * 2
    for _ in range(n):
        y = torch.tanh(y + a)
    return y.exp() if a > 0 else y * a


def turns(n: int, a: float = 0.5) -> Trace:
    return run_function(f, {"a": a, "n": n}).trace


def pictures(traces: list[Trace], view: Any, pane: Any) -> list[Corners]:
    """Each as it is drawn when it comes after those before it."""
    places, found = Places(), []
    for each in traces:
        scene = drawn(each)
        assert scene is not None
        places.hold([scene], [by_lines(scene.history)])
        found.append(corners(scene.picture(view, pane)))
    return found


class TestRuns:
    """Runs of a program, one after the other."""

    @settings(max_examples=12, deadline=None)
    @given(st.lists(programs, min_size=1, max_size=3), panes, views)
    def test_once_all_were_seen_each_looks_as_it_did_before(self, some: Any, pane: Any, view: Any) -> None:
        traces = [trace for trace in map(run, some) if drawn(trace) is not None]
        looks = pictures(traces * 5, view, pane)[3 * len(traces) :]
        assert looks[: len(traces)] == looks[len(traces) :]

    @settings(max_examples=4, deadline=None)
    @given(st.lists(st.floats(0.01, 2), min_size=2, max_size=3), panes, views)
    def test_once_all_numbers_were_seen_nothing_moves_any_more(self, numbers: Any, pane: Any, view: Any) -> None:
        _, *again = pictures([turns(2, a) for a in (*numbers, *numbers)], view, pane)[len(numbers) - 1 :]
        for each in again:  # but for a px or two, by which a place may settle once
            assert each.keys() == again[0].keys()
            assert all(each[name] == approx(again[0][name], abs=2) for name in each)

    def test_with_another_branch_what_both_have_stays(self) -> None:
        for view in ("engine", "maths"):
            for pane in PANES:
                *_, positive, negative = pictures([turns(2, a) for a in (1.5, -1.5, 1.5, -1.5)], view, pane)
                shared = positive.keys() & negative.keys()
                assert len(shared) >= 3
                assert {name: positive[name] for name in shared} == {name: negative[name] for name in shared}

    def test_the_pictures_of_a_run_that_nothing_came_before_are_its_own(self) -> None:
        for pane in PANES:
            scene = drawn(turns(2))
            assert scene is not None
            assert pictures([turns(2)], "engine", pane) == [alone(scene, "engine", pane)]


class TestCounterparts:
    """Which step of another run is the same moment."""

    @given(st.floats(0, 1), st.integers(0, 3))
    def test_in_a_run_of_the_same_graph_it_is_the_same_step(self, share: float, n: int) -> None:
        one, other = turns(n), turns(n, 2.5)
        step = round(share * len(one))
        assert counterpart(step, one, other) == step

    @given(st.floats(0, 1), st.integers(0, 3), st.integers(0, 3))
    def test_in_another_it_tells_of_the_same_kind_of_event_or_of_one_ahead(self, share: float, n: int, m: int) -> None:
        one, other = turns(n), turns(m)
        step = round(share * (len(one) - 1))
        found = counterpart(step, one, other)
        kinds = [event.kind for event in list(one)[:step]]
        assert 0 <= found <= len(other)
        assert found == 0 or other[found - 1].kind in kinds

    def test_a_node_is_the_same_though_others_have_come_before_it(self) -> None:
        one, other = turns(1), turns(2)
        visits = [
            [step for step, event in enumerate(trace, 1) if event.kind == "node_visited"] for trace in (one, other)
        ]
        assert counterpart(visits[0][0], one, other) == visits[1][0]
        assert counterpart(visits[0][-1], one, other) == visits[1][-1]

    def test_tensors_may_have_any_values(self) -> None:
        with torch.record() as trace:
            x = torch.tensor([1.0, 2.0], requires_grad=True)
            (x * x.detach()).sum().backward()
        assert [counterpart(step, trace, trace) for step in range(len(trace) + 1)] == list(range(len(trace) + 1))

    def test_the_end_is_the_end(self) -> None:
        assert counterpart(len(turns(3)), turns(3), turns(1)) == len(turns(1))
