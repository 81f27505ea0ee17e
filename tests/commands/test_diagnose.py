"""`autograd-lab diagnose`: findings in words or as JSON, and an exit code that a build can use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import autograd_lab as lab
from autograd_lab.commands.cli import app

FORGOTTEN = """\
import sys
import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
    loss = model(torch.ones(3, 2)).pow(2).mean()
    loss.backward()
    optimizer.step()
print("trained")
"""
HEALTHY = FORGOTTEN.replace("    loss.backward()\n", "    optimizer.zero_grad()\n    loss.backward()\n")
FROZEN = HEALTHY.replace("optimizer =", "model.bias.requires_grad_(False)\noptimizer =")
SECOND = HEALTHY + "loss.backward()\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"forgotten": FORGOTTEN, "healthy": HEALTHY, "frozen": FROZEN, "second": SECOND}.items():
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    return tmp_path


def called(words: str) -> Result:
    return CliRunner().invoke(app, words.split())


def test_the_scripts_own_output_comes_first_then_sentence_lines_and_remedy(desk: Path) -> None:
    result = called("diagnose forgotten.py")
    lines = result.stdout.splitlines()
    assert lines[0] == "trained"
    assert lines[1].startswith("warning: The gradients of model.") and lines[1].endswith("[gradients-add-up]")
    assert "forgotten.py:9" in lines[2] and "loss.backward()" in lines[2]
    assert "`optimizer.zero_grad()`" in lines[4]
    assert lines[-1].startswith("1 warning in 3 backward passes")
    assert result.exit_code == 1


def test_of_a_script_without_a_backward_pass_it_says_that_no_gradient_could_be_checked(desk: Path) -> None:
    (desk / "forward.py").write_text(
        "import autograd_lab as torch\n\nw = torch.ones(2, requires_grad=True)\ny = w * 2\n"
    )
    said = called("diagnose forward.py").stdout.strip()
    assert said.startswith("Nothing wrong was found in ")
    assert said.endswith(" events; no backward pass was run, so no gradient could be checked.")


def test_of_a_healthy_script_one_line_says_that_nothing_was_found(desk: Path) -> None:
    result = called("diagnose healthy.py")
    assert result.stdout.splitlines()[1:] == ["Nothing wrong was found in 3 backward passes and 110 events."]
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("forgotten.py --fail-on error", 0),
        ("forgotten.py --fail-on warning", 1),
        ("forgotten.py --fail-on never", 0),
        ("frozen.py", 0),
        ("frozen.py --fail-on note", 1),
        ("second.py --fail-on error", 1),
        ("second.py --fail-on never", 0),
        ("nothing.py", 2),
        ("forgotten.py --fail-on sometimes", 2),
    ],
)
def test_the_exit_code_tells_a_build_whether_something_as_bad_was_found(desk: Path, words: str, code: int) -> None:
    assert called(f"diagnose {words}").exit_code == code


def test_json_is_all_that_goes_to_standard_output(desk: Path) -> None:
    result = called("diagnose forgotten.py --json")
    told = json.loads(result.stdout)
    assert [each["kind"] for each in told["findings"]] == ["gradients-add-up"]
    assert told["findings"][0]["cause"][0]["line"] == 9
    assert "trained" in result.stderr


def test_a_recorded_trace_is_diagnosed_too(desk: Path) -> None:
    assert called("record forgotten.py --iteration all").exit_code == 0
    result = called("diagnose forgotten.jsonl")
    assert "[gradients-add-up]" in result.stdout


def test_arguments_after_two_dashes_go_to_the_script(desk: Path) -> None:
    assert "in 5 backward passes" in called("diagnose healthy.py -- 5").stdout


def test_of_a_long_run_the_beginning_is_looked_at_and_that_is_said(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograd_lab.commands.diagnose.MOST", 100)
    result = called("diagnose forgotten.py -- 50")
    assert "trained" in result.stdout
    assert "[gradients-add-up]" in result.stdout
    last = result.stdout.splitlines()[-1]
    assert last.startswith("Only the first ") and last.endswith("--iteration K.")
    assert "1 warning in the first " in result.stdout and "whether graphs are kept alive was not" in result.stdout
    later = called("diagnose forgotten.py --iteration 20 -- 50")
    assert "not checked" not in later.stdout  # for which the first turns are there, too
    assert "in 1 backward pass" in later.stdout and "[gradients-add-up]" in later.stdout


@pytest.mark.parametrize("wanted", ["--iteration all", "--iteration last"])
def test_commands_that_record_warn_in_a_line_of_mistakes_that_nobody_told_of(desk: Path, wanted: str) -> None:
    result = called(f"record forgotten.py {wanted}")
    (line,) = [line for line in result.stderr.splitlines() if "warning" in line]
    assert line.startswith("autograd-lab: 1 warning: The gradients of model.")
    assert line.endswith("(autograd-lab diagnose forgotten.py)")
    assert result.exit_code == 0
    assert "warning" not in called("record healthy.py").stderr


def test_an_error_that_a_finding_explains_is_explained_once(desk: Path) -> None:
    told = called("diagnose second.py")
    assert "RuntimeError: Trying to backward through the graph a second time" in told.stderr
    assert "second.py" in told.stdout and "freed" in told.stdout
    assert "this pass freed" not in told.stderr
    assert "this pass freed" in called("play second.py -o out.html").stderr


def test_a_warning_of_pytorch_names_the_line_of_the_program(desk: Path) -> None:
    torch = pytest.importorskip("torch")
    with pytest.warns(UserWarning, match="target size") as warned, lab.record():
        torch.nn.functional.mse_loss(torch.ones(3, 1), torch.ones(3))
    assert [each.filename for each in warned] == [__file__]
