"""`doctor` says what is there and how to get the rest; the shell completes commands, options and files."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograd_lab.commands import doctor
from autograd_lab.commands.cli import app

ROOT = Path(__file__).parents[2]


def test_what_is_there_has_a_version_and_what_is_missing_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(doctor.PURPOSES, "players on the moon", (("no-such-package",), "no-such-package"))
    said = CliRunner().invoke(app, ["doctor"])
    assert said.exit_code == 0, said.output
    lines = {line[4:].split("  ")[0]: line for line in said.output.splitlines() if line[:4] in ("  + ", "  - ")}
    assert lines["PNG and SVG pictures"].endswith("drawn just now")
    assert lines["players on the moon"].endswith("  pip install no-such-package")
    assert lines["PDF, PNG of half the size"].startswith("  + ") and "pillow " in lines["PDF, PNG of half the size"]


def test_where_nothing_can_be_drawn_it_says_why_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    said = CliRunner().invoke(app, ["doctor"])
    assert said.exit_code == 1 and "pip install resvg-py" in said.output


def test_its_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for packages, install in doctor.PURPOSES.values():
        if install.startswith("autograd-lab["):
            named = " ".join(project["optional-dependencies"][install[len("autograd-lab[") : -1]])
            assert all(each in named for each in packages)


@pytest.mark.parametrize(("words", "found"), [("autograd-lab di", "diagnose"), ("autograd-lab draw --the", "--theme")])
def test_a_shell_completes_commands_and_their_options(words: str, found: str) -> None:
    asked = {"_AUTOGRAD_LAB_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    said = subprocess.run(
        [sys.executable, "-m", "autograd_lab"], env={**os.environ, **asked}, capture_output=True, text=True, cwd=ROOT
    )
    assert found in said.stdout.split(), said.stderr
