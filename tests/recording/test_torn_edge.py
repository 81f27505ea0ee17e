"""A recording is whole, or says where it broke off: in the trace, in the picture, on the page, by the exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import autograd_lab
from autograd_lab import record
from autograd_lab.events import RecordingStopped
from autograd_lab.recording import recorder
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.recorder import RecordingWarning
from autograd_lab.trace import Trace
from autograd_lab.view.page import to_page
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg


def worlds() -> list[Any]:
    try:
        import torch
    except ImportError:
        return [autograd_lab]
    return [autograd_lab, torch]


@pytest.fixture
def mistaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorder that fails as soon as a node saves something."""

    def wrong(*_: Any) -> None:
        raise KeyError("a mistake")

    monkeypatch.setattr(recorder, "STRICT", False)
    monkeypatch.setattr(FirstSight, "save", wrong)


def torn(world: Any) -> Trace:
    with pytest.warns(RecordingWarning, match="recording breaks off here"), record() as trace:
        x = world.ones(3, requires_grad=True)
        (x * 2).sum().backward()
        (x * 3).sum().backward()
    assert x.grad.tolist() == [5, 5, 5]
    return trace


@pytest.mark.usefixtures("mistaken")
@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.__name__)
def test_a_mistake_of_the_recorder_ends_the_recording_and_not_the_program(world: Any) -> None:
    trace = torn(world)
    last = trace[-1]
    assert isinstance(last, RecordingStopped)
    assert "KeyError: 'a mistake'" in last.reason
    assert [type(event) for event in trace].count(RecordingStopped) == 1


@pytest.mark.usefixtures("mistaken")
@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.__name__)
def test_pictures_and_pages_show_the_torn_edge(world: Any) -> None:
    scene = make_scene(torn(world))
    assert scene.caption(scene.steps).startswith("autograd_lab failed (KeyError")
    assert "The recording breaks off here" in to_svg(scene)
    assert 'class="torn-edge"' in to_svg(scene)
    assert 'class="torn-edge"' not in to_svg(scene, 1)
    assert "autograd_lab failed (KeyError" in to_page(scene, "torn")


@pytest.mark.usefixtures("mistaken")
def test_a_torn_trace_is_torn_when_it_is_read_again(tmp_path: Path) -> None:
    torn(autograd_lab).save(tmp_path / "torn.jsonl")
    assert Trace.load(tmp_path / "torn.jsonl").is_torn


@pytest.mark.usefixtures("mistaken")
def test_the_command_says_where_the_recording_broke_off_and_fails(tmp_path: Path) -> None:
    torn(autograd_lab).save(tmp_path / "torn.jsonl")
    command = [sys.executable, "-m", "autograd_lab", "draw", "torn.jsonl"]
    environment = {**os.environ, "PYTHONPATH": str(Path(autograd_lab.__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert "the recording breaks off after step 2" in done.stderr
    assert (tmp_path / "torn.png").exists()
