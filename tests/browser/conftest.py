"""A Chromium for the tests, and a page in it that must stay without errors and without requests.

Without Chromium or Playwright these tests are left out, unless AUTOGRAD_LAB_BROWSER is set: then they have to run.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_lab.display.variation import Variation
from autograd_lab.findings.diagnosis import aside
from autograd_lab.trace import Trace
from autograd_lab.view.compare.both import Both
from autograd_lab.view.page import page_of_both, page_of_runs, to_page
from autograd_lab.view.scene import Scene, make_scene
from tests.browser.lab import jupyter

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Chromium without its windows comes first: it opens a page in half the time."""
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
QUIET = ["quic", "background-networking", "component-update", "sync", "gpu"]
"""What Chromium has to leave alone, so that it asks nobody for anything."""
ARGUMENTS = ["--no-first-run", "--font-render-hinting=none", *(f"--disable-{what}" for what in QUIET)]
"""How it is started; without hinting, a text is as wide without windows as with them."""

NOT_OURS = ["Shared module @jupyterlite", "reading 'schema'"]
"""What JupyterLab and Notebook 7 complain of by themselves: an extension for JupyterLite, a missing setting."""

READY = CHROMIUM is not None and importlib.util.find_spec("playwright") is not None
MISSING = [name for name in ("jupyterlab", "notebook", "marimo") if importlib.util.find_spec(name) is None]
if os.environ.get("AUTOGRAD_LAB_BROWSER"):
    assert READY, "AUTOGRAD_LAB_BROWSER is set, but Chromium or Playwright is missing"
    assert not MISSING, f"AUTOGRAD_LAB_BROWSER is set, but not there: {', '.join(MISSING)}"
collect_ignore_glob = [f"test_*_in_{name}.py" for name in MISSING] if READY else ["test_*_in_*.py"]


def pytest_report_header() -> str:
    return "" if READY else "no Chromium or no Playwright: nothing is tried in a browser"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


Opener = Callable[..., Any]


MADE: dict[tuple[int, str | None], tuple[object, str]] = {}
"""Pages by what they show, which is kept with them: many tests look at the same one."""


def html_of(shown: Trace | Scene | Both | Variation | str, title: str | None) -> str:
    """The page of something; that of the same thing is made once."""
    key = id(shown), title
    if key not in MADE:
        MADE[key] = shown, _made(shown, title)
    return MADE[key][1]


def _made(shown: Trace | Scene | Both | Variation | str, title: str | None) -> str:
    if isinstance(shown, str):
        return shown
    if isinstance(shown, Trace):
        return to_page(make_scene(shown), title, findings=aside(shown))
    if isinstance(shown, Variation):
        return page_of_runs(shown.home, shown.film())
    return page_of_both(shown) if isinstance(shown, Both) else to_page(shown, title)


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Opener]:
    """Opens a page, or that of a trace, laid out or not, of two, or of many runs, from the disk, offline; at the end
    nothing must have gone wrong or been asked for."""
    complaints: list[str] = []
    requests: list[str] = []
    contexts = []

    def open_(
        shown: Trace | Scene | Both | Variation | str,
        fragment: str = "step=0",
        title: str | None = None,
        **options: Any,
    ) -> Any:
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(html_of(shown, title), encoding="utf-8")
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, "offline": True, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{file.as_uri()}#{fragment}")
        if options.get("java_script_enabled", True):
            page.get_by_role("status").first.wait_for(state="attached")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith("file:")] == []


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a JupyterLab, and the folder that it shows."""
    folder = tmp_path_factory.mktemp("lab")
    with jupyter(folder) as address:
        yield address, folder


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page that must ask nobody but this computer for anything, and in which none of our code must fail."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    foreign: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: foreign.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert [url for url in foreign if not url.startswith(("http://127.0.0.1", "data:", "blob:", "ws:"))] == []
    assert [text for text in complaints if not any(words in text for words in NOT_OURS)] == []
