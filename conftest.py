"""What all tests share: the wish to run without PyTorch, and an honest count of what that left out."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

os.environ.setdefault("AUTOGRAD_LAB_STRICT", "1")  # what would be shown as unknown is a mistake to be found
if os.environ.get("AUTOGRAD_LAB_WITHOUT_TORCH"):
    sys.modules["torch"] = None  # type: ignore[assignment]  # from here on, `import torch` finds nothing

WANTED = {"lightning": "lightning", "hugging_face": "transformers"}
"""Callbacks for trainers, and the library without which none can be imported, not even to look for examples in it."""
collect_ignore = [f"autograd_lab/trainers/{name}.py" for name, library in WANTED.items() if find_spec(library) is None]

LONGEST = (
    "tests/browser/test_site_in_chromium.py",
    "tests/lessons/test_running.py",
    "tests/browser/test_page_in_chromium.py",
    "tests/browser/test_hub.py",
    "tests/browser/test_fit_in_chromium.py",
    "tests/lessons/test_languages.py",
    "tests/any_program/test_any_program.py",
    "tests/test_sources.py",
    "tests/browser/notebooks/",
    "tests/commands/test_compare.py",
    "tests/view/movie/test_movie.py",
    "tests/commands/test_cli.py",
    "tests/findings/test_healthy.py",
    "tests/lessons/test_nbgrader.py",
    "tests/browser/test_comparison_in_chromium.py",
    "tests/view/pages/test_player.py",
    "tests/browser/",
    "tests/recording/iterations/test_iterations.py",
    "tests/torch_bridge/test_watching.py",
    "tests/databases/test_databases.py",
    "tests/commands/test_browser.py",
    "tests/differential/test_differential.py",
    "tests/trainers/test_watch.py",
    "tests/stories/test_stories.py",
    "tests/display/test_in_a_kernel.py",
)
"""Files that take half a minute or wait as long, the longest first."""
COUNT = "skipped for want of torch"
WANTING = ("could not import 'torch'", "could not import 'torch.", "unable to import module")
left_out = pytest.StashKey[set[str]]()
file_begun = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    from autograd_lab import set_warn_always  # not before PyTorch is hidden from it

    set_warn_always(True)  # as tests that compare warnings have it in PyTorch: they run in one process
    config.stash[left_out] = set()
    if (
        find_spec("torch") is None
    ):  # the examples of what is built on it, as of torch_bridge/, are left out and counted, too
        config.option.doctest_ignore_import_errors = True


class Witness:
    """Hears of every skip, in this process and, through pytest-xdist's workers, in the others."""

    def __init__(self, config: pytest.Config) -> None:
        self.names = config.stash[left_out]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.hear(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.hear(report)

    def hear(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if report.skipped and any(reason in str(report.longrepr) for reason in WANTING):
            self.names.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        self.names.update(getattr(node, "workeroutput", {}).get(COUNT, ()))


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart(session: pytest.Session) -> Iterator[None]:
    session.config.pluginmanager.register(Witness(session.config))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[list[pytest.Collector]]:
    """Examples have a prompt. To look for them in all objects of a file without one takes each worker its time."""
    found = yield
    if any(isinstance(each, DoctestModule) for each in found) and ">>>" not in file_path.read_text("utf-8"):
        return [each for each in found if not isinstance(each, DoctestModule)]
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where each worker takes a file at a time, a long one that is begun last would keep all others waiting."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    return next((place for place, name in enumerate(LONGEST) if item.nodeid.startswith(name)), len(LONGEST))


def pytest_collection_finish() -> None:
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What is there before the first test of a file is nobody's garbage: to find that takes `gc.collect()` a second."""
    if item.config.stash.get(file_begun, None) != item.path:
        item.config.stash[file_begun] = item.path
        gc.collect()
        gc.freeze()
    if (handles := sys.modules.get("autograd_lab.engine.modes.handles")) is not None:
        handles.ever_used = handles.asked = False  # as in a program of its own, where others have no hooks


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[COUNT] = sorted(session.config.stash[left_out])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    names = sorted(config.stash[left_out])
    if names:
        what = "test modules and tests" if any("::" in name for name in names) else "test modules"
        terminalreporter.write_line(f"{len(names)} {what} skipped: real PyTorch is not installed", yellow=True)
        for name in names:
            terminalreporter.write_line(f"  {name}")


settings.register_profile("desk", deadline=None)  # a busy machine is no failure
settings.register_profile("ci", derandomize=True, print_blob=True, deadline=None)  # the same examples each time
settings.load_profile("ci" if os.environ.get("CI") else "desk")
