"""What all tests share: the wish to run without PyTorch, and an honest count of what that left out."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import settings

os.environ.setdefault("AUTOGRAD_LAB_STRICT", "1")  # what would be shown as unknown is a mistake to be found
if os.environ.get("AUTOGRAD_LAB_WITHOUT_TORCH"):
    sys.modules["torch"] = None  # type: ignore[assignment]  # from here on, `import torch` finds nothing

WANTED = {"lightning": "lightning", "hugging_face": "transformers"}
"""Callbacks for trainers, and the library without which none can be imported, not even to look for examples in it."""
collect_ignore = [f"autograd_lab/trainers/{name}.py" for name, library in WANTED.items() if find_spec(library) is None]

LONGEST = ("tests/lessons/test_nbgrader.py", "tests/lessons/test_running.py")
COUNT = "skipped for want of torch"
WANTING = ("could not import 'torch'", "could not import 'torch.", "unable to import module")
left_out = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes is begun first: begun last, it would hold up the tests that wait behind it in one worker."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """What there is before the first test is nobody's garbage: `gc.collect()` would take half a second to find that."""
    gc.collect()
    gc.freeze()


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
