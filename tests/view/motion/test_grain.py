"""Grains: one halts where something in sight has changed, as often as the grain says, and playing takes no longer than
a minute."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

import autograd_lab as torch
from autograd_lab import events as e
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from autograd_lab.view.motion.grain import GRAINS, MOST, Stops, stretches_of
from autograd_lab.view.motion.score import Change, Score
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.track import look_at
from tests.models import gpt2
from tests.traces import programs, run


def stops_of(trace: Trace) -> tuple[RecordedScene, Stops]:
    scene = make_scene(trace)
    assert isinstance(scene, RecordedScene)
    score = Score.of(scene.stills.picture, trace.events)
    moved = [(scene.tracks[part.id], score.manners(part, scene.tracks[part.id])) for part in scene.parts]
    return scene, Stops.of(moved, stretches_of(trace.events))


def expression() -> Trace:
    return run_script(find_script("expression")).trace


def loud(scene: RecordedScene) -> list[Change]:
    """The changes that are more than a light that goes out."""
    changes = (
        Change(part, step, before, after)
        for part in scene.parts
        for (_, before), (step, after) in pairwise(scene.tracks[part.id])
    )
    return [change for change in changes if not change.is_quiet]


@settings(max_examples=60, deadline=None)
@given(programs)
def test_every_stop_shows_something_new_and_the_last_one_is_the_end(program: list[Any]) -> None:
    try:
        scene, stops = stops_of(run(program))
    except NothingToDraw:
        return
    by_event = stops.at["event"]
    assert by_event[-1:] == [scene.steps] * bool(loud(scene)), "nothing more is seen after it"
    for before, after in pairwise((0, *by_event)):
        assert any(look_at(track, before) != look_at(track, after) for track in scene.tracks.values())
    for grain in GRAINS:
        at = stops.at[grain.name]
        assert at == sorted(set(at))
        assert set(at) <= set(by_event)
        assert at[-1:] == by_event[-1:], "at whatever grain, all that changes is seen"


def test_by_node_one_halts_once_for_each_op_and_each_node_that_runs() -> None:
    trace = expression()
    told = (e.TensorCreated, e.OpApplied, e.BackwardStarted, e.NodeVisited, e.BackwardFinished)
    assert len(stops_of(trace)[1].at["node"]) == sum(isinstance(event, told) for event in trace.events)


def test_by_line_backward_goes_from_line_to_line_of_what_was_recorded() -> None:
    trace = expression()
    stops = stops_of(trace)[1].at["line"]
    assert [step for step in stops if step < 8] == [1, 2, 3, 4, 7], "five lines forward"
    assert len([step for step in stops if step > 8]) == 4, "three of them back, with their leaves, and the end"


def test_by_module_each_call_is_gone_through_once_forward_and_once_back() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    with record() as trace:
        model(torch.ones(4, 2)).sum().backward()
    ends = stretches_of(trace.events)["module"]
    applied = next(step for step, event in enumerate(trace.events, 1) if isinstance(event, e.OpApplied))
    begun = next(step for step, event in enumerate(trace.events, 1) if isinstance(event, e.BackwardStarted))
    assert len([step for step in ends if applied <= step < begun]) == 4, "three calls, and the sum"
    assert len([step for step in ends if step > begun]) == 5, "these back, and the end of the pass"


def test_grains_that_make_no_difference_are_not_offered() -> None:
    assert stops_of(expression())[1].differ() == {"event", "node", "line", "pass"}


@pytest.mark.parametrize("name", ["event", "node"])
def test_three_ops_play_in_ten_to_fifteen_seconds(name: str) -> None:
    _, stops = stops_of(expression())
    [grain] = [each for each in GRAINS if each.name == name]
    assert 10_000 <= grain.lasts(stops.pace, stops.at[name]) <= 15_000
    assert GRAINS[stops.usual(GRAINS)].name == "event"


def test_a_training_step_of_four_blocks_plays_in_less_than_a_minute() -> None:
    work = gpt2(torch, layers=4)
    with record() as trace:
        work()
    assert len(trace) > 1000
    _, stops = stops_of(trace)
    usual = GRAINS[stops.usual(GRAINS)]
    assert usual.name == "module"
    assert 20_000 <= usual.lasts(stops.pace, stops.at[usual.name]) <= MOST
