"""The player goes through a compilation as through any trace: step by step, pass by pass, with what is lit in words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab.view.kit.style import LIGHT
from autograd_lab.view.page import save_page
from tests.browser.test_fit_in_chromium import SEEN
from tests.view.pages.test_player import contrast


def wasteful(x: Any) -> Any:
    x.sin()
    return (x.exp() / 2 + x.exp()) * 1


def opened(chromium: Any, folder: Path, **options: Any) -> tuple[Any, list[str]]:
    compiled = torch.compile(wasteful)
    compiled(torch.ones(4, requires_grad=True))
    file = folder / "page.html"
    save_page(compiled.trace, file)
    shown, complaints = chromium.new_page(offline=True, **options), []
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.on("console", lambda message: complaints.append(message.text))
    shown.goto(file.as_uri())
    shown.get_by_role("status" if options.get("java_script_enabled", True) else "img").first.wait_for()
    return shown, complaints


def test_n_goes_from_pass_to_pass_and_what_a_pass_left_out_is_lit(chromium: Any, tmp_path: Path) -> None:
    shown, complaints = opened(chromium, tmp_path)
    caption = shown.get_by_role("status")
    shown.keyboard.press("Home")
    shown.keyboard.press("n")
    assert caption.inner_text().startswith("11 numpy calls were captured; at most 80 B are in use at a time")
    shown.keyboard.press("n")
    assert caption.inner_text() == "The end of dead code: 11 → 10 operations, at most 80 B are in use at a time."
    dropped = shown.locator("[data-part].call.gone").first
    assert dropped.get_attribute("aria-label").startswith("numpy call sin, t0: float32[4], ✗, nobody asks for it")
    for _ in range(3):
        shown.keyboard.press("n")
    assert "duplicates" in shown.locator("h2").inner_text().lower()
    assert shown.locator("[data-part].call.gone").first.get_attribute("aria-label").startswith("numpy call exp")
    assert shown.locator("[data-part].call.absent").count() == 3, "what earlier passes left out leaves a trace"
    assert complaints == []
    shown.close()


def test_at_the_end_each_array_lies_beside_the_lines_that_need_it(chromium: Any, tmp_path: Path) -> None:
    shown, complaints = opened(chromium, tmp_path)
    shown.keyboard.press("End")
    assert shown.get_by_role("status").inner_text().startswith("At most ")
    assert "def backward(t1, g):" in shown.locator("svg.graph").text_content()
    assert shown.locator("[data-part].tenant").count() == 4
    assert shown.locator(".held-now").inner_text() == "88 B in use at a time"
    shown.get_by_role("button", name="All of it").click()
    shown.get_by_role("button", name="numpy call exp").first.click()
    inspector = shown.locator(".inspector")
    assert "kept" in inspector.inner_text() and "for backward, 16 B" in inspector.inner_text()
    assert shown.get_by_role("button", name="maths / engine").count() == 0, "there is one view"
    assert complaints == []
    shown.close()


def network(xs: Any, w: Any, u: Any, b: Any) -> Any:
    h = torch.zeros(2, 4)
    for x in xs:
        h = torch.tanh(x @ u + h @ w + b)
    return h.mean()


STRAYED = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const view = root.querySelector(".picture").getBoundingClientRect();
  return [...root.querySelectorAll("[data-part].now:not(.wire, .rail)")].filter(part => {
    const {left, top, right, bottom} = part.getBoundingClientRect();
    return left < view.left || top < view.top || right > view.right || bottom > view.bottom;
  }).map(part => part.dataset.part);
}"""
"""What is lit and not in the picture as a whole, but for what may reach through all of it."""


def test_what_a_step_lights_is_in_the_picture_however_long_the_wires_are(chromium: Any, tmp_path: Path) -> None:
    compiled = torch.compile(network)
    leaves = [torch.ones(*shape, requires_grad=True) for shape in ((4, 4), (3, 4), (4,))]
    compiled(torch.ones(6, 2, 3), *leaves)
    save_page(compiled.trace, tmp_path / "page.html")
    viewport = {"width": 1600, "height": 900}  # in which a line of the program and the last buffer have room
    page = chromium.new_page(offline=True, viewport=viewport, reduced_motion="reduce")
    page.goto(f"{(tmp_path / 'page.html').as_uri()}#step=0")
    page.get_by_role("status").wait_for()
    assert page.get_by_role("button", name="follow").get_attribute("aria-pressed") == "true"
    for step in range(len(compiled.trace.events)):
        assert page.evaluate(STRAYED) == [], step
        page.keyboard.press("ArrowRight")
    page.close()


FIRST = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const view = root.querySelector(".picture").getBoundingClientRect();
  return [...root.querySelectorAll("[data-part].call.forward")].filter(part => {
    const {left, top, right, bottom} = part.getBoundingClientRect();
    return left >= view.left && top >= view.top && right <= view.right && bottom <= view.bottom;
  }).length;
}"""
"""How many calls of forward are in the picture as a whole."""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_of_a_long_compilation_one_sees_the_beginning_first_in_letters_that_can_be_read(
    chromium: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    compiled = torch.compile(network)
    leaves = [torch.ones(*shape, requires_grad=True) for shape in ((4, 4), (3, 4), (4,))]
    compiled(torch.ones(6, 2, 3), *leaves)
    save_page(compiled.trace, tmp_path / "page.html")
    page = chromium.new_page(offline=True, viewport=dict(zip(("width", "height"), size, strict=True)))
    page.goto((tmp_path / "page.html").as_uri())
    page.get_by_role("status").wait_for()
    seen = page.evaluate(SEEN)
    assert seen["least"] >= 11.9
    assert page.evaluate(FIRST) >= 2
    page.close()


def test_a_line_of_the_program_is_inspected_by_itself(chromium: Any, tmp_path: Path) -> None:
    shown, complaints = opened(chromium, tmp_path)
    shown.keyboard.press("End")
    line = shown.locator("[data-part].program-line").nth(1)
    line.dispatch_event("click")
    assert shown.locator(".inspector .now-texts > div").count() == 1
    assert complaints == []
    shown.close()


def test_what_was_left_out_can_still_be_read(chromium: Any, tmp_path: Path) -> None:
    shown, _ = opened(chromium, tmp_path, color_scheme="light")
    shown.keyboard.press("End")
    fill = shown.locator(".call.absent .title").first.evaluate("title => getComputedStyle(title).fill")
    colour = "".join(f"{int(channel):02x}" for channel in re.findall(r"\d+", fill))
    assert contrast(f"#{colour}", LIGHT["paper"]) >= 4.5
    shown.close()


def test_keys_that_lead_to_visits_reasons_and_folds_are_not_listed(chromium: Any, tmp_path: Path) -> None:
    shown, _ = opened(chromium, tmp_path)
    shown.keyboard.press("?")
    assert not {"u", "w", "o"} & set(shown.locator("dialog dt").all_inner_texts())
    assert "operation left out" in shown.locator("dialog li").all_inner_texts()
    shown.close()


def test_without_javascript_the_end_is_there_as_a_picture(chromium: Any, tmp_path: Path) -> None:
    shown, _ = opened(chromium, tmp_path, java_script_enabled=False)
    assert shown.locator("figure svg").count() == 1
    shown.close()
