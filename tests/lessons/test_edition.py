"""A notebook that is older than the program, in which exercises had other numbers: that is said, and nothing judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograd_lab.lessons import check
from autograd_lab.lessons.exercise import verdict
from autograd_lab.lessons.progress import entries
from autograd_lab.lessons.registry import find


@pytest.fixture(autouse=True)
def own_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "progress.jsonl"))


def test_the_function_of_another_exercise_is_not_judged_but_said_to_be_of_an_older_notebook() -> None:
    def edges(operands: Any) -> Any:
        return [each.gradient_goes_to for each in operands]

    found = check("L16.M2", edges)
    assert not found.attempted and list(entries()) == []
    assert found.text.startswith("this notebook is older than the program: L16.M2 asks for `tanh_slope` now,")
    assert "what it got is `edges`" in found.text
    assert verdict(find("L16.M3"), edges).right


def test_the_class_of_another_exercise_likewise() -> None:
    Softplus = type("Softplus", (), {})
    assert "L12.D1 asks for `Cube` now" in verdict(find("L12.D1"), Softplus).text


def test_a_function_with_a_name_of_its_own_is_judged_and_told_so_only_if_it_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def mine(g: Any, z: Any) -> Any:
        return g * (1 - z * z)

    def wrong(g: Any, z: Any) -> Any:
        return z

    assert check("L16.M2", mine) and "older" not in capsys.readouterr().out
    assert check("L16.M2", wrong).attempted
    assert (
        "\n  Wanted is `tanh_slope`, and this is `wrong`. If the notebook has no `tanh_slope`, it is older than the "
        "program.\n" in capsys.readouterr().out
    )
