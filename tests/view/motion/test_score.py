"""How pictures move: what causes a change is seen before it, and at the end of a step all is at rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

import autograd_lab as torch
from autograd_lab import events as e
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from autograd_lab.view.kit.part import Part
from autograd_lab.view.motion import patterns
from autograd_lab.view.motion.manner import HOME, Frames, Manner, value_at
from autograd_lab.view.motion.score import Score
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.traces import programs, run

AT_REST = {"o": (1.0,), "x": (0.0,), "y": (0.0,), "s": (1.0,), "u": (HOME,), "d": (1.0, patterns.FAR)}

Moved = dict[tuple[Part, int], Manner]


def moved(trace: Trace) -> tuple[RecordedScene, Moved]:
    """A scene, and the manner of each change in it, by part and step."""
    scene = make_scene(trace)
    assert isinstance(scene, RecordedScene)
    score = Score.of(scene.stills.picture, trace.events)
    return scene, {
        (part, step): manner
        for part in scene.parts
        for (step, _), manner in zip(scene.tracks[part.id][1:], score.manners(part, scene.tracks[part.id]), strict=True)
    }


def arrivals(manners: Moved, step: int) -> Iterator[float]:
    """The shares of a step at which something has ridden to the beginning of its line."""
    for (_, when), manner in manners.items():
        frames = [*manner.frames, *(manner.token.frames if manner.token is not None else ())]
        for name, *rest in frames if when == step else ():
            if name == "u" and rest[1] in (HOME, 1 - patterns.FAR) and 0 in rest[1::2]:
                yield float(rest[2 * rest[1::2].index(0)])


def channel(manner: Manner, name: str) -> Frames:
    return next(frames for frames in manner.frames if frames[0] == name)


@settings(max_examples=60, deadline=None)
@given(programs)
def test_nobody_changes_before_what_was_sent_has_arrived(program: list[Any]) -> None:
    trace = run(program)
    try:
        scene, manners = moved(trace)
    except NothingToDraw:
        return
    flying = {step for part in scene.parts for step, look in scene.tracks[part.id] if "flying" in look.classes}
    for step, event in enumerate(trace.events, 1):
        if not isinstance(event, e.GradientSent) or event.value is None:
            continue
        arrived = max(arrivals(manners, step + 1), default=0.0)
        assert arrived or step not in flying or step == scene.steps
        for (part, when), manner in manners.items():
            if when == step + 1 and part.kind in ("card", "lane", "slot"):
                assert manner.turns >= arrived, (part, step)


@settings(max_examples=60, deadline=None)
@given(programs)
def test_every_move_ends_within_its_step_and_leaves_all_at_rest(program: list[Any]) -> None:
    try:
        _, manners = moved(run(program))
    except NothingToDraw:
        return
    for manner in manners.values():
        assert 0 < manner.turns <= 1 and 0 <= manner.lasts <= 1300
        for _, *rest in [*manner.frames, *(manner.token.frames if manner.token else ())]:
            times = [float(time) for time in rest[::2]]
            assert times == sorted(times) and times[0] >= 0 and times[-1] <= 1, manner
        for name, *rest in manner.frames:
            assert name in "gc" or rest[-1] in AT_REST[name], manner
        if manner.token is not None:
            opacity = next(frames for frames in manner.token.frames if frames[0] == "o")
            assert opacity[-1] == 0
    for manner in manners.values():
        gone = [abs(float(value_at(frames, 1.0))) for frames in manner.frames if frames[0] in "gc"]
        assert not gone or 0 in gone or gone == [1.0, 1.0], manner


@pytest.mark.parametrize("name", ["expression", "mlp"])
def test_a_number_leaves_its_op_for_its_place_and_goes_on_to_the_receiver(name: str) -> None:
    scene, manners = moved(run_script(find_script(name)).trace)
    rides = 0
    for part in scene.parts:
        track = scene.tracks[part.id]
        for step, look in track if part.kind == "number" else ():
            if "flying" in look.classes:
                rides += 1
                leaves, goes_on = channel(manners[part, step], "u"), channel(manners[part, step + 1], "u")
                assert (leaves[2], leaves[-1]) == (1, HOME)
                assert goes_on[2] == HOME and 0 in goes_on[4::2]
    assert rides >= 3


def test_two_numbers_that_leave_one_op_go_one_after_the_other() -> None:
    scene, manners = moved(run_script(find_script("expression")).trace)
    first, second = (part for part in scene.parts if part.id in ("o0-o2#", "o1-o2#"))
    arrives, leaves = channel(manners[first, 13], "u"), channel(manners[second, 13], "u")
    assert float(arrives[3]) <= float(leaves[1])


def test_a_value_rides_in_before_the_op_is_there() -> None:
    scene, manners = moved(run_script(find_script("expression")).trace)
    line, card = (next(part for part in scene.parts if part.id == name) for name in ("b0-o0", "o0"))
    token = manners[line, 3].token
    assert token is not None and ">2.0</text>" in token.svg
    assert value_at(token.frames[0], manners[card, 3].turns) > 0.95


def test_what_was_saved_cracks_after_the_write_that_spoils_it() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    with record() as trace:
        b = a * 3.0
        c = b.exp()
        c.mul_(2.0)
    _, manners = moved(trace)
    step = next(n for n, event in enumerate(trace.events, 1) if isinstance(event, e.TensorModified))
    cracked = [m for (part, when), m in manners.items() if when == step and part.kind == "slot"]
    written = [m for (part, when), m in manners.items() if when == step and part.kind == "card"]
    assert cracked == [patterns.CRACKED] and written
    assert all(m.turns < patterns.CRACKED.turns for m in written if m is not patterns.CRACKED)
    assert any(m is patterns.STRUCK for m in written)


def test_a_light_that_goes_out_takes_nobodys_time() -> None:
    scene, manners = moved(run_script(find_script("expression")).trace)
    card = next(part for part in scene.parts if part.id == "b0")
    assert manners[card, 2].lasts == 0


@settings(max_examples=60, deadline=None)
@given(programs)
def test_a_line_stays_where_it_is_until_something_sets_off_along_it(program: list[Any]) -> None:
    try:
        _, manners = moved(run(program))
    except NothingToDraw:
        return
    for manner in manners.values():
        drawn = [value_at(frames, manner.turns - 0.002) for frames in manner.frames if frames[0] == "d"]
        assert manner.turns < 0.01 or drawn in ([], [1.0]), manner


def test_a_bar_as_wide_as_the_picture_does_not_grow_over_its_edge() -> None:
    _, manners = moved(run_script(find_script("rnn")).trace)
    lanes = [manner for (part, _), manner in manners.items() if part.kind == "lane"]
    assert lanes
    assert all(frames[0] != "s" for manner in lanes for frames in manner.frames)


def test_what_a_hook_has_made_rides_past_its_place_before_it_stands_there() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    with record() as trace:
        h = x * 3.0
        h.register_hook(lambda grad: grad * 2.0)
        (h**2.0).backward()
    scene, manners = moved(trace)
    step = next(n for n, event in enumerate(trace.events, 1) if isinstance(event, e.HookCalled))
    line, number = (
        next(part for part in scene.parts if part.kind == kind and (part, step) in manners)
        for kind in ("link", "number")
    )
    token = manners[line, step].token
    assert token is not None
    assert value_at(token.frames[0], manners[number, step].turns) < 0.35
