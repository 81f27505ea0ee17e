"""Commands that show something do so in the language that one asks for, and in no other afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_lab.view.languages.speaking import VARIABLE, language
from tests.commands.test_cli import cli, desk, fails

__all__ = ["desk"]


def test_a_page_speaks_the_language_that_is_asked_for_and_the_next_one_english(desk: Path) -> None:
    for options, code in ((["--language", "es"], "es"), ([], "en")):
        cli(desk, "play", "expression.py", "-o", "page.html", *options)
        assert f'<html lang="{code}">' in (desk / "page.html").read_text("utf-8")
    assert language() == "en"


def test_what_is_wrong_is_counted_in_the_language_of_the_environment(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "es_AR.UTF-8")
    assert "1 error en 1 pasada backward y" in cli(desk, "diagnose", "stale.py").stdout


@pytest.mark.parametrize("command", ["draw", "play", "compare", "compile", "demo", "diagnose"])
def test_a_language_that_there_is_not_is_misuse_and_told_with_those_that_there_are(desk: Path, command: str) -> None:
    said = fails(desk, 2, command, "expression.py", "--language", "tlh")
    assert said == "there is no language 'tlh'; there are en (English), es (español)"
