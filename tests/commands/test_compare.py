"""`autograd-lab compare`: two programs, two revisions of one, or one in two worlds; up to where they are the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from autograd_lab.commands.cli import app

PROGRAM = """\
import autograd_lab as torch
import factors
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * factors.FIRST
z = y * {second}
z.sum().backward()
"""


def compared(*words: str) -> Result:
    return CliRunner().invoke(app, ["compare", *words, "-o", "both.html"])


def git(*words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three commits: the last changes a number, in the file itself; the one before in a file beside it."""
    folder = tmp_path / "work" / "deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    git("init", "-q")
    for first, second in ((2, 3), (5, 3), (5, 4)):
        (folder / "factors.py").write_text(f"FIRST = {first}\n", "utf-8")
        (folder / "train.py").write_text(PROGRAM.format(second=second), "utf-8")
        git("add", "-A")
        git("commit", "-q", "-m", "a step")
    return folder


def test_two_revisions_are_the_same_up_to_the_line_that_was_changed(repository: Path) -> None:
    done = compared("train.py", "--git", "HEAD~1..HEAD")
    assert done.exit_code == 0, done.output
    assert "the same up to train.py:4, then from train.py:5 on: z = y * 3" in done.stdout
    assert "train.py at HEAD~1" in Path("both.html").read_text("utf-8")


def test_what_is_imported_is_of_the_revision_too(repository: Path) -> None:
    done = compared("train.py", "--git", "HEAD~2..HEAD~1")
    assert "the same up to train.py:3, then from train.py:4 on: y = x * factors.FIRST" in done.stdout


def test_one_revision_is_compared_with_the_file_as_it_is_now(repository: Path) -> None:
    assert "nothing differs" in compared("train.py", "--git", "HEAD").stdout
    (repository / "factors.py").write_text("FIRST = 7\n", "utf-8")
    assert "train.py:4" in compared("train.py", "--git", "HEAD").stdout


def test_nothing_is_left_in_the_repository(repository: Path) -> None:
    compared("train.py", "--git", "HEAD~1..HEAD")
    told = subprocess.run(["git", "worktree", "list"], capture_output=True, text=True, check=True).stdout
    assert len(told.splitlines()) == 1


SEEDED = """\
import autograd_lab as torch
torch.manual_seed(0)
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * torch.rand(2)
z.sum().backward()
"""


def test_two_seeds_are_the_same_up_to_the_first_random_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SEEDED, "utf-8")
    assert "the same up to train.py:4, then from train.py:5 on" in compared("train.py", "--seeds", "0,1").stdout
    assert "train with seed 1" in Path("both.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train.py", "--seeds", "1"], "two numbers"),
        (["train.py", "--seeds", "1,-2"], "two numbers"),
        (["train.py", "--seeds", "1,4294967296"], "two numbers"),
        (["train.jsonl", "--seeds", "1,2"], "cannot be run again"),
        (["train.py", "--git", "nowhere..HEAD"], "git rev-parse"),
        (["train.py", "--git", "--output=x"], "git rev-parse"),
        (["other.py", "--git", "HEAD"], "there is no other.py in HEAD"),
        (["train.py"], "name two programs"),
        (["train.py", "train.py", "--worlds"], "name two programs"),
    ],
)
def test_what_git_or_we_do_not_know_is_said(repository: Path, words: list[str], said: str) -> None:
    (repository / "other.py").write_text("print()", "utf-8")
    done = compared(*words)
    assert done.exit_code == 2
    assert said in done.output


def test_exit_code_tells_a_build_whether_anything_differs(repository: Path) -> None:
    assert compared("train.py", "--git", "HEAD", "--exit-code").exit_code == 0
    assert compared("train.py", "--git", "HEAD~1", "--exit-code").exit_code == 1


def test_both_worlds_agree_on_an_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    assert "nothing differs" in compared("expression", "--worlds", "--exit-code").stdout


LOOP = """\
import autograd_lab as torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
losses = []
for _ in range(4):
    loss = (w * {factor}).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss)
"""


def test_of_late_iterations_it_is_said_how_to_see_where_they_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, factor in (("one", 2), ("two", 3)):
        Path(f"{name}.py").write_text(LOOP.format(factor=factor), "utf-8")
    assert (
        "beginning of iteration 4; one of the first, --iteration first or 2, shows where it began"
        in compared("one.py", "two.py").stdout
    )
    Path("three.py").write_text(LOOP.format(factor=2).replace("optimizer.zero_grad()", "pass"), "utf-8")
    first = compared("one.py", "three.py", "--iteration", "first").stdout
    assert "a later iteration may: --iteration 2" in first, "gradients of the first turn are the same, kept or not"
    whole = compared("one.py", "two.py", "--iteration", "all")
    assert "1 warning in one: The graphs of all 4 passes are still alive" in whole.stderr
