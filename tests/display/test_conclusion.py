"""The last picture of a run says what is wrong with it, where no error has said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_lab.display.picture import draw
from autograd_lab.display.script import run_script
from tests.findings.training_loop import TRAINING

TOLD = "The gradients of model.weight and model.bias add up from update to update"


def trace_of(tmp_path: Path, clear: str = "pass", after: str = "") -> object:
    script = tmp_path / "train.py"
    script.write_text(TRAINING.format(clear=clear, after=after), "utf-8")
    return run_script(script).trace


def test_a_silent_mistake_is_the_headline_with_its_line(tmp_path: Path) -> None:
    picture = draw(trace_of(tmp_path))
    assert f"<title>{TOLD}: they are never cleared</title>" in picture.svg
    assert "train.py:9" in picture.svg


@pytest.mark.parametrize("step", [0, 10])
def test_other_steps_have_the_lessons_of_their_own(tmp_path: Path, step: int) -> None:
    assert TOLD not in draw(trace_of(tmp_path), step=step).svg


def test_a_healthy_run_has_the_lesson_of_its_end(tmp_path: Path) -> None:
    assert TOLD not in draw(trace_of(tmp_path, clear="optimizer.zero_grad()")).svg


def test_an_error_is_told_first(tmp_path: Path) -> None:
    after = "try:\n    loss.backward()\nexcept RuntimeError:\n    pass"
    assert TOLD not in draw(trace_of(tmp_path, after=after)).svg


UNRECORDED = """
import autograd_lab as torch
w = torch.tensor([1.0, 2.0]{asks})
k = (w * 3).argmax()
loss = k.float() - 1
loss.backward()
"""


@pytest.mark.parametrize("torch", [False, True], ids=["autograd_lab", "torch"])
@pytest.mark.parametrize(("asks", "cut"), [("", 0), (", requires_grad=True", 1)])
def test_what_ran_without_a_graph_is_drawn_with_where_the_history_ends(
    tmp_path: Path, torch: bool, asks: str, cut: int
) -> None:
    if torch:
        pytest.importorskip("torch")
    script = tmp_path / "script.py"
    script.write_text(UNRECORDED.format(asks=asks), "utf-8")
    picture = draw(run_script(script, torch=torch).trace)
    assert "<title>loss has no history, so there is nothing to go back through</title>" in picture.svg
    assert all(f">{name}<" in picture.svg for name in ("w", "k", "loss", "argmax"))
    assert picture.svg.count("history ends here") == cut
    assert "`" not in picture.svg
