"""Every lesson runs in both worlds, with all answers and with none, in a kernel and in plain Python."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograd_lab import lessons
from autograd_lab.lessons import figures
from autograd_lab.lessons.exercise import Exercise
from autograd_lab.lessons.notebooks import Build
from autograd_lab.lessons.registry import module_of, tasks_of
from autograd_lab.lessons.syllabus import Lesson
from autograd_lab.view.graph.facts.history import history_of
from tests.lessons.conftest import Executed
from tests.lessons.running import ROOT, built, code_cells, each_lesson, each_notebook, printed, said_without_notebook
from tests.lessons.spoil import spoilers

FEW_NODES, UNTIL_LESSON = 12, 11
"""So many nodes a figure may have before lesson 11."""


@each_notebook
def test_run_all_finishes_for_a_learner_who_has_answered_nothing(name: str, executed: Executed) -> None:
    notebook = executed(built(name))
    assert list(spoilers(notebook)) == [], "close these cells until the question is answered: after=…"
    for cell in code_cells(notebook):
        if "checks" in cell.metadata:
            said = printed(cell)
            assert "not attempted" in said or "not yet" in said, said


@each_lesson
def test_with_all_answers_every_check_is_right_in_a_kernel(lesson: Lesson, executed: Executed) -> None:
    for cell in code_cells(executed(built(lesson.name, Build.SOLUTION))):
        if checked := cell.metadata.get("checks"):
            assert printed(cell).startswith(f"{checked}: right."), printed(cell)


@each_lesson
def test_with_all_answers_every_check_is_right_and_both_worlds_say_the_same(lesson: Lesson, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    notebook = built(lesson.name, Build.SOLUTION)
    ours, theirs = (said_without_notebook(notebook, world, tmp_path) for world in ("autograd_lab", "torch"))
    for cell, mine, other in zip(code_cells(notebook), ours, theirs, strict=True):
        if "worlds" not in cell.metadata:
            assert mine == other, cell.id
        if checked := cell.metadata.get("checks"):
            assert mine.startswith(f"{checked}: right."), mine
            assert other.startswith(f"{checked}: right."), other


@each_lesson
def test_it_runs_without_any_notebook_and_its_figures_are_small(
    lesson: Lesson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "progress.jsonl"))
    monkeypatch.setattr(figures, "in_notebook", lambda: False)
    monkeypatch.setattr("autograd_lab.lessons.cards.in_notebook", lambda: False)
    monkeypatch.setattr("autograd_lab.lessons.words.in_notebook", lambda: False)
    drawn: list[int] = []
    make_scene = figures.make_scene

    def counted(trace: Any, **options: Any) -> Any:
        drawn.append(len([op for op in history_of(trace.events).ops.values() if op.node is not None]))
        return make_scene(trace, **options)

    monkeypatch.setattr(figures, "make_scene", counted)
    names: dict[str, Any] = {}
    for cell in code_cells(built(lesson.name, Build.SOLUTION)):
        exec(compile(cell.source, f"<{cell.id}>", "exec"), names)
    assert "right." in capsys.readouterr().out
    assert lesson.number >= UNTIL_LESSON or max(drawn, default=0) <= FEW_NODES


@each_lesson
def test_each_exercise_is_checked_in_the_lesson_or_clicked(lesson: Lesson) -> None:
    cells = [cell.source for cell in code_cells(built(lesson.name, closed=False))]
    for task in tasks_of(module_of(lesson.number)).values():
        called = f'check("{task.id}"' if isinstance(task, Exercise) else f'predict("{task.id}"'
        shown = f'task("{task.id}")'
        assert any(called in cell or shown in cell for cell in cells), f"{task.id} occurs in no cell"


def test_predict_and_check_need_numpy_alone(tmp_path: Path) -> None:
    """As in a browser: without widgets, kernels, PyTorch and whatever else a lesson could do without."""
    program = (
        "import sys\n"
        "for name in ('IPython', 'anywidget', 'traitlets', 'torch', 'jupytext', 'nbformat', 'rich', 'typer'):\n"
        "    sys.modules[name] = None\n"
        "from autograd_lab.lessons import check, hint, overview, predict, quiz, task\n"
        "predict('L3.P1'); predict('L3.P1', answer='B', confidence=3); task('L3.T1'); hint('L3.T1')\n"
        "check('L3.T1', ['y', 'd', 'c', 'a', 'b']); check('L3.F1'); quiz('before', 'A' * 6); overview()\n"
    )
    environment = {
        **os.environ,
        "AUTOGRAD_LAB_ORDER": "written",
        "AUTOGRAD_LAB_PROGRESS": str(tmp_path / "p.jsonl"),
        "PYTHONPATH": str(ROOT),
    }
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "L3.P1: You said B (4), and so it is:" in ran.stdout
    assert "L3.T1: right." in ran.stdout
    assert "L3.F1: not attempted yet." in ran.stdout


def test_a_lesson_says_in_which_world_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUTOGRAD_LAB_WORLD", raising=False)
    assert lessons.world().__name__ == "autograd_lab"
    monkeypatch.setenv("AUTOGRAD_LAB_WORLD", "tensorflow")
    with pytest.raises(ValueError, match="autograd_lab and torch"):
        lessons.world()
    monkeypatch.setenv("AUTOGRAD_LAB_WORLD", "torch")
    if importlib.util.find_spec("torch") and sys.modules.get("torch", True) is not None:
        assert lessons.world().__name__ == "torch"
