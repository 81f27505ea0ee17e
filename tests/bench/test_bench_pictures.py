"""The benchmark of pictures draws what it says, and counts what is drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.atelier import Work, boxes_in, do
from tests.bench.painters import call, make_dot
from tests.bench.pictures import nodes_of, tell
from tests.bench.subjects import SUBJECTS

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_has_a_graph(subject: str) -> None:
    assert nodes_of(subject) >= 5


@pytest.mark.parametrize("suffix", ["svg", "png"])
@pytest.mark.parametrize("painter", ["picture", "unfolded", "draw", "make_dot"])
def test_our_painters_draw_every_kind_of_file(painter: str, suffix: str, tmp_path: Path) -> None:
    work = do(painter, "(a+b)*(b+1)", suffix, tmp_path)
    assert work.size == (tmp_path / f"drawn.{suffix}").stat().st_size
    assert (work.boxes >= 8) is (suffix == "svg")


def test_boxes_are_counted_alike_with_graphviz_and_without(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", "")
    model, x = SUBJECTS["MLP"](torch)
    called = call(model, x)
    make_dot(called, tmp_path / "by_wheel", "svg")
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    make_dot(called, tmp_path / "by_ourselves", "svg")
    counts = {boxes_in((tmp_path / f"{name}.svg").read_text()) for name in ("by_wheel", "by_ourselves")}
    assert counts == {nodes_of("MLP") + 1 + len(list(model.parameters()))}


def test_who_fails_and_who_loses_the_graph_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    found = {"picture": [Work(0.1, 0.1, 2000, 50)], "torchviz": "> 30 s", "torchview": [Work(0.1, 0.3, 1000, 3)]}
    tell(found, 1000, set())
    ours, torchviz, torchview = capsys.readouterr().out.splitlines()
    assert ours.split() == ["picture", "1.00", "100.0", "100.0", "2.0", "50"]
    assert torchviz.split(maxsplit=1) == ["torchviz", "> 30 s"]
    assert torchview.split(maxsplit=6) == ["torchview", "2.00", "100.0", "300.0", "1.0", "3", "has lost the graph"]
