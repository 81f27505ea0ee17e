"""Pictures of several runs: what they have in common stays where it is, and steps have counterparts."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab.display.experiment import run as run_function
from autograd_lab.trace import Trace
from autograd_lab.view.compare.counterpart import counterpart
from autograd_lab.view.graph.plan.same_places import Places
from autograd_lab.view.kit.part import Part
from autograd_lab.view.scene import FRAME_KINDS, Scene, make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.traces import programs, run

ways = st.sampled_from(["LR", "TB"])


def corners(scene: Scene) -> dict[str, tuple[float, ...]]:
    parts = [part for part in scene.parts if part.kind not in FRAME_KINDS]
    return {part.id: (part.x, part.y, part.width, part.height) for part in parts} | dict(scene.routes)


def pictures(traces: list[Trace], way: str) -> list[Scene]:
    places = Places()
    return [make_scene(trace, direction=way, places=places) for trace in traces]  # type: ignore[arg-type]


def overlap(one: Part, other: Part) -> bool:
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return across > 0.1 and down > 0.1


def drawable(traces: list[Trace]) -> list[Trace]:
    found = []
    for trace in traces:
        try:
            make_scene(trace)
        except NothingToDraw:
            continue
        found.append(trace)
    return found


@settings(max_examples=25, deadline=None)
@given(st.lists(programs, min_size=1, max_size=3), ways)
def test_once_all_were_seen_each_looks_as_it_did_before(some: list[list[Any]], way: str) -> None:
    """The second time around, lines move to the middle of what the first time has made wider."""
    traces = drawable([run(program) for program in some])
    looks = [corners(scene) for scene in pictures(traces * 4, way)[2 * len(traces) :]]
    assert looks[: len(traces)] == looks[len(traces) :]


@settings(max_examples=25, deadline=None)
@given(st.lists(programs, min_size=2, max_size=3), ways)
def test_every_part_is_drawn_as_large_as_it_needs_and_none_over_another(some: list[list[Any]], way: str) -> None:
    traces = drawable([run(program) for program in some])
    for scene, alone in zip(pictures(traces, way), [make_scene(one, direction=way) for one in traces], strict=True):  # type: ignore[arg-type]
        assert scene.routes.keys() == alone.routes.keys()
        needed = {part.id: part.width for part in alone.parts}
        assert needed.keys() == {part.id for part in scene.parts}
        boxes = [part for part in scene.parts if part.kind in ("box", "pill")]
        assert all(part.width >= needed[part.id] - 0.01 for part in boxes)
        assert not any(overlap(*pair) for pair in combinations(boxes, 2))


def f(a: Any, n: int) -> Any:
    y = a * 2
    for _ in range(n):
        y = torch.tanh(y + a)
    return y.exp()


def turns(n: int, a: float = 0.5) -> Trace:
    return run_function(f, {"a": a, "n": n}).trace


def test_with_other_numbers_all_stays_in_its_place() -> None:
    first, second = pictures([turns(2), turns(2, -0.123)], "LR")
    assert corners(first) == corners(second)


def test_with_another_turn_what_came_before_it_stays() -> None:
    places = Places()
    make_scene(turns(3), places=places)
    few, many = make_scene(turns(1), places=places), make_scene(turns(3), places=places)
    spots = [{(part.of, part.x, part.y) for part in scene.parts if part.kind == "pill"} for scene in (few, many)]
    assert {spot for spot in spots[0] if spot[0] in ("o0", "o1", "o2")} <= spots[1]


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
