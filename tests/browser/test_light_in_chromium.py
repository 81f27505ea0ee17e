"""What one points at in the player, in a real Chromium: what belongs to it is lit, and where it comes from is told."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from tests.browser.conftest import Opener

LIT = "all => all.filter(line => line.classList.contains('lit')).map(line => line.querySelector('.number').textContent)"
PALE = """parts => parts.filter(part => +getComputedStyle(part).opacity < 1).map(part => part.dataset.part)
  .filter(id => !id.endsWith('?'))"""
ALL = "parts => parts.filter(part => part.getClientRects().length).map(part => part.dataset.part)"


def example(name: str) -> Trace:
    return run_script(find_script(name)).trace


def at_the_end(open_page: Opener, name: str = "expression", **options: Any) -> Any:
    return open_page(example(name), "step=999", reduced_motion="reduce", **options)


def lit_lines(page: Any) -> list[str]:
    return page.locator(".code .line").evaluate_all(LIT)  # type: ignore[no-any-return]


def pale(page: Any) -> set[str]:
    return set(page.locator("svg.graph [data-part]").evaluate_all(PALE))


def ticks(page: Any) -> int:
    return (page.locator(".ticks").get_attribute("d") or "").count("M")


def test_pointing_at_a_gradient_lights_the_paths_by_which_it_came_with_their_factors(open_page: Opener) -> None:
    page = at_the_end(open_page)
    page.locator("[data-part=b1]").hover()
    page.locator(".light .sum").wait_for()
    assert page.locator(".light .sum").text_content() == "b.grad = 1·4 + 1·5 = 9"
    assert sorted(page.locator(".light .factor").all_text_contents()) == ["×1", "×1", "×4", "×5"]
    assert pale(page) == {"b0", "b0-o0", "b0-o0#"}
    assert lit_lines(page) == ["6"] and ticks(page) == 5
    assert page.locator(".count").inner_text() == "step 26 of 26"
    page.mouse.move(2, 2)
    page.locator(".light .sum").wait_for(state="detached")
    assert (pale(page), lit_lines(page), ticks(page)) == (set(), [], 0)


def test_what_was_stopped_is_lit_with_all_else_in_sight_since_its_culprit_may_be_anywhere(open_page: Opener) -> None:
    page = at_the_end(open_page, "inplace")
    page.locator(".graph .card.failed").click()
    page.locator(".light").locator("*").first.wait_for(state="attached")
    assert pale(page) == set()


def test_what_is_selected_stays_lit_until_another_step_is_seen(open_page: Opener) -> None:
    page = at_the_end(open_page)
    page.locator("[data-part=b0]").click()
    page.mouse.move(2, 2)
    page.locator(".light .sum").wait_for()
    assert {"b1", "o1", "o1-o2"} <= pale(page)
    page.keyboard.press("ArrowDown")
    assert page.locator(".light .sum").text_content() == "b.grad = 1·4 + 1·5 = 9"
    page.keyboard.press("ArrowLeft")
    assert pale(page) == set() and page.locator(".light > *").count() == 0


def test_the_ways_go_on_through_what_a_card_hides(open_page: Opener) -> None:
    page = at_the_end(open_page, "mlp")
    page.locator("svg.graph .leaf[data-part]").filter(has_text="w1").hover()
    page.locator(".light .sum").wait_for()
    told = page.locator("svg.graph .card[data-part]").filter(has_text="loss")
    assert told.get_attribute("data-part") not in pale(page)
    assert page.locator("svg.graph .leaf[data-part]").filter(has_text="w2").get_attribute("data-part") in pale(page)


@pytest.mark.parametrize("way", ["pointer", "keyboard"])
def test_a_line_lights_the_cards_that_it_made_and_its_steps(open_page: Opener, way: str) -> None:
    page = at_the_end(open_page)
    if way == "pointer":
        page.locator(".line").nth(8).hover()
    else:
        page.locator(".code").focus()
        page.keyboard.press("ArrowUp")  # to line 10, which runs and has seven cards
        page.keyboard.press("ArrowUp")
    expect(page.locator(".light rect")).to_have_count(1)
    frame, card = page.locator(".light rect").bounding_box(), page.locator("[data-part=o2]").bounding_box()
    assert abs(frame["x"] + frame["width"] / 2 - card["x"] - card["width"] / 2) < 4
    assert ticks(page) == 3 and pale(page) == set()
    assert page.locator(".count").inner_text() == "step 26 of 26"


def test_a_step_of_the_timeline_lights_its_line_and_its_card_and_nobody_goes_there(open_page: Opener) -> None:
    page = at_the_end(open_page)
    marks = page.locator(".timeline svg.marks").bounding_box()
    page.mouse.move(marks["x"] + marks["width"] * 5 / 26, marks["y"] + 4)
    page.locator(".light rect").first.wait_for()
    assert lit_lines(page) == ["9"]
    assert page.locator(".count").inner_text() == "step 26 of 26"


def test_what_was_freed_can_still_be_read_in_the_picture_and_in_the_inspector(open_page: Opener) -> None:
    page = at_the_end(open_page)
    page.locator("[data-part='o2.s0']").hover()
    assert page.locator(".light .gone").text_content() == "4.0, freed by line 10"
    page.locator("[data-part='o2.s0']").click()
    assert page.locator("figure.gone").inner_text().split() == ["_saved_other", "4.0", "freed", "by", "line", "10"]


@pytest.mark.parametrize("width", [1280, 420])
def test_what_runs_is_marked_in_its_line_wherever_that_is_wrapped(open_page: Opener, width: int) -> None:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        y = a.exp() if a is not None else (a.exp().tanh().exp().tanh().exp().tanh().exp().tanh() * 2 + 1).sin().sin()
        y.exp()
    page = open_page(trace, "step=2", viewport={"width": width, "height": 800})
    assert page.locator(".line u").all_text_contents() == ["a.exp()"]
    assert page.locator(".line.now .text").text_content().strip().startswith("y = a.exp() if a is not None")
    page.keyboard.press("Home")
    assert page.locator(".line u").count() == 0


def test_one_key_answers_for_every_part_of_the_picture_without_alarm(open_page: Opener) -> None:
    page = at_the_end(open_page)
    for part in page.locator("svg.graph [data-part]").evaluate_all(ALL):
        page.evaluate("part => location.hash = `#step=26&select=${part}`", part)
        page.wait_for_function("part => document.title && location.hash.includes(part)", arg=part)
        page.locator(".player").press("w")
        assert page.locator(".reason").inner_text(), part
        assert page.locator(".reason.alarm").count() == 0, part


@pytest.mark.parametrize(
    ("part", "answer"),
    [
        ("b1", "b.grad = 1·4 + 1·5 = 9: two paths arrive and add"),
        ("o0", "gradient of c = 4: one path · no .grad: only leaves keep theirs"),
        ("o2.s0", "saved: d at version 0, for the gradient of self = g × other · freed: by line 10, when MulBackward0"),
        ("o0-o2#", "to c · leads to: AddBackward0 of c · in numbers: self: 1.0 × 4.0 = 4.0; other: 1.0 × 5.0 = 5.0"),
    ],
)
def test_one_key_says_of_what_is_selected_how_it_came_about(open_page: Opener, part: str, answer: str) -> None:
    page = at_the_end(open_page)
    page.locator(f"[data-part='{part}']").click()
    page.keyboard.press("w")
    assert answer in page.locator(".reason").inner_text()


def test_of_nothing_selected_one_key_tells_of_each_gradient_in_turn(open_page: Opener) -> None:
    page = at_the_end(open_page)
    told = []
    for _ in range(3):
        page.keyboard.press("w")
        told.append(page.locator(".reason").inner_text().split(" ")[0])
    assert told == ["b.grad", "a.grad", "b.grad"], "first the one that the headline tells of"


def test_what_stopped_backward_is_told_with_an_alarm(open_page: Opener) -> None:
    page = open_page(example("inplace"))
    page.keyboard.press("w")
    assert page.locator(".reason.alarm").count() == 1
