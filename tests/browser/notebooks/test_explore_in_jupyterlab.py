"""`explore` in a real JupyterLab: a control is moved, and the picture follows in the same player."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.lab import IDLE, open_notebook, write_notebook

PROGRAM = """
import itertools, time
runs = itertools.count(1)
def f(a, n=1, slow=False):
    print("run number", next(runs))
    time.sleep(0.4 * slow)
    y = a * 2
    for _ in range(n):
        y = torch.tanh(y + a)
    if a > 4:
        raise ValueError("too <b>large</b>")
    return y
e = torch.explore(f, a=(-5, 5), n=[1, 2], slow={slow})
e"""
OURS, THEIRS = "import autograd_lab as torch", "import torch, autograd_lab\ntorch.explore = autograd_lab.explore"
CORNERS = """() => {
  const parts = document.querySelector(".autograd-lab").shadowRoot.querySelectorAll("[data-part].card");
  const corner = ({x, y}) => [x, y];
  return Object.fromEntries([...parts].map(part => [part.dataset.part, corner(part.getBoundingClientRect())]));
}"""
"""Where cards stand on the screen."""
FRAMES = "async () => { for (let left = 24; left; left -= 1) await new Promise(requestAnimationFrame); }"
"""Some frames are drawn: a busy machine may draw none in the time in which another draws them."""


class Explored:
    """An explorer on a page."""

    def __init__(self, page: Any, lab: tuple[str, Path], name: str, start: str, slow: bool = False) -> None:
        address, folder = lab
        write_notebook(folder / name, start, PROGRAM.replace("{slow}", str(slow)))
        open_notebook(page, address, name)
        self.page = page
        self.player = page.locator(".jp-OutputArea-output .player").first
        self.player.wait_for()
        self.handle = page.locator(".jp-OutputArea-output .noUi-handle").first
        self.words = page.locator(".jp-OutputArea-output .widget-html-content").first

    def press(self, *keys: str) -> None:
        self.handle.focus()
        for key in keys:
            self.page.keyboard.press(key)
        self.wait_for(f"(a={self.handle.get_attribute('aria-valuenow')}")

    def said(self, part: str) -> str:
        return str(self.player.locator(f"[data-part='{part}']").text_content())

    def choose(self, value: str) -> None:
        """Choose another value of `n`."""
        self.page.locator(".jp-OutputArea-output select").first.select_option(value)
        self.wait_for(f"n={value}")

    def wait_for(self, argument: str) -> None:
        """Wait until a run with this argument is told of, which is done after it is shown."""
        self.page.locator(".jp-OutputArea-output .widget-html-content", has_text=argument).first.wait_for()

    def corners(self) -> dict[str, list[int]]:
        """Where cards stand on the screen, once they do not move any more."""
        before, now = {}, dict(self.page.evaluate(CORNERS))
        while before != now:
            self.page.evaluate(FRAMES)
            before, now = now, dict(self.page.evaluate(CORNERS))
        return {part: [round(each) for each in corner] for part, corner in now.items()}


@pytest.mark.parametrize(("world", "start"), [("ours", OURS), ("theirs", THEIRS)], ids=["ours", "theirs"])
def test_arrow_keys_on_a_slider_change_the_picture_where_it_stands(
    lab: tuple[str, Path], page: Any, world: str, start: str
) -> None:
    if world == "theirs":
        pytest.importorskip("torch")
    explored = Explored(page, lab, f"explore_{world}.ipynb", start)
    explored.press("ArrowRight")
    before = explored.corners()
    explored.press("ArrowRight", "ArrowRight")
    assert "0.3" in explored.said("b0")
    assert explored.corners() == before
    explored.player.press("Home")
    for _ in range(4):
        explored.player.press("ArrowRight")
    count = explored.player.locator(".count").inner_text()
    explored.press("ArrowRight")
    assert explored.player.locator(".count").inner_text() == count != ""
    assert "0.4" in explored.said("b0")


def test_dragging_and_another_choice_change_it_too_and_what_stays_stays(lab: tuple[str, Path], page: Any) -> None:
    explored = Explored(page, lab, "explore_drag.ipynb", OURS)
    explored.corners()  # where the slider stands is right only when nothing above it grows any more
    box = explored.handle.bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + 8, steps=6)
    page.mouse.up()
    expect(explored.words).not_to_contain_text("f(a=0.0")
    page.wait_for_function(IDLE)
    seen = []
    for turns in ("2", "1", "2", "1"):
        explored.choose(turns)
        seen.append(explored.corners())
    assert seen[0].keys() != seen[1].keys()
    for again, first in ((seen[2], seen[0]), (seen[3], seen[1])):
        assert again.keys() == first.keys()
        assert all(again[name] == pytest.approx(first[name], abs=1) for name in first)  # halves of a px are rounded


def test_an_error_is_put_into_words_and_the_player_lives_on(lab: tuple[str, Path], page: Any) -> None:
    explored = Explored(page, lab, "explore_error.ipynb", OURS)
    explored.press("End")
    assert "ValueError: too <b>large</b>" in explored.words.inner_text()
    assert explored.player.locator(".phase-name").inner_text() == "Stopped by an error"
    explored.press("Home")
    assert "f(a=-5.0" in explored.words.inner_text()
    assert explored.player.locator(".phase-name").inner_text() == "After backward"


def test_runs_of_a_slow_function_do_not_queue_up(lab: tuple[str, Path], page: Any) -> None:
    explored = Explored(page, lab, "explore_slow.ipynb", OURS, slow=True)
    explored.press(*["ArrowRight"] * 20)
    page.get_by_text("f(a=2.0, n=1, slow=True)").wait_for()
    [printed] = page.get_by_text(re.compile(r"^run number \d+")).all_inner_texts()
    assert 2 <= int(printed.split()[-1]) < 10
