"""What `python3 start.py check` takes for the tests of a change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import check


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("autograd_lab/optim/sgd.py", "tests/optim/test_optim.py"),
        ("autograd_lab/engine/core/node.py", "tests/engine/test_hooks.py"),
        ("autograd_lab/view/pages/sheet.py", "tests/view/pages/test_player.py"),
        ("autograd_lab/view/charts/strip.py", "tests/torch_bridge/test_devices.py"),
        ("autograd_lab/commands/__init__.py", "tests/commands/test_cli.py"),
        ("autograd_lab/compiler/capture/capture.py", "tests/compiler/test_compile.py"),
        ("autograd_lab/events.py", "tests/test_events.py"),
        ("autograd_lab/examples/miniature.py", "tests/examples/test_miniature.py"),
        ("tests/models.py", "tests/nn/test_models.py"),
        ("tests/view/test_png.py", "tests/view/test_png.py"),
        ("start.py", "tests/test_start.py"),
        ("docs/tiers.md", "tests/test_docs.py"),
    ],
)
def test_a_changed_file_has_the_tests_of_its_room_those_that_import_it_and_those_of_its_name(
    file: str, test: str
) -> None:
    assert test in check.chosen_for([file])


def test_every_room_whose_files_no_test_imports_has_its_tests_in_a_room_of_tests() -> None:
    files = [file.relative_to(check.ROOT) for file in sorted((check.ROOT / "autograd_lab").rglob("*.py"))]
    assert [str(file) for file in files if len(file.parts) > 2 and not of(file)] == []


def test_a_room_of_tests_is_called_like_what_it_tests_or_asks_of_the_whole() -> None:
    """It would be found neither by whoever changes a file nor by `check`."""
    of_the_whole = {
        "any_program",
        "bench",
        "browser",
        "databases",
        "differential",
        "release",
        "snippets",
        "stories",
        "torches",
    }
    tests = {Path(test).parent.relative_to("tests") for test in check.all_tests()}
    rooms = [room for room in sorted(tests) if room.parts and room.parts[0] not in of_the_whole]
    assert [str(room) for room in rooms if not (check.ROOT / "autograd_lab" / room).is_dir()] == []


def of(file: Path) -> set[str]:
    return check.in_the_room_of(file) | check.importing(check.module_of(file)) | check.named_after(file)


def test_the_examples_in_a_changed_modules_docstrings_are_run_but_no_program() -> None:
    assert "autograd_lab/nn/container.py" in check.chosen_for(["autograd_lab/nn/container.py"])
    assert "autograd_lab/examples/expression.py" not in check.chosen_for(["autograd_lab/examples/expression.py"])


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
