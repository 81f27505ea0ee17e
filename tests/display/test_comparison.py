"""`compare(a, b)` and `autograd-lab compare A B`: pages, pictures, players, and scripts that leave each other alone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import compare
from autograd_lab.display.alone import run_alone
from autograd_lab.display.side_by_side import Comparison, titles_of
from autograd_lab.notebook import trace
from autograd_lab.trace import Trace
from autograd_lab.view.compare.diptych import diptych
from tests.commands.test_cli import cli
from tests.view.pages.test_player import hostile_trace

SCRIPT = """\
import autograd_lab as torch
x = torch.tensor({}, requires_grad=True)
y = x * x
y.backward()
"""


@pytest.fixture
def both() -> Comparison:
    def f(x: Any) -> Any:
        return x**2 if x > 0 else (-x).exp()

    return compare(trace(f, 2.0), trace(f, -2.0), titles=("x > 0", "x < 0"))


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "one.py").write_text(SCRIPT.format("2.0"))
    (tmp_path / "other.py").write_text(SCRIPT.format("3.0"))
    (tmp_path / "fails.py").write_text(SCRIPT.format("2.0") + "y.backward()\n")
    (tmp_path / "nothing.py").write_text("print(1)\n")
    return tmp_path


@pytest.mark.parametrize(("name", "start"), [("x.html", b"<!doctype"), ("x.png", b"\x89PNG"), ("x.svg", b"<svg")])
def test_it_is_saved_as_what_its_suffix_says(both: Comparison, tmp_path: Path, name: str, start: bytes) -> None:
    assert both.save(tmp_path / name).read_bytes().startswith(start)


def test_another_suffix_is_refused_and_nothing_is_written(both: Comparison, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.html or \.png or \.svg"):
        both.save(tmp_path / "x.gif")
    assert list(tmp_path.iterdir()) == []


def test_it_says_what_differs_where_only_text_can_be_shown(both: Comparison) -> None:
    assert both.differences[0] == "x: 2.0 in “x > 0”, -2.0 in “x < 0”."
    assert repr(both).splitlines()[1:-1] == both.differences


def test_tensors_can_be_compared_without_a_recording() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    found = compare(x * x, (x * x).exp())
    assert any("ExpBackward0" in each and "only in “second”" in each for each in found.differences)


def test_what_belongs_together_stands_at_the_same_place() -> None:
    def f(x: Any, in_place: bool) -> Any:
        h = x * 2
        p = h * 3
        return p + (h.add_(1) if in_place else h + 1)

    both = compare(trace(f, 2.0, True), trace(f, 2.0, False)).both
    cards = [{part.id: (part.x, part.y) for part in scene.parts if part.kind == "card"} for scene in both.scenes]
    partners = {a: b for a, b in {**both.pairing.ops, **both.pairing.boxes}.items() if a in cards[0] and b in cards[1]}
    assert len(partners) == len(cards[0]) == len(cards[1]) - 1  # h and what writes it are one card
    assert {name: cards[0][name] for name in partners} == {a: cards[1][b] for a, b in partners.items()}


def test_a_picture_shows_both_graphs_the_marks_and_the_sentences(both: Comparison) -> None:
    svg = diptych(both.both)
    assert {name[:2] for name in re.findall(r' id="([^"]+)"', svg)} == {"a-", "b-"}
    assert svg.count("only here</text>") == 2
    assert "x.grad: 4.0 in “x &gt; 0”, -7.3891 in “x &lt; 0”." in svg


def test_a_picture_of_a_beat_that_there_is_not_is_refused(both: Comparison) -> None:
    with pytest.raises(IndexError, match="no beat 999"):
        diptych(both.both, 999)


def test_hostile_texts_are_texts_in_a_picture() -> None:
    both = compare(hostile_trace(), hostile_trace(), titles=("<script>alert(1)</script>", "b"))
    assert "<script" not in diptych(both.both)


def test_a_player_of_both_has_a_step_a_picture_and_a_text(both: Comparison) -> None:
    from autograd_lab.display.widget import PlayerOfBoth

    player = PlayerOfBoth(both.both)
    player.step = 9999
    assert player.step == len(both.both.pairing.beats) - 1
    twin = player.twin()
    assert twin["image/png"].startswith(b"\x89PNG")
    assert "x: 2.0 in “x > 0”, -2.0 in “x < 0”." in twin["text/plain"]


def test_without_anywidget_a_notebook_has_the_picture(both: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setitem(sys.modules, "autograd_lab.display.widget", None)
    monkeypatch.setattr("IPython.display.display", lambda *things, **options: shown.extend(things))
    both._ipython_display_()
    assert shown[0]["image/png"].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("paths", "titles"),
    [
        (("a/before.py", "a/after.py"), ("before", "after")),
        (("old/train.py", "new/train.py"), ("old/train.py", "new/train.py")),
        (("train.py 0.1", "old/train.py '0.2 or so'"), ("train 0.1", "train 0.2 or so")),
        (("train.py", "train.py"), ("train.py, first", "train.py, second")),
    ],
)
def test_programs_are_called_as_briefly_as_tells_them_apart(paths: tuple[str, str], titles: tuple[str, str]) -> None:
    assert titles_of(*paths) == titles


def test_the_command_writes_a_page_and_lists_what_differs(desk: Path) -> None:
    done = cli(desk, "compare", "one.py", "other.py")
    assert done.returncode == 0
    first, *rest = done.stdout.splitlines()
    assert re.fullmatch(r"one-other\.html  [\d.]+ KiB; what differs:", first)
    assert rest[0] == "  different from one.py:2 / other.py:2 on: x = torch.tensor(2.0, requires_grad=True)"
    assert rest[1] == "  x: 2.0 in “one”, 3.0 in “other”."
    assert (desk / "one-other.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_script_and_a_trace_of_it_do_not_differ(desk: Path) -> None:
    assert cli(desk, "record", "one.py", "-o", "told.jsonl").returncode == 0
    done = cli(desk, "compare", "one.py", "told.jsonl", "-o", "both.svg")
    assert done.stdout.splitlines()[-1].endswith("nothing differs")


def test_a_script_that_fails_is_compared_as_far_as_it_came(desk: Path) -> None:
    done = cli(desk, "compare", "one.py", "fails.py", "-o", "both.png")
    assert done.returncode == 1
    assert "Trying to backward through the graph a second time" in done.stderr
    assert "Only in “fails”: " in done.stdout
    assert (desk / "both.png").exists()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["one.py", "nope.py"], 2, "there is no file nope.py"),
        (["one.py", "one.py 'two"], 2, "No closing quotation"),
        (["one.py", "other.py", "-o", "x.gif"], 2, ".html or .png or .svg"),
        (["one.py", "nothing.py"], 1, "nothing was recorded"),
    ],
)
def test_what_cannot_be_compared_is_said_and_no_file_stays(
    desk: Path, words: list[str], code: int, sentence: str
) -> None:
    before = sorted(desk.iterdir())
    done = cli(desk, "compare", *words)
    assert (done.returncode, sorted(desk.iterdir())) == (code, before)
    assert sentence in done.stderr and "Traceback" not in done.stderr


def test_modules_and_modes_of_one_script_are_not_those_of_the_other(desk: Path) -> None:
    for folder, factor in (("old", 2), ("new", 3)):
        (desk / folder).mkdir()
        (desk / folder / "model.py").write_text(f"FACTOR = {factor}\n")
        (desk / folder / "train.py").write_text(
            "import autograd_lab as torch\nfrom model import FACTOR\n"
            "x = torch.tensor(1.0, requires_grad=True)\ny = x * FACTOR\ny.backward()\ntorch.set_grad_enabled(False)\n"
        )
    done = cli(desk, "compare", "old/train.py", "new/train.py", "-o", "both.html")
    assert "x.grad: 2.0 in “old/train.py”, 3.0 in “new/train.py”." in done.stdout


def test_a_script_that_ends_its_process_is_named(desk: Path) -> None:
    (desk / "leaves.py").write_text("import os\nos._exit(3)\n")
    with pytest.raises(OSError, match=r"leaves\.py ended its process at once"):
        run_alone(desk / "leaves.py")


def test_the_bundled_pair_takes_either_way() -> None:
    runs = [
        subprocess.run([sys.executable, "-m", f"autograd_lab.examples.{name}"], capture_output=True, encoding="utf-8")
        for name in ("positive", "negative")
    ]
    assert [run.stdout.split(",")[0] for run in runs] == ["tensor(13.", "tensor(23.1672"]


def test_a_loaded_trace_is_compared_as_a_live_one(both: Comparison, tmp_path: Path) -> None:
    loaded = []
    for number, scene in enumerate(both.both.scenes):
        scene.trace.save(tmp_path / f"{number}.jsonl")
        loaded.append(Trace.load(tmp_path / f"{number}.jsonl"))
    assert compare(*loaded, titles=both.both.titles).differences == both.differences
