"""`compile --torch`: the real Dynamo's graphs, where it breaks, and why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograd_lab.commands.cli import app
from autograd_lab.events import OperationCaptured
from autograd_lab.trace import Trace
from autograd_lab.view.pages.page_text import unpacked_text
from autograd_lab.view.scene import make_scene

pytest.importorskip("torch")

PROGRAM = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU())

@torch.compile
def step(x):
    h = model(x)
    print("half")
    low, high = h.chunk(2, dim=1)
    if low.sum() > 100:
        return high
    return (low * high).mean()

step(torch.ones(3, 4)).backward()
"""


def test_each_break_has_its_line_and_its_reason_and_each_graph_can_be_drawn(tmp_path: Path) -> None:
    script, target = tmp_path / "mine.py", tmp_path / "second.jsonl"
    script.write_text(PROGRAM)
    said = CliRunner().invoke(app, ["compile", str(script), "--torch", "--graph", "2", "-o", str(target)])
    assert said.exit_code == 0, said.output
    assert 'graph 1, of step: 2 operations\n  breaks at  mine.py:8    print("half")\n  because    ' in said.output
    assert (
        "graph 2, of step from line 8 on: 5 operations\n  breaks at  mine.py:10    if low.sum() > 100:\n" in said.output
    )
    assert "because    a branch on a tensor's value" in said.output
    assert "3 graphs, 2 breaks; this is graph 2" in said.output
    captured = [event for event in Trace.load(target) if isinstance(event, OperationCaptured)]
    assert [event.operation.title.partition("(")[0] for event in captured] == [
        "chunk",
        "getitem",
        "getitem",
        "sum",
        "gt",
    ]
    assert {event.where.line for event in captured if event.where} == {9, 10}
    caption = make_scene(Trace.load(target)).caption(len(Trace.load(target)))
    assert caption.startswith("The graph breaks here, and what follows is another one: a branch on a tensor's value")
    assert caption.endswith(" (mine.py:10: if low.sum() > 100:)")
    page = CliRunner().invoke(app, ["play", str(target), "-o", str(tmp_path / "x.html")])
    assert page.exit_code == 0, page.output


def test_its_page_opens_at_the_whole_graph(tmp_path: Path) -> None:
    script, target = tmp_path / "mine.py", tmp_path / "graph.html"
    script.write_text("import torch\ntorch.compile(lambda x: x.sin() * 2)(torch.ones(3))\n")
    said = CliRunner().invoke(app, ["compile", str(script), "--torch", "-o", str(target)])
    assert said.exit_code == 0, said.output
    packed = re.search(r'id="autograd-lab-film">(.*?)</script>', target.read_text("utf-8"), re.DOTALL)
    assert packed is not None
    film = json.loads(unpacked_text(packed[1]))
    assert film["start"] == film["steps"] > 0


def test_what_compiles_nothing_and_a_graph_that_is_not_there_are_said(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("import torch\n")
    said = CliRunner().invoke(app, ["compile", str(script), "--torch", "-o", str(tmp_path / "x.html")])
    assert said.exit_code == 2 and "the script ran to its end, and Dynamo captured nothing" in said.output
