"""The tour for whoever opens a page for the first time, in a real Chromium: short, out of the way, and never again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograd_lab.view.page import page_in_frame, page_to_present
from autograd_lab.view.scene import make_scene
from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener
from tests.browser.test_page_in_chromium import example

BY_HAND = "Object.defineProperty(Navigator.prototype, 'webdriver', {get: () => false})"
"""Have a page believe that nobody drives the browser."""
PLACES = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  return [".tour", ".pointed"].map(name => {
    const {left, top, right, bottom} = root.querySelector(name).getBoundingClientRect();
    return [left, top, right, bottom];
  });
}"""
"""Where the words of the tour are, and what they point at: left, top, right, bottom."""


def toured(open_page: Opener, name: str = "expression", **options: Any) -> Any:
    """A page that was asked to show somebody around."""
    page = open_page(example(name), "", **options)
    page.goto(page.url.split("#")[0] + "?tour")
    page.get_by_role("dialog").wait_for()
    return page


@pytest.mark.parametrize("size", [(1366, 768), (1920, 1080), (1024, 768), (390, 844)])
@pytest.mark.parametrize("name", ["expression", "mlp"])
def test_it_points_at_five_things_and_covers_none_of_them(open_page: Opener, name: str, size: tuple[int, int]) -> None:
    width, height = size
    page = toured(open_page, name, viewport={"width": width, "height": height})
    for number in range(1, 6):
        assert page.get_by_role("dialog").get_attribute("aria-label") == f"Tour, {number} of 5"
        said, target = page.evaluate(PLACES)
        assert said[0] >= 0 and said[1] >= 0 and said[2] <= width and said[3] <= height
        assert said[3] <= target[1] or said[1] >= target[3] or said[2] <= target[0] or said[0] >= target[2], number
        page.keyboard.press("Enter")
    assert page.get_by_role("dialog").count() == 0


def test_it_is_shown_the_first_time_and_never_again(open_page: Opener) -> None:
    page = open_page(example("expression"), "")
    page.context.add_init_script(BY_HAND)
    page.reload()
    page.get_by_role("dialog", name="Tour, 1 of 5").wait_for()
    page.reload()
    page.get_by_role("status").wait_for()
    page.wait_for_timeout(300)
    assert page.get_by_role("dialog").count() == 0


@pytest.mark.parametrize("fragment", ["step=3", "step=8&view=maths"])
def test_who_comes_by_a_link_to_a_step_sees_that_step(open_page: Opener, fragment: str) -> None:
    page = open_page(example("expression"), fragment)
    page.context.add_init_script(BY_HAND)
    page.reload()
    page.get_by_role("status").wait_for()
    page.wait_for_timeout(300)
    assert page.get_by_role("dialog").count() == 0


def test_where_nothing_can_be_remembered_it_is_shown_all_the_same(open_page: Opener) -> None:
    page = open_page(example("expression"), "")
    forgets = "Object.defineProperty(window, 'localStorage', {get: () => { throw new Error('refused'); }})"
    page.context.add_init_script(BY_HAND + ";" + forgets)
    page.reload()
    page.get_by_role("dialog", name="Tour, 1 of 5").wait_for()
    page.get_by_role("button", name="Skip").click()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("dialog").count() == 0


def test_it_is_skipped_by_escape_and_then_the_keys_are_the_films(open_page: Opener) -> None:
    page = toured(open_page)
    focused = "() => document.querySelector('.autograd-lab').shadowRoot.activeElement"
    assert page.evaluate(f"({focused})().textContent") == "Next (1 of 5)"
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    assert page.evaluate(f"({focused})().classList.contains('player')")
    page.keyboard.press("ArrowRight")
    assert page.locator(".count").inner_text() == "step 9 of 26"


def test_the_film_goes_on_during_the_tour_and_the_pointer_goes_along(open_page: Opener) -> None:
    page = toured(open_page, reduced_motion="reduce")
    page.keyboard.press("Enter")
    before = page.evaluate(PLACES)[1]
    page.keyboard.press("End")
    assert page.locator(".count").inner_text() == "step 26 of 26"
    page.keyboard.press("Home")
    for _ in range(14):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(PLACES)[1] != before


def test_neither_a_frame_of_a_notebook_nor_a_presenter_shows_it(open_page: Opener, tmp_path: Path) -> None:
    scene = make_scene(example("expression"))
    page = open_page(scene, "")
    page.context.add_init_script(BY_HAND)
    framed, wall = tmp_path / "framed.html", tmp_path / "wall.html"
    framed.write_text('<iframe sandbox="allow-scripts" width="900" height="620"></iframe>', encoding="utf-8")
    page.goto(framed.as_uri())
    page.evaluate("text => document.querySelector('iframe').srcdoc = text", page_in_frame(scene))
    inside = page.frame_locator("iframe")
    inside.get_by_role("status").wait_for()
    wall.write_text(page_to_present(scene), encoding="utf-8")
    page.wait_for_timeout(300)
    assert inside.get_by_role("dialog").count() == 0
    assert inside.get_by_role("button", name="Share").count() == 0, "a sandbox refuses clipboard and downloads"
    page.goto(wall.as_uri())
    page.locator(".autograd-lab").wait_for()
    page.wait_for_timeout(300)
    assert page.locator(".tour").count() == 0


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of_in_the_tour(open_page: Opener, scheme: str) -> None:
    page = toured(open_page, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    for _ in range(5):
        assert complaints(page) == []
        page.keyboard.press("Enter")
