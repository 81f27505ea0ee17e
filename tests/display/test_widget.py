"""What a notebook gets of a player without a browser: a picture and a text, a step that exists, traces of functions."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import notebook, record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.notebook import show, trace
from autograd_lab.trace import Trace
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.subject import NothingToDraw


def example(name: str) -> Trace:
    return run_script(find_script(name)).trace


def test_a_player_brings_a_picture_and_a_text_for_where_it_cannot_live() -> None:
    player = show(example("expression"))
    twin = player.twin()
    assert twin["image/png"].startswith(b"\x89PNG")
    assert twin["text/plain"] == "<Player of 26 steps; step 26: Backward is done; nothing that was saved is left.>"
    data, _ = player._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= data.keys()


def test_the_picture_is_of_the_step_that_is_shown() -> None:
    assert "step 12:" in show(example("expression"), step=12).twin()["text/plain"]


@pytest.mark.parametrize(("name", "step"), [("expression", 8), ("inplace", 16)])
def test_a_player_opens_where_a_page_does_and_its_picture_is_still_that_of_the_end(name: str, step: int) -> None:
    player = show(example(name))
    assert player.step == step == film_of(player.scene)["start"]
    assert f"step {player.steps}:" in player.twin()["text/plain"]
    player.step = 5
    assert "step 5:" in player.twin()["text/plain"]


@pytest.mark.parametrize(("wish", "step"), [(-3, 0), (5, 5), (99, 26)])
def test_a_step_that_there_is_not_becomes_the_nearest(wish: int, step: int) -> None:
    player = show(example("expression"))
    player.step = wish
    assert player.step == step


def test_a_graph_that_nobody_recorded_is_shown_from_its_end() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    player = show(x * x)
    assert player.step == player.scene.steps > 0


def test_without_a_graph_there_is_nothing_to_show() -> None:
    with record() as told:
        torch.tensor(1.0)
    with pytest.raises(NothingToDraw, match="requires_grad=True"):
        show(told)


def test_without_anywidget_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "autograd_lab.display.widget", None)
    with pytest.raises(ImportError, match="pip install anywidget"):
        show(example("expression"))


def test_a_function_is_traced_with_its_own_names_and_differentiated() -> None:
    def f(a: Any, b: Any) -> Any:
        return a * b + 1

    told = trace(f, 2.0, 3.0)
    names = [event.tensor.name for event in told if event.kind == "tensor_created"]  # type: ignore[attr-defined]
    assert names == ["a", "b"]
    assert told[-1].kind == "backward_finished"
    assert all(event.kind != "backward_started" for event in trace(f, 2.0, 3.0, backward=False))


def test_a_function_of_several_numbers_is_not_differentiated() -> None:
    told = trace(lambda x: x * 2, torch.ones(3, requires_grad=True))
    assert all(event.kind != "backward_started" for event in told)


class TestTheMagic:
    """`%%lab` in a real IPython."""

    @pytest.fixture
    def shell(self) -> Any:
        from IPython.testing.globalipapp import get_ipython, start_ipython

        shell = start_ipython() or get_ipython()
        torch.load_ipython_extension(shell)
        return shell

    def lab(self, shell: Any, monkeypatch: pytest.MonkeyPatch, cell: str, line: str = "") -> list[Any]:
        shown: list[Any] = []
        monkeypatch.setattr("IPython.display.display", shown.append)
        shell.run_cell_magic("lab", line, cell)
        return shown

    CELL = "import autograd_lab as torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\n"

    def test_it_shows_a_player_of_what_the_cell_did(self, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        [player] = self.lab(shell, monkeypatch, self.CELL)
        assert player.trace[-1].kind == "backward_finished"
        [(_, text)] = player.trace.files.items()
        assert text == f"# %%lab\n{self.CELL}"
        assert shell.user_ns["y"].item() == 4.0

    def test_it_plays_real_pytorch_just_so(self, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("torch")
        [ours] = self.lab(shell, monkeypatch, self.CELL)
        [theirs] = self.lab(shell, monkeypatch, self.CELL.replace("autograd_lab as torch", "torch"))
        assert [event.kind for event in theirs.trace] == [event.kind for event in ours.trace]

    def test_without_anywidget_it_is_a_page_in_a_frame(self, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "autograd_lab.display.widget", None)
        [shown] = self.lab(shell, monkeypatch, self.CELL)
        assert isinstance(shown, Trace) and "<iframe " in (shown._repr_html_() or "")

    def test_it_begins_at_the_step_that_is_asked_for(self, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        [player] = self.lab(shell, monkeypatch, self.CELL, "3")
        assert player.step == 3

    def test_an_error_is_told_once_and_is_in_the_film(
        self, shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        [player] = self.lab(shell, monkeypatch, self.CELL + "y.backward()\n")
        assert player.trace[-1].kind == "error_raised"
        assert capsys.readouterr().out.count("RuntimeError: Trying to backward") == 1

    @pytest.mark.parametrize("world", ["autograd_lab as torch", "torch"])
    def test_what_helps_stands_under_the_error_once(
        self, shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], world: str
    ) -> None:
        if world == "torch":
            pytest.importorskip("torch")
        self.lab(shell, monkeypatch, self.CELL.replace("autograd_lab as torch", world) + "y.backward()\n")
        assert capsys.readouterr().out.count("freed") >= 2  # in PyTorch's text, and in what helps

    def test_what_went_wrong_silently_is_said_above_the_player(
        self, shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.lab(shell, monkeypatch, self.CELL.replace("2.0", "0.0").replace("x * x", "x.sqrt() * 0"))
        out = capsys.readouterr().out
        assert "warning: x.grad is NaN" in out and "torch.sqrt(x + 1e-12)" in out

    def test_a_cell_without_a_graph_says_why_there_is_no_player(
        self, shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.lab(shell, monkeypatch, "1 + 1\n") == []
        assert "nothing was recorded" in capsys.readouterr().out

    def test_a_wish_that_is_no_step_is_refused_before_the_cell_runs(
        self, shell: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(ValueError, match="a step"):
            notebook.lab(shell, "slow", "ran = True")
        assert "ran" not in shell.user_ns
