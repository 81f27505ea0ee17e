"""The command line, on real scripts: in this process, and once for each command in one of its own, as a user has it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from autograd_lab.commands.cli import app
from autograd_lab.display import script
from autograd_lab.trace import FORMAT, Trace
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.pages.sheet import steps_of
from autograd_lab.view.png import svg_size
from autograd_lab.view.scene import make_scene

ROOT = Path(__file__).parents[2]
EXPRESSION = """\
import autograd_lab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = (a + b) * (b + 1)
y.backward()
"""
STALE = """\
import autograd_lab as torch

x = torch.tensor(2.0, requires_grad=True)
e = x.exp()
y = e * e
with torch.no_grad():
    e.add_(1)
y.backward()
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with a few scripts, where the commands are run."""
    (tmp_path / "expression.py").write_text(EXPRESSION)
    (tmp_path / "stale.py").write_text(STALE)
    (tmp_path / "nothing.py").write_text("import autograd_lab as torch\nprint(torch.tensor(1.0) + 1)\n")
    (tmp_path / "fails.py").write_text(EXPRESSION + "def f(n):\n    return n / 0\nf(1)\n")
    return tmp_path


class Said(NamedTuple):
    """What a command answers."""

    returncode: int
    stdout: str
    stderr: str


def cli(desk: Path, *words: str) -> Said:
    """Run a command at a desk, in this process: the same as `alone`, and many times as fast."""
    with contextlib.chdir(desk):
        done = CliRunner().invoke(app, words, prog_name="autograd-lab")
    return Said(done.exit_code, done.stdout, done.stderr)


def alone(desk: Path, *words: str) -> Said:
    """Run a command at a desk in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "autograd_lab", *words],
        cwd=desk,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def fails(desk: Path, code: int, *words: str) -> str:
    """The one line that a failing command says; it leaves no file behind."""
    before = sorted(desk.rglob("*"))
    said = cli(desk, *words)
    assert said.returncode == code, said
    assert said.stdout == ""
    (line,) = said.stderr.splitlines()
    assert sorted(path for path in desk.rglob("*") if "__pycache__" not in path.parts) == before
    return line.removeprefix("autograd-lab: ")


def test_draw_writes_a_png_where_the_user_is_and_says_what_it_shows(desk: Path) -> None:
    said = alone(desk, "draw", "expression.py")
    assert (said.returncode, said.stderr) == (0, "")
    width, height = Image.open(desk / "expression.png").size
    assert said.stdout.startswith(f"expression.png  {width} × {height}  step ")
    assert sorted(path.suffix for path in desk.glob("expression*")) == [".png", ".py"]


@pytest.mark.parametrize("moment", ["forward", "backward", "end"])
def test_each_moment_has_its_own_picture(desk: Path, moment: str) -> None:
    said = cli(desk, "draw", "expression.py", "-o", f"{moment}.svg", "--at", moment)
    assert said.returncode == 0
    step = int(said.stdout.split("step ")[1].split(" of ")[0])
    assert step == make_scene(script.run_script(desk / "expression.py").trace).moments[moment]
    assert (desk / f"{moment}.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("options", ["--view maths", "--tb", "--layout layered", "--unfold", "--step 3"])
def test_every_option_of_the_picture_is_understood(desk: Path, options: str) -> None:
    said = cli(desk, "draw", "expression.py", "-o", "x.svg", *options.split())
    told = [line for line in said.stderr.splitlines() if "Ctrl-C stops the program" not in line]  # if it takes long
    assert (said.returncode, told) == (0, [])


def test_root_draws_only_what_that_tensor_was_made_of(desk: Path) -> None:
    (desk / "two.py").write_text(EXPRESSION.replace("y = ", "c = a.exp()\ny = "))
    cli(desk, "draw", "two.py", "-o", "all.svg")
    assert cli(desk, "draw", "two.py", "-o", "y.svg", "--root", "y").returncode == 0
    whole, drawn = ((desk / name).read_text("utf-8").split("</desc>")[1] for name in ("all.svg", "y.svg"))
    assert ">exp(a)<" in whole and ">exp(a)<" not in drawn
    assert ">y<" in drawn


def test_graphviz_source_is_written_by_its_suffix(desk: Path) -> None:
    assert cli(desk, "draw", "expression.py", "-o", "g.gv").returncode == 0
    assert (desk / "g.gv").read_text("utf-8").startswith("digraph")


def test_a_recorded_trace_draws_the_same_picture_as_its_script(desk: Path) -> None:
    assert cli(desk, "draw", "expression.py", "-o", "direct.svg").returncode == 0
    recorded = alone(desk, "record", "expression.py")
    assert recorded.stdout == f"expression.jsonl  {len(Trace.load(desk / 'expression.jsonl')):,} events\n"
    assert cli(desk, "draw", "expression.jsonl", "-o", "later.svg").returncode == 0
    assert (desk / "direct.svg").read_bytes() == (desk / "later.svg").read_bytes()


def test_every_makes_one_png_a_step_and_progress_is_for_terminals_only(desk: Path) -> None:
    said = cli(desk, "draw", "expression.py", "--each-step", "-o", "film/")
    assert (said.returncode, said.stderr) == (0, "")
    steps = len(script.run_script(desk / "expression.py").trace)
    names = sorted(path.name for path in (desk / "film").iterdir())
    assert names == [f"step-{step:02}.png" for step in range(1, steps + 1)]
    assert said.stdout == f"film  {steps} pictures, {names[0]} to {names[-1]}\n"
    assert len({Image.open(desk / "film" / name).size for name in names}) == 1


def test_a_sheet_shows_graphs_with_their_headlines_on_a_page_like_a_slide(desk: Path) -> None:
    said = cli(desk, "draw", "expression.py", "--sheet", "-o", "sheet.svg")
    run = script.run_script(desk / "expression.py")
    steps = steps_of(make_scene(run.trace))
    sheet = (desk / "sheet.svg").read_text("utf-8")
    assert f"{len(steps)} of {len(run.trace)} steps" in said.stdout
    assert sheet.count('class="graph"') == len(steps) > 4
    assert 'class="code"' not in sheet and 'class="key"' not in sheet
    width, height = svg_size(sheet)
    assert width / height == pytest.approx(16 / 9)


def test_a_long_runs_sheet_takes_a_fair_choice_with_every_named_moment(desk: Path) -> None:
    (desk / "long.py").write_text(EXPRESSION.replace("y = ", "for _ in range(40): a = a * 1\ny = "))
    scene = make_scene(script.run_script(desk / "long.py").trace)
    steps = steps_of(scene)
    assert 6 <= len(steps) <= 12 < scene.steps
    assert set(scene.moments.values()) <= set(steps)


def test_no_two_neighbours_on_a_sheet_show_the_same(desk: Path) -> None:
    scene = make_scene(script.run_script(desk / "expression.py").trace)
    stills = scene.stills
    assert stills is not None
    drawn = [stills.thumbnail(step) for step in steps_of(scene)]
    assert all(one != other for one, other in pairwise(drawn))


def test_a_script_that_raises_is_drawn_up_to_the_error_with_its_own_traceback(desk: Path) -> None:
    said = cli(desk, "draw", "fails.py", "--at", "error")
    assert said.returncode == 1
    assert said.stderr.startswith("Traceback (most recent call last):\n")
    assert said.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert [line.split(", ")[-1] for line in said.stderr.splitlines() if "File" in line] == ["in <module>", "in f"]
    assert (desk / "fails.png").exists()


def test_an_error_of_the_engine_shows_the_users_line_alone_and_is_drawn(desk: Path) -> None:
    said = cli(desk, "draw", "stale.py")
    assert said.returncode == 1
    assert [line.strip() for line in said.stderr.splitlines() if "File" in line] == [
        f'File "{desk / "stale.py"}", line 8, in <module>'
    ]
    assert "modified by an inplace operation" in said.stderr
    assert (desk / "stale.png").exists()


def test_an_error_of_pytorch_has_the_traceback_that_python_prints_without_a_recording(desk: Path) -> None:
    pytest.importorskip("torch")
    (desk / "stale.py").write_text(STALE.replace("import autograd_lab as torch", "import torch"))
    plain = subprocess.run([sys.executable, desk / "stale.py"], cwd=desk, capture_output=True, text=True)
    said = cli(desk, "draw", "stale.py")
    assert "in backward" in plain.stderr
    assert said.stderr.replace(str(desk), "").startswith(plain.stderr.replace(str(desk), ""))


def test_a_script_that_does_not_parse_says_where_and_draws_nothing(desk: Path) -> None:
    (desk / "typo.py").write_text("x = (\n")
    said = cli(desk, "draw", "typo.py")
    assert said.returncode == 1
    assert "SyntaxError" in said.stderr
    assert "the script stopped before it had a graph" in said.stderr
    assert not (desk / "typo.png").exists()


@pytest.mark.parametrize(("leave", "code", "said"), [("3", 3, ""), ("", 0, ""), ("'no luck'", 1, "no luck\n")])
def test_a_script_that_exits_is_drawn_and_keeps_its_exit_code(desk: Path, leave: str, code: int, said: str) -> None:
    (desk / "leaves.py").write_text(f"{EXPRESSION}import sys\nsys.exit({leave})\n")
    done = cli(desk, "draw", "leaves.py")
    assert (done.returncode, done.stderr) == (code, said)
    assert (desk / "leaves.png").exists()


def test_a_script_runs_as_it_would_by_itself(desk: Path) -> None:
    (desk / "sub").mkdir()
    (desk / "sub" / "neighbour.py").write_text("here = True\n")
    (desk / "sub" / "probe.py").write_text(
        "import json, os, pickle, sys, neighbour\n"
        "class Point: pass\n"
        "assert type(pickle.loads(pickle.dumps(Point()))) is Point\n"
        "print(json.dumps([__name__, __file__, sys.argv, sys.path[0], os.getcwd(), __doc__, __package__]))\n"
    )
    by_itself = subprocess.check_output([sys.executable, "sub/probe.py", "--epochs", "3"], cwd=desk, encoding="utf-8")
    drawn = alone(desk, "draw", "sub/probe.py", "-o", "t.jsonl", "--", "--epochs", "3")
    assert json.loads(drawn.stdout.splitlines()[0]) == json.loads(by_itself)


def test_running_a_script_in_process_leaves_no_trace_in_this_process(desk: Path) -> None:
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    script.run_script(desk / "fails.py", ["x"])
    assert (sys.argv, list(sys.path), sys.modules["__main__"]) == before


def test_a_bundled_example_is_drawn_by_name(desk: Path) -> None:
    (desk / "expression.py").unlink()
    assert script.examples()
    assert cli(desk, "draw", "expression", "-o", "e.png").returncode == 0
    assert cli(desk, "draw", "expression.py", "-o", "f.png").returncode == 0
    assert (desk / "e.png").read_bytes() == (desk / "f.png").read_bytes()


def test_the_users_own_file_comes_before_an_example_of_that_name(desk: Path) -> None:
    assert script.find_script(str(desk / "expression.py")) == desk / "expression.py"


def test_two_runs_write_the_same_bytes(desk: Path) -> None:
    for name in ("one.png", "two.png"):
        assert alone(desk, "draw", "expression.py", "-o", name).returncode == 0
    assert (desk / "one.png").read_bytes() == (desk / "two.png").read_bytes()


def test_play_makes_a_movie_and_says_what_it_is(desk: Path) -> None:
    wishes = ["--to", "4", "--speed", "10", "--side", "300", "--view", "maths", "--fps", "0"]
    said = alone(desk, "play", "expression.py", "-o", "x.gif", *wishes)
    size = bytes_text((desk / "x.gif").stat().st_size)
    assert (said.returncode, said.stderr) == (0, "")
    with Image.open(desk / "x.gif") as movie:
        assert said.stdout == f"x.gif  {movie.width} × {movie.height}, 4 steps, 2.4 s, {size}\n"
        assert movie.n_frames == 4


def test_play_makes_a_page_of_numbers_that_can_be_dragged_and_says_what_it_is(desk: Path) -> None:
    said = cli(desk, "play", "expression.py", "--vary", "a=1:3:1", "--vary", "b", "--within", "600")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith("expression.html  ")
    assert "expression.py: a from 1.0 to 3.0, b from -3.0 to 9.0; 39 runs\nOpen file:" in said.stdout


def test_a_script_that_raises_keeps_its_exit_code_when_it_is_varied(desk: Path) -> None:
    said = cli(desk, "play", "fails.py", "--vary", "a=1:3:1")
    assert said.returncode == 1
    assert said.stderr.count("ZeroDivisionError") == 1
    assert (desk / "fails.html").exists()


def test_a_huge_picture_is_capped_and_says_so(desk: Path) -> None:
    (desk / "huge.py").write_text(EXPRESSION.replace("y = ", "for _ in range(100): a = a * b\ny = "))
    said = cli(desk, "draw", "huge.py", "--unfold")
    assert said.returncode == 0
    assert "its long side is capped at 8,000. An .svg has no such limit" in said.stderr
    assert max(Image.open(desk / "huge.png").size) == 8000


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["draw", "expression.py", "-o", "x.bmp"], "x.bmp has the suffix .bmp; what to write is told by .png or"),
        (["draw", "expression.py", "-o", "x"], "x has no suffix; what to write is told by .png or"),
        (["draw", "expression.py", "-o", "nowhere/x.png"], "cannot write nowhere"),
        (["draw", "expression.py", "-o", "."], ". is a folder; name a file in it"),
        (["draw", "nope.py"], "there is no file nope.py; bundled examples are"),
        (["draw", "nope.jsonl"], "there is no file nope.jsonl"),
        (["draw", "expression.py", "--step", "999"], "step 999 is not in this run; its steps are 0 to "),
        (["draw", "expression.py", "--at", "error"], "this run has no moment error; it has "),
        (
            ["draw", "expression.py", "--at", "end", "--step", "1"],
            "--step, --at, --each-step and --sheet exclude each other",
        ),
        (["draw", "expression.py", "--each-step", "-o", "x.png"], "--each-step fills a folder, and x.png names a file"),
        (["draw", "expression.py", "--root", "zebra"], "no tensor is called 'zebra'; there are a, b"),
        (["draw", "expression.py", "-o", "x.gif"], "x.gif would be a movie: autograd-lab play expression.py -o x.gif"),
        (
            ["play", "expression.py", "-o", "x.avi"],
            "x.avi has the suffix .avi; what to write is told by .html or .gif or",
        ),
        (
            ["play", "expression.py", "--speed", "2"],
            "--from, --to, --speed, --pause, --side, --loops, --fps and --grain are for movies",
        ),
        (
            ["play", "expression.py", "-o", "x.gif", "--from", "9", "--to", "3"],
            "a movie from step 9 to step 3 would end",
        ),
        (
            ["play", "expression.py", "-o", "x.gif", "--to", "error"],
            "this run has no moment error; it has end, forward",
        ),
        (
            ["play", "expression.py", "-o", "x.mp4", "--loops", "2"],
            "how often a .mp4 is played is for its player to say",
        ),
        (
            ["play", "expression.py", "--vary", "y"],
            "line 5 of expression.py sets y to (a + b) * (b + 1), which is not one number; what can be varied: a (2.0,",
        ),
        (["play", "expression.py", "--vary", "a=3:4"], "a is 2.0 in the program, not between 3 and 4"),
        (["play", "expression.py", "--vary", "a,a"], "each name can be varied once"),
        (["play", "expression.py", "--vary", "2"], "--vary takes a name, as in --vary a or --vary a=-3:3, not '2'"),
        (["play", "expression.py", "--vary", "a", "-o", "x.gif"], "--vary makes one page, x.html: no movie"),
        (["play", "expression.py", "--within", "9"], "--within is for --vary"),
        (["play", "trace.jsonl", "--vary", "a"], "trace.jsonl is a trace, which cannot be run again"),
        (["record", "expression.py", "-o", "x.png"], "x.png has the suffix .png; what to write is told by .jsonl"),
    ],
)
def test_misuse_is_one_clear_sentence_exit_code_2_and_no_file(desk: Path, words: list[str], sentence: str) -> None:
    assert fails(desk, 2, *words).startswith(sentence)


def test_a_run_without_gradients_says_why_there_is_no_picture(desk: Path) -> None:
    said = cli(desk, "draw", "nothing.py")
    assert said.returncode == 1
    assert said.stdout == "tensor(2.)\n"
    assert "no tensor with requires_grad=True took part" in said.stderr
    assert not (desk / "nothing.png").exists()


@pytest.mark.parametrize("command", ["draw", "diagnose", "compile"])
def test_where_pytorch_is_missing_a_script_is_told_what_to_import_instead(desk: Path, command: str) -> None:
    # what Python says in an environment without it, which this one may not be
    (desk / "theirs.py").write_text("""raise ModuleNotFoundError("No module named 'torch'")""")
    said = cli(desk, command, "theirs.py").stderr.splitlines()
    wanted = ["import autograd_lab as torch", "from autograd_lab import nn", "import autograd_lab.nn.functional as F"]
    start = next(at for at, line in enumerate(said) if "PyTorch is not installed here" in line)
    assert [line.strip() for line in said[start + 1 : start + 4]] == wanted
    exec("\n".join(wanted), {})


def test_a_damaged_trace_names_its_line(desk: Path) -> None:
    assert cli(desk, "record", "expression.py", "-o", "t.jsonl").returncode == 0
    lines = (desk / "t.jsonl").read_text("utf-8").splitlines(keepends=True)
    (desk / "t.jsonl").write_text("".join([*lines[:4], lines[4][:20]]), "utf-8")
    assert fails(desk, 1, "draw", "t.jsonl").startswith("t.jsonl, line 5: ")


def test_a_trace_of_a_newer_schema_says_to_upgrade(desk: Path) -> None:
    (desk / "new.jsonl").write_text(json.dumps({"format": FORMAT, "schema": 999, "engine": "x"}) + "\n")
    assert "upgrade with" in fails(desk, 1, "draw", "new.jsonl")


def test_what_the_system_refuses_to_write_is_said_with_the_name_of_the_file(desk: Path) -> None:
    assert "name too long" in fails(desk, 1, "draw", "expression.py", "-o", f"{'x' * 300}.png").lower()


@pytest.mark.parametrize("words", [["--help"], ["draw", "--help"], ["record", "--help"], ["compare", "--help"]])
def test_help_teaches_with_examples(words: list[str]) -> None:
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0
    assert "autograd-lab " in shown.output.split("Examples:")[1]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("compare expression.py stale.py", 1),  # as stale.py fails
        ("compile fused -o listing.py", 0),
        ("demo", 0),
        ("worksheet arriving-at-b -o sheet.svg", 0),
        ("progress", 0),
        ("memory", 0),
        ("lessons build --source nowhere", 2),
    ],
)
def test_each_other_command_answers_in_a_process_of_its_own(desk: Path, words: str, code: int) -> None:
    said = alone(desk, *words.split())
    assert said.returncode == code, said
    assert bool(said.stderr) == bool(code)


def test_the_list_says_of_each_command_the_first_sentence_of_its_own_help() -> None:
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        assert command.real.name == name
        assert command.real.get_short_help_str(200) == command.get_short_help_str(200)


def test_help_imports_no_more_than_the_list(desk: Path) -> None:
    program = "import sys; from autograd_lab.commands.cli import app; app(['--help'], standalone_mode=False)\n"
    program += "print(*(name for name in sys.modules if name.startswith(('autograd_lab.', 'rich'))))"
    done = subprocess.check_output(
        [sys.executable, "-c", program], cwd=desk, env={**os.environ, "PYTHONPATH": str(ROOT)}, encoding="utf-8"
    )
    imported = done.splitlines()[-1].split()
    rooms = {name.split(".")[1] for name in imported if name.startswith("autograd_lab.")}
    assert not rooms & {"view", "display", "recording", "events", "classroom", "lessons", "compiler"}
    assert "rich" not in imported


def test_version_is_that_of_the_package() -> None:
    assert CliRunner().invoke(app, ["--version"]).output.startswith("autograd-lab ")


def test_pictures_of_the_end_are_of_the_promised_kind(desk: Path) -> None:
    cli(desk, "draw", "expression.py", "-o", "x.PNG")
    assert Image.open(io.BytesIO((desk / "x.PNG").read_bytes())).format == "PNG"


@pytest.mark.parametrize(
    ("words", "file", "found"),
    [
        ("draw exp", "", {"experts", "expression"}),
        ("draw exp", "expanse.py", set()),  # the shell completes files by itself
        ("draw /", "", set()),
        ("diagnose expression --fail-on e", "", {"error"}),
        ("draw expression --at e", "", {"end", "error"}),
        ("demo the", "", {"the-same-backward-twice"}),
        ("demo the", "their.py", set()),
    ],
)
def test_a_shell_completes_names_of_ours_where_no_file_begins_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, file: str, found: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if file:
        Path(file).touch()
    asked = {"COMP_WORDS": f"autograd-lab {words}", "COMP_CWORD": str(len(words.split()))}
    done = CliRunner().invoke(
        app, [], prog_name="autograd-lab", env={"_AUTOGRAD_LAB_COMPLETE": "complete_bash", **asked}
    )
    assert set(done.output.split()) == found
