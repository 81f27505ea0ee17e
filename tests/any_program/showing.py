"""Everything that is shown of a trace, at every moment, and a few truths that hold of it whatever ran."""

from __future__ import annotations

import io
import json
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress
from math import prod
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from autograd_lab import record
from autograd_lab.display.afterwards import trace_of
from autograd_lab.trace import Trace
from autograd_lab.view.charts.strip import bytes_kept
from autograd_lab.view.compare.both import both_of
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.kit.numeral import shape_of
from autograd_lab.view.page import page_of_both, to_page
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.track import look_at
from tests.any_program.author import AnyProgram, leave
from tests.story import code_of

OPTIONS: list[dict[str, Any]] = [
    {}, {}, {}, {"view": "maths"}, {"direction": "TB"}, {"fold": False}, {"depth": 0}, {"depth": 1, "direction": "TB"},
    {"root": True},
]  # fmt: skip
"""Ways to look, the usual one more often."""
MANY, FEW = 80, 20
"""A trace of more steps is drawn at so many of them; and at so many steps tracks are held to looks."""


def recorded(program: AnyProgram, torch: Any) -> tuple[Trace, Trace | None]:
    """The trace of a program in one of the worlds, whatever becomes of it, and what can be known of its end without."""
    torch.manual_seed(0)
    names: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(code_of(program.definitions, "layers.py"), names)
        with suppress(Exception, SystemExit):
            exec(code_of(program.before, "before.py"), names)
        with suppress(Exception, SystemExit), record() as trace:
            exec(code_of(program.text, "program.py"), names)
        leave(torch)
        ends = [one for one in names.values() if isinstance(one, torch.Tensor) and one.requires_grad]
        walked = None
        with suppress(RuntimeError):  # some views may not be asked where they come from
            walked = trace_of(ends[-1]) if ends and ends[-1].is_leaf is not None else None
        names.clear()
        ends.clear()
        len(trace)
    return trace, walked


def show(trace: Trace, random: Random) -> int:
    """Draw, play and save a trace; gives how many pictures that were. Raises what a mistake in any view raises."""
    assert_true(trace)
    bytes_kept(trace)
    saved_and_loaded(trace)
    options = random.choice(OPTIONS)
    if "root" in options:
        labels = [box.label for box in history_of(trace).boxes.values() if box.label]
        options = {"root": random.choice(labels)} if labels else {}
    try:
        scene = make_scene(trace, **options)
    except NothingToDraw:
        return 0
    steps = range(scene.steps + 1)
    steps = steps if len(steps) <= MANY else sorted(random.sample(steps, MANY))
    for step in steps:
        ElementTree.fromstring(scene.svg(step, same_size=bool(step % 5 == 4)))
        assert scene.caption(step)
    to_page(scene)
    for step in random.sample(steps, min(len(steps), FEW)):
        state = scene.state(step)
        for part in scene.parts:
            assert look_at(scene.tracks[part.id], step) == scene.look(part, state), (step, part)
    return len(steps)


def assert_true(trace: Trace) -> None:
    """What a tensor says of itself goes with the value that stands beside it, at every moment."""
    for state in states(trace):
        for tensor in state.tensors.values() if state.step == len(trace) else touched(state):
            facts, value = tensor.facts, tensor.value
            assert shape_of(value, facts.shape) == facts.shape, (state.step, facts, value)
            known = [prod(facts.shape), sum(value.histogram)] if value.histogram else [0, 0]
            assert known[1] <= known[0], (state.step, facts, value)


def touched(state: Any) -> list[Any]:
    """The tensor that the last event was about."""
    name = getattr(state.event, "tensor", None)
    return [state.tensors[name]] if isinstance(name, str) and name in state.tensors else []


def saved_and_loaded(trace: Trace) -> None:
    """What was written is what is read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        trace.save(path)
        loaded = Trace.load(path)
    assert json.dumps([repr(event) for event in loaded]) == json.dumps([repr(event) for event in trace])


def compare(one: Trace, other: Trace, random: Random) -> None:
    """Draw two traces side by side."""
    try:
        both = both_of(one, other, ("one", "other"), **random.choice(OPTIONS[:-1]))
    except NothingToDraw:
        return
    assert all(both.told)
    page_of_both(both)
