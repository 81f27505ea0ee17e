"""Questions in a player: nobody gets past one without an answer, by whatever way, with mouse or keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_lab.lessons.moments import expression
from autograd_lab.view.page import to_page
from autograd_lab.view.pages.film_question import Asked
from autograd_lab.view.scene import make_scene

LOCK = 17
ASKED = (
    Asked(
        "D1", "Which gradient goes to `c`?", ("1", "4", "<b>5</b>"), LOCK, 1, ("as it is", "the *other* factor", "own")
    ),
    Asked("D2", "What is `b.grad`?", ("4", "9"), LOCK + 4, 1, ("one way", "both ways")),
)


@pytest.fixture
def page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    file = tmp_path / "page.html"
    file.write_text(to_page(make_scene(expression()), "votes", ASKED), encoding="utf-8")
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    page.get_by_text(f"step {LOCK} of 26").wait_for()
    yield page
    context.close()
    assert complaints == []


def step(page: Any) -> int:
    return int(page.locator(".count").inner_text().split()[1])


@pytest.mark.parametrize("way", ["End", "last", "slider", "address", "line", "jump", "play"])
def test_no_way_leads_past_a_question(page: Any, way: str) -> None:
    match way:
        case "End":
            page.locator(".player").press("End")
        case "last":
            page.get_by_role("button", name="Last step").click()
        case "slider":
            page.get_by_role("slider", name="Step").fill("26")
        case "address":
            page.evaluate("location.hash = 'step=26'")
        case "line":
            for _ in range(12):
                page.locator("button.line").last.click()
        case "jump":
            for _ in range(9):
                page.get_by_role("button", name="Next of this kind").click()
        case "play":
            page.get_by_label("Speed").select_option("8")
            page.get_by_role("slider", name="Step").fill(str(LOCK - 1))
            page.get_by_role("button", name="Play").click()
            page.get_by_text("First answer this question").wait_for()
            page.get_by_role("button", name="Play").wait_for()
    page.get_by_text("First answer this question").wait_for()
    assert step(page) <= LOCK
    page.locator(".player").press("Home")
    assert step(page) == 0, "the way back is always free"


def test_a_page_opens_where_it_asks_first_and_presses_nobody(page: Any) -> None:
    assert step(page) == LOCK
    assert page.get_by_text("First answer this question").count() == 0


def test_a_prediction_is_committed_by_keys_alone_and_the_truth_stands_beside_it(page: Any) -> None:
    page.locator(".player").press("End")
    assert page.evaluate("document.querySelector('.autograd-lab').shadowRoot.activeElement.className") == "card"
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("radio", checked=True).count() == 0, "who steps on has not chosen"
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.get_by_text("Now say how sure you are").wait_for()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    assert page.locator(".outcome dl").inner_text().split("\n") == [
        "Your prediction",
        "C <b>5</b>, fairly sure",
        "The truth",
        "B 4 ≠ yours",
    ]
    assert page.locator(".outcome").inner_text().endswith("own")
    page.locator(".player").press("End")
    assert step(page) == LOCK + 4, "the next question holds"


def test_a_prediction_is_committed_by_mouse_and_texts_are_never_markup(page: Any) -> None:
    assert page.locator(".choices label").nth(2).inner_text().endswith("<b>5</b>")
    page.get_by_text("4", exact=True).first.click()
    page.get_by_role("button", name="Commit").click()
    page.get_by_text("Now say how sure you are").wait_for()
    page.get_by_text("certain").click()
    page.get_by_role("button", name="Commit").click()
    assert "B 4 ✓" in page.locator(".outcome").inner_text()
    page.get_by_role("button", name="Next question").click()
    page.get_by_role("button", name="Skip").click()
    page.locator(".player").press("End")
    assert step(page) == 26


def test_what_is_locked_is_told_neither_by_the_inspector_nor_by_the_timeline(page: Any) -> None:
    assert page.locator(".visit:visible").count() == page.locator(".stripe .mark:visible").count() == 0
    page.get_by_role("slider", name="Step").fill(str(LOCK))
    page.locator('[data-part="o2"]').click()
    assert page.locator(".inspector .future:visible").count() == 0
    assert page.locator(".inspector dl:visible").count() == 0
    for button in ("Skip", "Next question", "Skip"):
        page.get_by_role("button", name=button).click()
    assert page.locator(".visit:visible").count() == 5


def test_a_screen_reader_is_told_the_question_the_choices_and_what_came_of_it(page: Any) -> None:
    page.get_by_role("group", name="Which gradient goes to c?").get_by_role("radio").nth(2).wait_for()
    page.get_by_role("group", name="How sure are you?").wait_for()
    page.get_by_role("button", name="Skip").click()
    assert "skipped" in page.locator(".outcome[role=status]").inner_text()
