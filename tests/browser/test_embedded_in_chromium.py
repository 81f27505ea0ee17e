"""What nbconvert makes of an executed notebook, in a real Chromium, offline: players that step, and else pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from autograd_lab.display.embedded import html_of
from autograd_lab.display.script import run_source
from autograd_lab.recording.iterations.wanted import LAST

ROOT = Path(__file__).parents[2]
BLANK = 10.0
"""No picture is so even, as a standard deviation of 255."""
RECORDED = """import autograd_lab as torch
with torch.record() as trace:
    a = torch.tensor(2.0, requires_grad=True)
    (a * a).backward()  # </script><b id="out">
trace"""


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The HTML of a notebook that shows a trace, a player and a comparison."""
    cells = [new_code_cell(each) for each in (RECORDED, "torch.show(trace)", "torch.compare(trace, trace)")]
    notebook = new_notebook(cells=cells)
    with pytest.MonkeyPatch.context() as context:
        context.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    page = tmp_path_factory.mktemp("converted") / "notebook.html"
    page.write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    yield page


def opened(chromium: Any, page: Path, **options: Any) -> Any:
    opened = chromium.new_context(offline=True, viewport={"width": 1280, "height": 900}, **options).new_page()
    opened.goto(page.as_uri(), wait_until="commit")
    return opened


def pixels(shown: Any) -> Any:
    """What is seen of something once it does not change any more, as numbers from 0 to 255."""
    before, now = b"", shown.screenshot()
    while before != now:
        shown.page.wait_for_timeout(500)
        before, now = now, shown.screenshot()
    return np.asarray(Image.open(BytesIO(now)).convert("RGB"), dtype=float)


def test_the_players_in_it_step(chromium: Any, converted: Path) -> None:
    page = opened(chromium, converted)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    frames = page.locator(".autograd-lab-still iframe")
    frames.nth(2).wait_for()
    for number in range(3):
        frames.nth(number).scroll_into_view_if_needed()
        frame = frames.nth(number).content_frame
        player = frame.locator(".player, .both").first
        before = player.inner_text()
        player.press("Home")
        frame.get_by_text(re.compile("step [01] of")).first.wait_for()
        player.press("ArrowRight")
        frame.get_by_text("step 1 of").first.wait_for()
        assert player.inner_text() != before
    page.wait_for_timeout(300)  # in which the address would be written
    assert errors == []
    assert page.locator("#out").count() == 0
    page.context.close()


def covered(still: Any, frame: Any) -> Iterator[float]:
    """How much a frame changes of the picture behind it, of 255, again and again: on a busy machine both come late."""
    for _ in range(30):
        frame.evaluate("frame => frame.style.visibility = 'hidden'")
        without = pixels(still)
        frame.evaluate("frame => frame.style.visibility = ''")
        seen = without.std() > BLANK
        yield np.abs(pixels(still) - without).mean() if seen else np.inf
        still.page.wait_for_timeout(500)


def test_without_scripts_the_picture_is_seen(chromium: Any, converted: Path) -> None:
    text, scripts = converted.read_text("utf-8"), 'sandbox="allow-scripts"'
    assert scripts in text
    still_page = converted.with_name("without scripts.html")
    # a busy browser has begun with the scripts of a frame before it hears that there should be none
    still_page.write_text(text.replace(scripts, "sandbox"), "utf-8")
    page = opened(chromium, still_page, java_script_enabled=False)
    still = page.locator(".autograd-lab-still").first
    still.scroll_into_view_if_needed()
    frame = still.locator("iframe")
    frame.content_frame.locator("body *").first.wait_for(state="attached")  # while it is hidden, it would not load
    assert any(change < 1 for change in covered(still, frame))  # edges may be smoothed otherwise
    box = still.locator("img").bounding_box()
    assert box is not None and box["width"] > 600
    page.context.close()


TRAINING = """import autograd_lab as torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize("width", [390, 640, 1200])
def test_the_charts_of_a_training_loop_stand_in_one_row_that_a_frame_has_room_for(
    chromium: Any, tmp_path: Path, width: int
) -> None:
    trace = run_source(TRAINING, "train.py", ["train.py"], choice=LAST).trace
    page = tmp_path / "page.html"
    page.write_text(f'<body style="width: {width}px; margin: 0">{html_of(trace)}', encoding="utf-8")
    frame = opened(chromium, page).frame_locator("iframe")
    charts = frame.locator(f".course > {'.narrow' if width < 1000 else '.wide'} > svg")
    charts.first.wait_for()
    boxes = charts.evaluate_all("all => all.map(each => each.getBoundingClientRect().toJSON())")
    assert len(boxes) == 3
    assert len({round(box["top"]) for box in boxes}) == 1
    room = frame.locator("html").evaluate("page => innerHeight")
    assert max(box["bottom"] for box in boxes) <= room
