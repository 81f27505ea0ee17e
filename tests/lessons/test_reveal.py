"""What a notebook keeps closed opens when a question is answered or skipped, and not before."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograd_lab.lessons import predict, reveal
from autograd_lab.lessons.syllabus import Lesson
from autograd_lab.view.languages.speaking import spoken_in
from tests.lessons.conftest import Executed
from tests.lessons.running import built, code_cells, each_lesson, printed

PROGRAM = """\
import autograd_lab as torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
((a + b) * (b + 1)).backward()
"""


@pytest.fixture(autouse=True)
def a_new_learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "progress.jsonl"))


def said(capsys: pytest.CaptureFixture[str], names: dict[str, Any], line: str) -> str:
    exec(line, names)
    return capsys.readouterr().out


@pytest.mark.parametrize("answer", ["C", "A", "skip"])
def test_in_plain_python_a_cell_says_nothing_before_the_answers_and_all_after_them(
    answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {"reveal": reveal}
    exec(PROGRAM, names)
    predict("L3.P1", answer="skip")
    capsys.readouterr()
    before = said(capsys, names, "reveal('L3.grads')")
    assert "L3.P3 above is answered or skipped" in before and "9" not in before
    predict("L3.P3", answer=answer)
    capsys.readouterr()
    assert "b.grad tensor(9.)" in said(capsys, names, "reveal('L3.grads')")
    assert "a + 2b + 1 = 9" in said(capsys, names, "reveal('L3.run')")


def test_code_runs_though_it_is_closed_for_later_cells_need_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"reveal": reveal}
    exec(PROGRAM, names)
    said(capsys, names, "reveal('L3.polynomial')")
    assert names["y"].item() == 11


def test_a_grader_finds_everything_open(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert "a + 2b + 1" in said(capsys, {"reveal": reveal}, "reveal('L3.run')")


@pytest.mark.parametrize("name", ["L3.nothing", "L99.run", "hello", "L3"])
def test_a_wrong_name_is_told_clearly(name: str) -> None:
    with pytest.raises(LookupError, match="nothing to reveal"):
        reveal(name)


def test_in_a_notebook_what_waits_opens_by_itself_with_what_it_said_when_it_ran(executed: Executed) -> None:
    lines = (
        "from autograd_lab.lessons import predict, reveal",
        PROGRAM,
        "reveal('L3.run')",
        "reveal('L3.grads')",
        "predict('L3.P1', answer='skip'); predict('L3.P3', answer='skip')",
        "reveal('L3.grads')",
    )
    done = executed(new_notebook(cells=[new_code_cell(line) for line in lines])).cells
    assert "$" in printed(done[2]) and "a + 2b + 1 = 9" in printed(done[2]), "prose has taken the place of the notice"
    assert "b.grad tensor(9.)" in printed(done[3]) and "print(" in printed(done[3]), "and so have lines and output"
    assert printed(done[5]) == "a.grad tensor(4.)  b.grad tensor(9.)\n"


@each_lesson
def test_a_player_that_shows_what_an_earlier_question_asks_waits_for_it(lesson: Lesson) -> None:
    asked: dict[str, list[str]] = {}
    for cell in code_cells(built(lesson.name, closed=False)):
        for id, run in re.findall(r'predict\("(L\d+\.P\d+)", (\w+)\)', cell.source):
            waits = cell.metadata.get("after", [])
            assert set(asked.get(run, [])) <= {*([waits] if isinstance(waits, str) else waits)}, id
            asked.setdefault(run, []).append(id)


@pytest.mark.parametrize("language", ["en", "es"])
def test_each_closed_cell_says_what_it_brings_in_the_notebook_and_in_its_notice(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = built("03_backward", language=language)
    calls = [cell.source for cell in code_cells(notebook) if cell.source.startswith("reveal(")]
    kinds = dict(re.findall(r'reveal\("(.+)"\)  # (.+)', "\n".join(calls)))
    assert len({kinds[name] for name in ("L3.run", "L3.grads", "L3.steps", "L3.says-003-e5")}) == 4
    names: dict[str, Any] = {"reveal": reveal}
    with spoken_in(language):
        notice = said(capsys, names, "reveal('L3.run')")
    assert notice.lower().startswith(kinds["L3.run"] + ": ")
