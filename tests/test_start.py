"""One file, one command: it sets up once, says in one line what is wrong, and gets out of the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
import typer

import start
from autograd_lab.commands.cli import app

ROOT = Path(start.__file__).parent
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull, "UV_OFFLINE": "1"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with all that start.py looks at before anything is installed."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    for name in ("start.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def run(clone: Path, *words: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, clone / "start.py", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_help_teaches_by_examples_and_installs_nothing(clone: Path, words: list[str]) -> None:
    said = run(clone, *words)
    assert said.returncode == 0
    assert "python3 start.py draw expression" in said.stdout
    assert not (clone / ".venv").exists()


def test_an_unknown_command_is_one_line_with_all_that_there_are_and_exit_code_2(clone: Path) -> None:
    said = run(clone, "drwa")
    assert said.returncode == 2
    assert said.stderr.startswith("start.py: there is no command 'drwa'; there are draw, record, ")
    assert said.stderr.count("\n") == 1
    assert not (clone / ".venv").exists()


def test_every_command_of_the_package_is_passed_on_and_helped_with() -> None:
    assert list(start.PASSED_ON) == list(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    for command in (*start.PASSED_ON, *start.OWN):
        assert f"python3 start.py {command}" in (start.__doc__ or "")


def test_what_is_installed_for_a_command_is_there() -> None:
    assert {*start.EXTRAS, *start.GROUPS} <= {*start.PASSED_ON, *start.OWN}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = {extra.strip("[]") for extra in (*start.EXTRAS.values(), *start.BY_WORD.values())}
    assert extras <= set(project["project"]["optional-dependencies"])
    assert {group for groups in start.GROUPS.values() for group in groups} <= set(project["dependency-groups"])


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("draw expression", ""),
        ("draw my.py -o slide.pdf", "[export]"),
        ("play my.py -o my.gif", "[export]"),
        ("worksheet arriving-at-b", "[export]"),
        ("demo", ""),
        ("demo arriving-at-b --vote", "[classroom]"),
        ("lab", "[lab]"),
        ("test", ""),
    ],
)
def test_a_command_gets_what_it_needs_and_no_more(words: str, extra: str) -> None:
    command, *rest = words.split()
    assert start.extra_for(command, rest) == extra


def test_groups_are_read_with_those_that_they_include() -> None:
    found = start.requirements("browser-test", "test")
    assert len(found) == len(set(found)) and not [each for each in found if not isinstance(each, str)]
    assert {"sphinx>=8", "playwright>=1.55", "segno>=1.6", "pytest>=8.4"} <= set(found)


def test_an_old_python_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(start, "OLDEST", (99, 0))
    assert start.main(["draw", "x.py"]) == 1
    assert "Python 3.11 or newer is needed; this is 3." in capsys.readouterr().err


def test_a_python_without_venv_is_told_what_to_install(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "ENV", clone / ".venv")
    monkeypatch.setattr(start, "PYTHON", clone / ".venv/bin/python")
    monkeypatch.setitem(sys.modules, "venv", None)
    assert start.main(["draw", "x.py"]) == 1
    assert capsys.readouterr().err.endswith("On Debian or Ubuntu: sudo apt install python3-venv\n")
    assert not (clone / ".venv").exists()


def test_without_a_network_it_says_so_in_one_line_and_will_try_again(clone: Path) -> None:
    said = run(clone, "draw", "x.py", **OFFLINE)
    assert said.returncode == 1
    setting_up, complaint = said.stderr.splitlines()
    assert setting_up.startswith("Setting up (once")
    assert complaint.startswith("start.py: cannot install the packages; is there a network?")
    assert not list((clone / ".venv").glob("ready-*"))


def test_once_set_up_it_starts_at_once_in_the_users_folder_with_the_users_words(clone: Path, tmp_path: Path) -> None:
    venv.create(clone / ".venv")
    fingerprint = subprocess.check_output(
        [sys.executable, "-c", "import start; print(start.fingerprint())"], cwd=clone, text=True
    )
    (clone / ".venv" / "ready-draw").write_text(fingerprint.strip())
    program = tmp_path / "desk" / "autograd_lab" / "__main__.py"
    program.parent.mkdir(parents=True)
    program.write_text("import os, sys; print(sys.argv[1:], os.path.basename(os.getcwd())); sys.exit(3)")
    said = run(clone, "draw", "my script.py", "-o", "x.png", cwd=tmp_path / "desk", PYTHONPATH="")
    assert said.stdout == "['draw', 'my script.py', '-o', 'x.png'] desk\n"
    assert (said.stderr, said.returncode) == ("", 3)


def test_changed_requirements_are_installed_anew(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "ROOT", clone)
    before = start.fingerprint()
    with (clone / "constraints.txt").open("a") as file:
        file.write("one-more==1.0\n")
    assert start.fingerprint() != before


def test_the_oracle_is_one_exact_torch_everywhere() -> None:
    pins = {line for line in (ROOT / "pyproject.toml").read_text("utf-8").split('"') if line.startswith("torch==")}
    assert pins == {start.TORCH}


def test_constraints_pin_no_torch_and_name_no_place() -> None:
    pins = [line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert all("==" in pin for pin in pins)
    assert not [pin for pin in pins if pin.startswith(("torch", "nvidia", "triton", "-")) or "/" in pin]
