"""The site, built as its command builds it: every link leads somewhere, and nothing is asked of another host."""

from __future__ import annotations

import fcntl
import functools
import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from autograd_lab.classroom.demos.demo import BUNDLED
from autograd_lab.findings.kinds import KINDS

TimeoutError = pytest.importorskip("playwright.sync_api").TimeoutError

PATIENCE = 1700
"""How long the site may take, s: on a machine that does much beside it takes several times as long as alone."""
pytestmark = pytest.mark.timeout(PATIENCE + 100)
ROOT = Path(__file__).parents[2]
NEEDED = ("sphinx", "furo", "myst_parser", "jupyterlite_core", "jupyterlite_pyodide_kernel")
if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None] or (
    not shutil.which("npm") and ["npm"]
):
    pytest.skip(f"the site cannot be built without {', '.join(missing)}", allow_module_level=True)


class Files(http.server.SimpleHTTPRequestHandler):
    """A host that serves files and does no more."""

    extensions_map: ClassVar[dict[str, str]] = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *said: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once for all workers, which share the folder above their own; the others wait for the one that builds."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "_site"
    done = folder.with_name("_site is built")
    with (ROOT / "docs" / "conf.py").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            command = [sys.executable, "-m", "docs.site", "--brief", "-o", folder]
            built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
            assert built.returncode == 0, built.stderr
            done.touch()
    return folder


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


def test_links_and_pictures_of_the_guide_are_there_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = [*site.glob("*.html"), *site.glob("api/*.html"), *site.glob("mistakes/*.html")]
    assert {"index.html", "learners.html", "teachers.html", "tiers.html", "extending.html"} <= {p.name for p in pages}
    for page in pages:
        text = page.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|link)\b[^>]*?\b(?:src|href)="([^"]+)"', text)
        assert [url for url in loaded if url.startswith(("http", "//"))] == []
        followed = [
            url for url in re.findall(r'<a\b[^>]*?\bhref="([^"]+)"', text) if not re.match("https?:|mailto:", url)
        ]
        for url in {url.partition("#")[0].partition("?")[0] for url in [*loaded, *followed]} - {""}:
            assert url.startswith("data:") or (page.parent / url).exists(), f"{page.name} leads to {url}"


def test_every_kind_of_finding_has_its_page_and_a_mistake_opens_at_its_moment(chromium: Any, site: Path) -> None:
    assert all((site / "mistakes" / f"{kind}.html").is_file() for kind in KINDS)
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto((site / "mistakes" / "index.html").as_uri())
    page.get_by_role("link", name="backward() is called twice").click()
    assert page.url.endswith("/mistakes/second-backward.html#second-backward")
    part = page.locator("section", has=page.get_by_role("heading", name="backward() is called twice", level=2)).last
    assert "RuntimeError: Trying to backward through the graph a second time" in part.inner_text()
    assert part.get_by_role("img").get_attribute("alt")
    part.get_by_role("link", name="Play the program").click()
    page.get_by_role("status").wait_for()
    assert page.locator(".phase-name").inner_text() == "Stopped by an error"
    page.close()


def test_answers_are_not_on_the_site(site: Path) -> None:
    for name in BUNDLED:
        assert sorted(path.name for path in (site / "demos" / name).iterdir()) == [
            "index.html",
            "strip.png",
            "trace.jsonl",
        ]


@pytest.fixture
def notebooks(chromium: Any, address: str) -> Iterator[Any]:
    """A page for the notebooks of the site, with every other host shut."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    elsewhere: list[str] = []
    context.route(
        lambda url: not url.startswith((address, "data:", "blob:")),
        lambda route: (elsewhere.append(route.request.url), route.abort()),
    )
    yield context.new_page()
    context.close()
    assert elsewhere == []


def run_all(page: Any, shown: Any) -> None:
    """Run all cells until something is shown. Now and then JupyterLite starts no kernel: then load the page anew."""
    for patience in (100_000, 100_000):
        try:
            _run_all(page)
            return shown.wait_for(timeout=patience)
        except TimeoutError:
            page.reload()
    _run_all(page)
    shown.wait_for(timeout=100_000)


def _run_all(page: Any) -> None:
    """Once the kernel waits: JupyterLab forgets cells that are run while it still looks for one."""
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=60_000)
    page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").first.wait_for(timeout=60_000)
    page.locator(".jp-Notebook").click(position={"x": 5, "y": 5})
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def test_a_demo_plays_in_a_notebook_in_the_browser_with_every_other_host_shut(notebooks: Any, address: str) -> None:
    """Also here, where no numpy for Pyodide can be had."""
    notebooks.goto(f"{address}/index.html")
    way = notebooks.get_by_role("link", name="Open the notebooks in this browser").get_attribute("href")
    notebooks.goto(f"{address}/{way}")  # where other hosts are shut, Playwright lets no click past a page with a frame
    player = notebooks.get_by_role("group", name="Player: What arrives at b?")
    run_all(notebooks, player)
    count = player.locator(".count")
    opened = count.inner_text()
    player.get_by_role("button", name="Step back").click()
    player.locator(".count", has_not_text=opened).wait_for()


def test_a_lessons_graph_is_stepped_through_without_numpy(notebooks: Any, address: str) -> None:
    notebooks.goto(f"{address}/lessons.html")
    assert notebooks.locator("a[href^='lessons/L']").count() == 21
    notebooks.get_by_role("link", name="Backward, one node at a time").click()
    notebooks.get_by_role("status").wait_for()
    notebooks.keyboard.press("End")
    assert notebooks.locator(".phase-name").inner_text() == "After backward"
    assert "9.0" in (notebooks.locator("[data-part='b1']").text_content() or "")


def test_the_first_cell_of_a_lesson_says_what_is_missing_where_there_is_no_numpy(notebooks: Any, address: str) -> None:
    notebooks.goto(f"{address}/lite/lab/index.html?path=04_fan_out.ipynb")
    run_all(notebooks, notebooks.get_by_text("lessons can be read here, but do not run").first)
