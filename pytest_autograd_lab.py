"""The plugin of pytest: fixtures for tests of models, and `--autograd-report`, a page of each test that fails.

It stands beside the package, which it imports only when it is asked for something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from autograd_lab.trace import Trace

NAME = "autograd_lab"
TRACE: pytest.StashKey[Trace] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup(NAME, "gradients").addoption(
        "--autograd-report",
        metavar="FOLDER",
        type=Path,
        help="record each test, and write a page and a picture of each that fails into this folder",
    )


@pytest.fixture
def assert_gradients_flow() -> Callable[..., None]:
    """`assert_gradients_flow(model, loss)`: each parameter gets a gradient."""
    from autograd_lab.testing import assert_gradients_flow

    return assert_gradients_flow


@pytest.fixture
def no_graph_leak() -> Callable[..., Any]:
    """`with no_graph_leak():` the graphs that are made inside are gone in the end."""
    from autograd_lab.testing import no_graph_leak

    return no_graph_leak


@pytest.fixture
def autograd_trace() -> Iterator[Trace]:
    """What the test's tensors do, as a trace: for assertions on its events, and for `draw`."""
    from autograd_lab import record

    with record() as trace:
        yield trace


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Record the test, if a report is wanted: of a long one the last iteration. The traceback of one that fails is as
    without that."""
    if item.config.getoption("--autograd-report") is None:
        return (yield)
    from autograd_lab import record
    from autograd_lab.display.tracebacks import users_frames

    with record("last") as item.stash[TRACE]:
        try:
            return (yield)
        except BaseException as error:
            error.__traceback__ = users_frames(error.__traceback__)
            raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write the page and the picture of a test that has failed, and say where they are."""
    report = yield
    trace = item.stash.get(TRACE, None)
    if trace is not None and report.when == "call" and report.failed:
        folder = item.config.getoption("--autograd-report")
        report.sections.append((NAME, _written(trace, folder / _file_name(item.nodeid))))
    return report


def _file_name(nodeid: str) -> str:
    return re.sub(r"[^\w.=-]+", "-", nodeid).strip("-.")[-120:]


def _written(trace: Trace, stem: Path) -> str:
    """Where the page is, and what is wrong with the run; or why there is none."""
    from autograd_lab import diagnose, draw
    from autograd_lab.display.cut import cut_told, whole_if_short
    from autograd_lab.findings.finding import told

    trace = whole_if_short(trace)

    page = stem.with_name(f"{stem.name}.html")
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        trace.save(page)
        draw(trace, stem.with_name(f"{stem.name}.png"))
        said = [f"{page.resolve().as_uri()}"]
    except (OSError, ValueError, RuntimeError) as error:  # a report that cannot be written is no reason to fail
        said = [f"no page: {error}"]
    said += filter(None, [cut_told(trace, failed=True)])
    return "\n\n".join([*said, *map(told, diagnose(trace))])
