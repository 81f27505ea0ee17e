"""`autograd-lab flow`: a picture of gradient flow, or its numbers, and what it shows in one line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from autograd_lab.commands.cli import app

DEEP = """\
import autograd_lab as torch

torch.manual_seed(0)
layers = [layer for _ in range({depth}) for layer in (torch.nn.Linear(4, 4), torch.nn.Sigmoid())]
model = torch.nn.Sequential(*layers, torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr={lr})
for _ in range(6):
    optimizer.zero_grad()
    loss = (model(torch.ones(3, 4)) - 9).pow(2).mean()
    loss.backward()
    optimizer.step()
"""
PROGRAMS = {
    "deep": DEEP.format(depth=8, lr=0.01),
    "shallow": DEEP.format(depth=1, lr=0.01),
    "diverging": DEEP.format(depth=0, lr=1e20),
    "untrained": "import autograd_lab as torch\nprint(torch.ones(2))\n",
    "<b>&": DEEP.format(depth=1, lr=0.01).replace("model", "mödel"),
}


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    return tmp_path


def called(*words: str) -> Result:
    return CliRunner().invoke(app, ["flow", *words])


def test_what_vanishes_on_its_way_is_the_headline() -> None:
    done = called("deep.py", "-o", "deep.svg")
    assert done.exit_code == 0, done.output
    assert "times smaller than model.16.weight's" in done.stdout
    texts = ElementTree.parse("deep.svg").getroot().itertext()
    assert {"model.0.weight", "size of the gradient, ‖grad‖", "update ÷ weight"} <= set(texts)


def test_even_gradients_are_said_to_be_even() -> None:
    assert "All 4 gradients lie within a factor of" in called("shallow.py", "-o", "s.svg").stdout


def test_the_iteration_in_which_a_gradient_left_the_range_of_numbers_is_told() -> None:
    done = called("diverging.py", "-o", "d.svg")
    assert "from iteration" in done.stdout and ("NaN" in done.stdout or "infinite" in done.stdout), done.stdout
    assert 'class="odd"' in Path("d.svg").read_text("utf-8")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "csv", "json"])
def test_it_is_written_as_the_suffix_says(suffix: str) -> None:
    if suffix == "pdf":
        pytest.importorskip("svg2pdf_py")
    assert called("shallow.py", "-o", f"flow.{suffix}").exit_code == 0
    content = Path(f"flow.{suffix}").read_bytes()
    begin = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF", "csv": b"iteration,parameter,", "json": b"{"}[suffix]
    assert content.startswith(begin)
    if suffix == "json":
        assert json.loads(content)["parameters"][0]["name"] == "model.0.weight"


def test_a_recorded_trace_and_the_name_of_the_file() -> None:
    CliRunner().invoke(app, ["record", "deep.py"])
    done = called("deep.jsonl")
    assert done.exit_code == 0 and Path("deep-flow.png").is_file()


def test_a_program_that_trains_nothing_is_misuse() -> None:
    done = called("untrained.py")
    assert done.exit_code == 2 and "no parameter got a gradient" in done.output
    assert not Path("untrained-flow.png").exists()


def test_another_suffix_is_refused_before_anything_runs() -> None:
    done = called("deep.py", "-o", "flow.xlsx")
    assert done.exit_code == 2 and ".csv" in done.output
