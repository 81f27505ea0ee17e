"""`autograd-lab compare`: two programs, two revisions of one, or one in two worlds; up to where they are the same."""

from __future__ import annotations

import re
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


@pytest.fixture
def loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, factor in (("one", 2), ("two", 3)):
        Path(f"{name}.py").write_text(LOOP.format(factor=factor), "utf-8")
    return tmp_path


def test_of_a_late_iteration_it_is_said_how_to_see_where_they_part(loops: Path) -> None:
    said = compared("one.py", "two.py", "--iteration", "last").stdout
    assert (
        "beginning of iteration 4; what was measured of all differs from iteration 1 on: look at --iteration 1" in said
    )
    Path("three.py").write_text(LOOP.format(factor=2).replace("optimizer.zero_grad()", "pass"), "utf-8")
    first = compared("one.py", "three.py", "--iteration", "first").stdout
    assert "a later iteration may: --iteration 2" in first, "gradients of the first turn are the same, kept or not"
    whole = compared("one.py", "two.py", "--iteration", "all")
    assert "1 warning in one: The graphs of all 4 passes are still alive" in whole.stderr


LATE = """\
import autograd_lab as torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01)
for turn in range({turns}):
    loss = (w * 2).square().sum()
    {more}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def parted(more: str, turns: int = 10, more_turns: int = 0, *words: str) -> Result:
    """A loop beside one that does something else in some iteration."""
    Path("before.py").write_text(LATE.format(turns=turns, more="pass"), "utf-8")
    Path("after.py").write_text(LATE.format(turns=turns + more_turns, more=more), "utf-8")
    return compared("before.py", "after.py", *words)


def test_the_first_iteration_that_differs_is_found_and_shown(loops: Path) -> None:
    said = parted("loss = loss * 3 if turn == 2 else loss").stdout
    assert (
        "first differs in iteration 3 of 10 (counted from 1): different from after.py:6 on, in “after”: loss = loss * 3"
        in said
    )
    assert "MulBackward0 on line 6: only in “after”" in said


def test_calls_are_found_that_change_no_number(loops: Path) -> None:
    said = parted("known = loss.detach() + 1 if turn == 5 else 0").stdout
    assert "first differs in iteration 6 of 10" in said
    assert "only in “after”" in said and "on line 6" in said


SKIPS = """\
import autograd_lab as torch
a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([a, b], lr=0.1)
until = {}
for turn in range(6):
    loss = a * a + b * b if turn < until else a * a
    loss.backward()
    optimizer.step()
"""


def test_of_a_gradient_that_is_older_it_is_said_of_which_iteration_it_is(loops: Path) -> None:
    for name, until in (("all", 6), ("some", 3)):
        Path(f"{name}.py").write_text(SKIPS.format(until), "utf-8")
    said = compared("all.py", "some.py").stdout
    assert "first differs in iteration 4 of 6" in said
    assert re.search(r"b\.grad: \S+ in “all”, \S+ \(of iteration 3\) in “some”", said), said


def test_the_first_iteration_has_all_that_was_before_the_loop(loops: Path) -> None:
    said = compared("one.py", "two.py").stdout
    assert "first differs in iteration 1 of 4 (counted from 1): the same up to one.py:2 / two.py:2, then" in said
    assert ", then from one.py:6 / two.py:6 on: " in said


def test_an_iteration_that_is_asked_for_is_not_searched_for(loops: Path) -> None:
    said = parted("loss = loss * 3 if turn == 2 else loss", 10, 0, "--iteration", "2").stdout
    assert "nothing differs in what was recorded; a later iteration may: --iteration 3" in said


def test_where_nothing_differs_it_is_said_of_how_many_iterations(loops: Path) -> None:
    done = parted("pass", 10, 0, "--exit-code")
    assert "nothing differs in 10 iterations" in done.stdout and done.exit_code == 0


def test_a_loop_that_goes_on_for_longer_differs(loops: Path) -> None:
    done = parted("pass", 10, 3, "--exit-code")
    assert "nothing differs in 10 iterations; “after” goes on to iteration 13" in done.stdout
    assert done.exit_code == 1


def test_far_from_the_beginning_numbers_tell_which_iterations_to_record(loops: Path) -> None:
    done = parted("loss = loss * 3 if turn == 299 else loss", 400)
    assert "numbers first differ about iteration 300: both run once more, to record it" in done.stderr
    assert "first differs in iteration 300 of 400" in done.stdout


def test_where_only_numbers_were_compared_that_is_said(loops: Path) -> None:
    said = parted("pass", 400).stdout
    assert (
        "nothing differs in 400 iterations (of iterations 201 to 400 only losses, gradients and updates were compared)"
        in said
    )


def test_an_error_in_a_late_iteration_is_where_they_part(loops: Path) -> None:
    done = parted("loss = loss @ w if turn == 250 else loss", 400)
    assert "first differs in iteration 251 of 400" in done.stdout and done.exit_code == 1


def test_without_a_loop_the_whole_runs_are_compared(loops: Path) -> None:
    Path("plain.py").write_text(LATE.format(turns=1, more="pass"), "utf-8")
    assert "nothing differs" in compared("plain.py", "plain.py").stdout


RATES = """\
import autograd_lab as torch
w = torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(4):
{change}    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
"""


def test_lines_of_text_are_told_that_only_one_program_has_though_they_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    halved = '    if step == 2:\n        optimizer.param_groups[0]["lr"] /= 2\n'
    for name, change in (("plain", ""), ("halved", halved), ("other", "    torch.manual_seed(1)\n" * 9)):
        Path(f"{name}.py").write_text(RATES.format(change=change), "utf-8")
    said = compared("plain.py", "halved.py").stdout
    assert "different from plain.py:7 / halved.py:9 on: optimizer.step()" in said
    assert "only “halved” has line 5: if step == 2:" in said
    assert 'only “halved” has line 6: optimizer.param_groups[0]["lr"] /= 2' in said
    assert "has line" not in compared("halved.py", "other.py").stdout, "they are two programs, no two versions"
