"""Recordings of real PyTorch from outside: scripts, errors, when torch is there and when it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import autograd_lab
from autograd_lab import record
from autograd_lab.events import ErrorRaised, ModuleEntered, OpApplied, TensorCreated, TensorModified, TensorSaved
from autograd_lab.trace import Trace
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg
from tests.models import WRONG_SCRIPT
from tests.story import first_difference, story

torch = pytest.importorskip("torch")

COMMAND = [sys.executable, "-m", "autograd_lab"]


ROOT = str(Path(__file__).parents[2])


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": ROOT}
    return subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, env=env)


def test_torch_is_not_imported_unless_the_program_does() -> None:
    program = "import sys, autograd_lab as lab\nwith lab.record(): lab.ones(2) * 2\nsys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=120).returncode == 0


def test_torch_is_watched_from_when_the_program_imports_it() -> None:
    program = (
        "import autograd_lab as lab\n"
        "with lab.record() as trace:\n"
        "    import torch\n"
        "    x = torch.ones(2, requires_grad=True)\n"
        "    (x * 2).sum().backward()\n"
        "print([event.name for event in trace if event.kind == 'op_applied'], trace.engine)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == f"['MulBackward0', 'SumBackward0'] torch {torch.__version__.partition('+')[0]}"


def test_the_same_script_gives_the_same_trace_with_real_torch(tmp_path: Path) -> None:
    assert run("record", "expression", "-o", "ours.jsonl", folder=tmp_path).returncode == 0
    assert run("record", "expression", "--torch", "-o", "theirs.jsonl", folder=tmp_path).returncode == 0
    ours, theirs = (Trace.load(tmp_path / name) for name in ("ours.jsonl", "theirs.jsonl"))
    assert first_difference(story(ours), story(theirs)) is None
    assert (ours.engine, theirs.engine[:5]) == ("autograd_lab", "torch")


def test_a_script_that_uses_torch_is_drawn(tmp_path: Path) -> None:
    script = "import torch\nnet = torch.nn.Linear(2, 1)\nloss = net(torch.ones(3, 2)).mean()\nloss.backward()\n"
    (tmp_path / "train.py").write_text(script)
    done = run("draw", "train.py", "-o", "graph.svg", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    drawn = (tmp_path / "graph.svg").read_text()
    assert "Linear 2→1" in drawn and "MeanBackward0" in drawn and "loss.backward()" in drawn


def test_the_culprit_of_an_error_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG_SCRIPT)
    done = run("draw", "wrong.py", "-o", "graph.svg", folder=tmp_path)
    assert done.returncode == 1
    assert "modified by an inplace operation" in done.stderr
    drawn = (tmp_path / "graph.svg").read_text()
    assert "saved here" in drawn and "overwritten here" in drawn


def test_an_error_tells_node_and_slot() -> None:
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"), record() as trace:
        w = torch.ones(2, requires_grad=True)
        y = w.exp()
        y += 1
        y.sum().backward()
    (error,) = (event for event in trace if isinstance(event, ErrorRaised))
    (saved,) = (event for event in trace if isinstance(event, TensorSaved))
    assert (error.node, error.slot) == (saved.node, "result")


def test_modules_and_their_parameters_are_called_by_their_paths() -> None:
    torch.manual_seed(0)  # the widths of numbers decide what is drawn where
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    with record() as trace:
        model(torch.ones(1, 2)).sum().backward()
    entered = [event for event in trace if isinstance(event, ModuleEntered)]
    assert [(one.root, one.module, one.type) for one in entered] == [
        ("model", "", "Sequential"), ("model", "0", "Linear"), ("model", "1", "ReLU"), ("model", "2", "Linear"),
    ]  # fmt: skip
    assert entered[0].parameters == 13
    assert ">model.2<" in to_svg(make_scene(trace, depth=5))
    made = [event.tensor.name for event in trace if isinstance(event, TensorCreated)]
    assert made[1:] == [f"model.{place}.{kind}" for place in (0, 2) for kind in ("weight", "bias")]


def test_steps_of_optimizers_are_told_parameter_by_parameter() -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.AdamW([w])
    with record() as trace:
        (w * w).sum().backward()
        optimizer.step()
    (told,) = (event for event in trace if isinstance(event, TensorModified))
    assert (told.op, told.version) == ("addcdiv_", w._version)


def test_both_engines_can_be_recorded_at_once() -> None:
    with record() as trace:
        for world in (torch, autograd_lab):
            x: Any = world.ones(2, requires_grad=True)
            (x * 3).sum().backward()
    names = [event.name for event in trace if isinstance(event, OpApplied)]
    assert names == ["MulBackward0", "SumBackward0"] * 2
    assert trace.engine.startswith("autograd_lab, torch ")
    make_scene(trace)


def test_recordings_nest() -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as outer:
        y = x * 2
        with record() as inner:
            y.sum().backward()
    told = [[event.kind for event in trace] for trace in (outer, inner)]
    passes = [kinds[kinds.index("backward_started") : kinds.index("backward_finished")] for kinds in told]
    assert passes[0] == passes[1] and "grad_accumulated" in passes[0]
    assert told[1][0] == "tensor_created" and "node_met" in told[1]  # what was there before


def test_torch_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    done = subprocess.run(
        [*COMMAND, "draw", "expression", "--torch"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), ROOT])},
    )  # fmt: skip
    assert done.returncode == 2
    assert "--torch wants PyTorch, which cannot be imported: no torch here" in done.stderr


def test_compiled_functions_run_as_they_are_written_while_they_are_recorded() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    compiled = torch.compile(lambda x: (x * 2).sin().sum(), backend="eager")
    before = compiled(x)
    with record() as trace:
        recorded = compiled(x)
    assert torch.equal(before, recorded) and torch.equal(before, compiled(x))
    names = [event.name for event in trace if isinstance(event, OpApplied)]
    assert names == ["MulBackward0", "SinBackward0", "SumBackward0"]


def test_recorded_tensors_can_still_be_resized() -> None:
    x = torch.ones(3)
    with record():
        y = x + 1
    x.resize_(6)
    y.untyped_storage().resize_(0)


def test_a_step_that_calls_back_is_told_write_by_write() -> None:
    w = torch.tensor([3.0, 2.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=2)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with record() as trace:
        optimizer.step(closure)
    versions = {"w": 0}
    for event in trace:
        if isinstance(event, TensorModified):
            versions["w"] = event.version
        elif isinstance(event, TensorSaved):
            assert event.version == versions["w"]
