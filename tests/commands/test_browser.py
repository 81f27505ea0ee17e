"""The page that a command writes is one click away, or already open: with Python's own `webbrowser`, and a browser that
takes down what it is given."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands.test_cli import EXPRESSION, ROOT, alone, fails
from tests.commands.test_cli import desk as desk

LOOP = """\
import autograd_lab as torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    (w * w).backward()
    optimizer.step()
"""


@pytest.fixture
def browser(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a browser of ours takes down each address that it is to open."""
    folder = tmp_path_factory.mktemp("browser")
    script, seen = folder / "browser", folder / "seen"
    script.write_text(f'#!/bin/sh\necho "$1" >> "{seen}"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("BROWSER", str(script))
    seen.touch()
    return seen


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("play expression.py", "expression.html"),
        ("play my*run.py -o my%20page.html", "my%20page.html"),
        ("compare expression.py stale.py", "expression-stale.html"),
        ("compile fused", "fused.html"),
        ("demo arriving-at-b", "arriving-at-b/index.html"),
    ],
)
def test_open_opens_the_page_and_the_address_is_told_once(desk: Path, browser: Path, words: str, page: str) -> None:
    (desk / "my*run.py").write_text(EXPRESSION)
    said = alone(desk, *words.split(), "--open")
    address = (desk / page).as_uri()
    assert browser.read_text() == f"{address}\n"
    assert [line for line in said.stdout.splitlines() if "://" in line] == [f"Open {address}"]


def test_without_open_the_address_is_told_and_no_browser_is_asked(desk: Path, browser: Path) -> None:
    said = alone(desk, "play", "expression.py")
    assert said.stdout.splitlines()[-1] == f"Open {(desk / 'expression.html').as_uri()}"
    assert browser.read_text() == ""


def test_of_several_pages_the_first_opens(desk: Path, browser: Path) -> None:
    (desk / "loop.py").write_text(LOOP)
    alone(desk, "play", "loop.py", "--every", "2", "--open")
    pages = sorted(desk.glob("loop-iteration-*.html"))
    assert len(pages) == 2
    assert browser.read_text() == f"{pages[0].as_uri()}\n"


def test_where_there_is_no_browser_that_is_said_and_the_page_is_there(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", str(desk / "no-such-browser"))
    monkeypatch.setenv("PATH", str(desk))
    for display in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(display, raising=False)
    said = alone(desk, "play", "expression.py", "--open")
    assert said.returncode == 0
    assert said.stderr == "autograd-lab: no browser was found here that could open it\n"
    assert (desk / "expression.html").exists()


@pytest.mark.parametrize(
    "words", ["play expression.py -o x.gif", "compare a.py b.py -o x.png", "compile fused -o x.py"]
)
def test_what_is_no_page_is_not_opened(desk: Path, words: str) -> None:
    assert fails(desk, 2, *words.split(), "--open") == "--open is for a page, such as -o x.html"


def test_a_demo_says_what_each_file_is_for_and_which_to_open(desk: Path) -> None:
    *files, last = alone(desk, "demo", "arriving-at-b").stdout.splitlines()
    assert [line.split("  ")[0] for line in files] == [
        f"arriving-at-b/{name}" for name in ("index.html", "presenter.html", "strip.png", "key.md", "trace.jsonl")
    ]
    assert files[0].endswith(", the page that plays it")
    assert last == f"Open {(desk / 'arriving-at-b' / 'index.html').as_uri()}"


def test_a_vote_opens_the_teachers_page(desk: Path, browser: Path) -> None:
    pytest.importorskip("uvicorn")
    words = ["demo", "arriving-at-b", "--vote", "--port", "0", "--open"]
    vote = subprocess.Popen(
        [sys.executable, "-m", "autograd_lab", *words], cwd=desk, stdout=subprocess.PIPE, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert vote.stdout is not None
        teacher = vote.stdout.readline().split()[1]
        end = time.monotonic() + 30
        while not browser.read_text() and time.monotonic() < end:
            time.sleep(0.05)
        assert browser.read_text() == f"{teacher}\n"
    finally:
        vote.terminate()
        vote.communicate()
