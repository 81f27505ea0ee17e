"""Each mistake has its mended program, which does what its author wanted; each kind has a program, and a title."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from autograd_lab import findings
from autograd_lab.display.script import run_script
from autograd_lab.events import ErrorRaised
from autograd_lab.findings.diagnosis import diagnose
from autograd_lab.findings.finding import NOTE, told
from autograd_lab.findings.kinds import KINDS
from tests.findings.test_programs import PROGRAMS, expected

MENDED = Path(__file__).with_name("mended")
SOURCES = [path for path in Path(findings.__file__).parent.rglob("*.py") if path.stem != "kinds"]
NAMES = [path.name for path in PROGRAMS]


def docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


@pytest.mark.parametrize("torch", [False, True], ids=["own", "torch"])
@pytest.mark.parametrize("name", NAMES)
def test_a_mended_program_runs_and_nothing_is_said_of_it_above_a_note(name: str, torch: bool) -> None:
    if torch:
        pytest.importorskip("torch")
    run = run_script(MENDED / name, torch=torch)
    assert not run.complaint, run.complaint
    _, kind, _, _ = expected(MENDED.with_name("programs") / name)
    left = [told(each) for each in diagnose(run.trace) if each.severity != NOTE or each.kind == kind]
    assert not left, "\n".join(left)


def test_every_program_has_a_mended_one_and_both_say_what_they_are() -> None:
    assert sorted(path.name for path in MENDED.glob("*.py")) == NAMES
    for program in PROGRAMS:
        head, title, why = docstring(program).split("\n\n")
        assert ": " in head and title and why.endswith(".")
        assert docstring(MENDED / program.name).endswith(".")


def test_every_kind_has_a_title_and_a_program() -> None:
    assert {expected(program)[1] for program in PROGRAMS} == set(KINDS)
    assert len(set(KINDS.values())) == len(KINDS)


def test_every_kind_that_the_sources_name_is_listed() -> None:
    texts = {
        node.value
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    named = {text for text in texts if re.fullmatch("[a-z]+(-[a-z]+)+", text)}
    assert not {text for text in named if text not in KINDS and f"no-gradient-{text}" not in KINDS}
    short = {kind.removeprefix("no-gradient-") for kind in KINDS}
    assert short <= texts | named, "a page about what no finder gives"


ERRORS = [path for path in PROGRAMS if expected(path)[0] == "error"]


@pytest.mark.parametrize("program", ERRORS, ids=lambda path: path.stem)
def test_the_error_that_a_page_shows_is_pytorchs_to_the_character(program: Path) -> None:
    pytest.importorskip("torch")
    own, theirs = (
        [(each.error, each.message) for each in run_script(program, torch=torch).trace if isinstance(each, ErrorRaised)]
        for torch in (False, True)
    )
    assert own == theirs and own
