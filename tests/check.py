"""What to do before a commit: lint, format, types, and the tests of what changed. `python3 start.py check` runs this.

Changed is what differs from where this branch left `main`, and what is not committed yet. Its tests are

- a test file that changed itself, and the examples in the docstrings of a module that changed;
- the test files of its room: tests/view/layout/ for autograd_lab/view/layout/stairs.py, and, as there is no
  tests/engine/core/, tests/engine/ for autograd_lab/engine/core/node.py;
- the test files that import a changed file, themselves or through another file of tests/;
- those named after it, wherever they are, and for a file of another folder than autograd_lab/ after that folder;
- tests/test_architecture.py, always.

Tests in browsers (tests/browser/) are left out, unless they change themselves. What uses a module only through
`import autograd_lab` is not found so, and a conftest.py is for all tests: `python3 start.py test` runs them.
`--since COMMIT` takes another commit than the one where this branch left main, such as HEAD.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
ALWAYS = "tests/test_architecture.py"
PROGRAMS = {"examples", "scripts", "source"}
"""Folders of programs: to import one is to run it."""
SLOW = "tests/browser/"
"""Tests in real browsers take minutes, and are run when they change themselves."""
BRANCHES = ("main", "origin/main")
CHECKS = {
    "ruff check .": "ruff check --fix . puts some of it right",
    "ruff format --check .": "ruff format . puts it right",
    "mypy": "",
}
"""What is run over all files, and what to do when it fails."""


def main(words: list[str]) -> int:
    """Run it all, whatever fails; these words go to pytest. Exits with 1 and says what failed."""
    parser = argparse.ArgumentParser("python3 start.py check", allow_abbrev=False)
    parser.add_argument("--since", metavar="COMMIT", help="default: where this branch left main")
    asked, for_pytest = parser.parse_known_args(words)
    files = changed(asked.since)
    tests = chosen_for(files)
    pytest = " ".join(["pytest -q", *for_pytest, *tests])
    failed = [f"{check}; {remedy}" if remedy else check for check, remedy in CHECKS.items() if not passes(check)]
    print(f"{len(files)} files changed, {len(tests)} files with tests of them.", flush=True)
    if not passes(pytest):
        failed.append("pytest")
    print(*(f"check: failed: {what}" for what in failed), *([] if failed else ["check: all is well"]), sep="\n")
    return bool(failed)


def passes(command: str) -> bool:
    """Whether it succeeds; it is shown before what it says."""
    print(f"$ {command}", flush=True)
    return subprocess.call([sys.executable, "-m", *command.split()], cwd=ROOT) == 0


def changed(since: str | None = None) -> list[str]:
    """The files that differ from where this branch left main, or are new, as paths in this repository."""
    left = next((commit for branch in BRANCHES if (commit := git("merge-base", "HEAD", branch))), ["HEAD"])
    named = git("diff", "--name-only", *([since] if since else left)) + git(
        "ls-files", "--others", "--exclude-standard"
    )
    return sorted(name for name in named if (ROOT / name).exists())


def git(*words: str) -> list[str]:
    """The lines that git says; none where it fails, as outside a repository."""
    try:
        said = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        return []
    return said.stdout.splitlines() if said.returncode == 0 else []


def chosen_for(files: list[str]) -> list[str]:
    """What pytest is to run when these have changed."""
    chosen = {ALWAYS, *(test for file in files for test in chosen_for_one(Path(file)))}
    return sorted(test for test in chosen if test in files or not test.startswith(SLOW))


def chosen_for_one(file: Path) -> set[str]:
    """
    >>> sorted(chosen_for_one(Path("autograd_lab/optim/sgd.py")))[0]
    'autograd_lab/optim/sgd.py'
    """
    if is_test(file):
        return {file.as_posix()}
    if file.parts[0] == "tests":
        return importing(module_of(file))
    found = in_the_room_of(file) | importing(module_of(file)) | named_after(file)
    examples = file.suffix == ".py" and file.parts[0] == "autograd_lab" and not PROGRAMS & {*file.parts}
    return found | {file.as_posix()} if examples else found


def is_test(file: Path) -> bool:
    return file.parts[0] == "tests" and file.name.startswith("test_") and file.suffix == ".py"


def in_the_room_of(file: Path) -> set[str]:
    """The test files in the folder of tests/ that is called as the file's, or as the nearest folder above that has one.

    >>> {Path(test).parent.as_posix() for test in in_the_room_of(Path("autograd_lab/view/layout/layered/ranks.py"))}
    {'tests/view/layout'}
    """
    if file.parts[0] != "autograd_lab":
        return set()
    rooms = (Path("tests", *folder.parts[1:]) for folder in file.parents if len(folder.parts) > 1)
    room = next((room.as_posix() for room in rooms if (ROOT / room).is_dir()), None)
    return {test for test in all_tests() if test.rpartition("/")[0] == room}


def named_after(file: Path) -> set[str]:
    """The test files that go by the name of a file, or of a folder that it is in outside the package.

    >>> sorted(named_after(Path("start.py")) | named_after(Path("docs/learners.md")))
    ['tests/test_docs.py', 'tests/test_start.py']
    """
    names = {file.stem} if file.parts[0] == "autograd_lab" else {*file.with_suffix("").parts}
    wanted = {f"test_{name}.py" for name in names}
    return {test for test in all_tests() if test.rpartition("/")[2] in wanted}


def importing(module: str) -> set[str]:
    """The test files that import a module, themselves or through another file of tests/.

    >>> "tests/test_check.py" in importing("tests.check")
    True
    """
    return {test for test in all_tests() if module in imports_of(ROOT / test)}


@cache
def all_tests() -> tuple[str, ...]:
    return tuple(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests").rglob("test_*.py")))


@cache
def imports_of(path: Path) -> frozenset[str]:
    """The dotted names that a file of tests/ imports, and those that files of tests/ do which it imports."""
    own = {name for node in ast.walk(ast.parse(path.read_text("utf-8"))) for name in names_in(node)}
    helping = [ROOT / f"{name.replace('.', '/')}.py" for name in own if name.startswith("tests.")]
    return frozenset(own).union(*(imports_of(file) for file in helping if file.is_file() and file != path))


def names_in(node: ast.AST) -> Iterator[str]:
    """
    >>> [*names_in(ast.parse("from autograd_lab.view import svg").body[0])]
    ['autograd_lab.view', 'autograd_lab.view.svg']
    """
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_of(file: Path) -> str:
    """
    >>> module_of(Path("autograd_lab/nn/__init__.py"))
    'autograd_lab.nn'
    """
    path = file.relative_to(ROOT) if file.is_absolute() else file
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
