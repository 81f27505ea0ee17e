"""The guide tells the truth: its programs run, its commands are there, its links lead somewhere."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import start
from autograd_lab.commands.cli import app
from autograd_lab.findings.kinds import KINDS
from docs.conf import BINDER, without_lab

ROOT = Path(start.__file__).parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
MISTAKES = ["mistakes/index.md", *(f"mistakes/{kind}.md" for kind in KINDS)]
"""Pages that are made when the site is."""
BLOCK = re.compile(r"^```(\w+|\{[\w-]+\})(?: \w+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


def blocks(page: Path, language: str) -> Iterator[str]:
    return (text for kind, text in BLOCK.findall(page.read_text("utf-8")) if kind == language)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_is_of_a_kind_that_is_tried(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.count("```") == 2 * len(BLOCK.findall(text))
    assert {kind for kind, _ in BLOCK.findall(text)} <= {
        "python",
        "sh",
        "text",
        "{toctree}",
        "{only}",
        "{autograd-lab}",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_programs_run_and_print_what_they_say(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for text in blocks(page, "python"):
        exec(compile(text, f"{page.name}.py", "exec"), names)
        printed = capsys.readouterr().out
        for said in re.findall(r"print\(.*\)  # (.*)$", text, re.MULTILINE):
            assert said.removesuffix(" …") in printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_commands_are_there(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in "".join(blocks(page, "sh")).splitlines():
        words = line.split()
        if words[0] == "autograd-lab":
            done = CliRunner().invoke(app, words[1:])
            assert done.exit_code == 0, done.output
        elif words[:2] == ["python3", "start.py"]:
            assert words[2] in (*start.PASSED_ON, *start.OWN)
        else:
            assert words[:2] == ["pip", "install"]
            (extra,) = re.findall(r"autograd-lab(?:\[(\w+)\])?", line)
            assert extra in ("", *EXTRAS)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_its_links_lead_to_pages_that_are_there(page: Path) -> None:
    prose = BLOCK.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        made = target.startswith("pictures/") or target in MISTAKES
        known = target.startswith("https://") or made or (page.parent / target).is_file()
        assert known, f"{page.name}: {target}"


def test_a_site_without_notebooks_in_the_browser_links_to_those_on_binder_alone() -> None:
    text = without_lab((ROOT / "docs" / "lessons.md").read_text("utf-8"))
    notebooks = re.findall(re.escape(BINDER) + r'([^"]+)"', text)
    assert "lite/" not in text and len(notebooks) == len(set(notebooks)) > 21
    assert all((ROOT / "notebooks" / name).is_file() for name in notebooks)
