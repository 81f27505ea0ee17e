"""What `python3 start.py check` takes for the tests of a change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import check


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("autograd_lab/optim/sgd.py", "tests/test_optim.py"),
        ("autograd_lab/view/pages/sheet.py", "tests/test_cli.py"),
        ("autograd_lab/compiler/capture/capture.py", "tests/compiler/test_compile.py"),
        ("tests/models.py", "tests/test_models.py"),
        ("tests/test_png.py", "tests/test_png.py"),
        ("start.py", "tests/test_start.py"),
        ("docs/tiers.md", "tests/test_docs.py"),
    ],
)
def test_a_changed_file_has_the_tests_that_import_it_or_bear_its_name(file: str, test: str) -> None:
    assert test in check.chosen_for([file])


def test_a_module_that_no_test_imports_or_is_named_after_has_those_of_its_neighbours() -> None:
    lonely = Path("autograd_lab/commands/__init__.py")
    assert not check.importing(check.module_of(lonely)) | check.named_after(lonely)
    assert "tests/test_cli.py" in check.chosen_for([lonely.as_posix()])


def test_the_examples_in_a_changed_modules_docstrings_are_run_but_no_program() -> None:
    assert "autograd_lab/nn/container.py" in check.chosen_for(["autograd_lab/nn/container.py"])
    assert check.chosen_for(["autograd_lab/examples/expression.py"]) == [check.ALWAYS]


def test_with_nothing_changed_the_architecture_is_tested() -> None:
    assert check.chosen_for([]) == [check.ALWAYS]


@pytest.mark.parametrize("file", ["autograd_lab/engine/core/node.py", "autograd_lab/events.py", "widgets/README.md"])
def test_what_is_run_is_there(file: str) -> None:
    assert [test for test in check.chosen_for([file]) if not (check.ROOT / test).is_file()] == []


def test_changed_is_what_the_branch_has_made_of_main_committed_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "ROOT", tmp_path)
    assert check.changed() == []  # no repository

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True)

    git("init", "-q", "-b", "main")
    for name in ("same", "gone", "edited"):
        (tmp_path / name).write_text("before")
    git("add", ".")
    git("commit", "-qm", "main")
    git("checkout", "-qb", "branch")
    (tmp_path / "committed").touch()
    git("add", ".")
    git("commit", "-qm", "branch")
    (tmp_path / "gone").unlink()
    (tmp_path / "edited").write_text("after")
    (tmp_path / "new").touch()
    assert check.changed() == ["committed", "edited", "new"]
    assert check.changed("HEAD") == ["edited", "new"]


def test_tests_in_browsers_are_run_when_they_change_themselves() -> None:
    bundle = "tests/browser/test_bundle.py"
    assert not [test for test in check.chosen_for(["start.py"]) if "/browser/" in test]
    assert bundle in check.chosen_for([bundle])
