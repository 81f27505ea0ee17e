"""What learners ask of a page in a real Chromium, each with two or three actions at most."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from autograd_lab import vary
from autograd_lab.display.variation import Variation
from autograd_lab.view.page import PLAYER, packed
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.pages.player_style import player_style
from autograd_lab.view.scene import make_scene
from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener
from tests.browser.test_page_in_chromium import example
from tests.browser.test_vary_in_chromium import address, told

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SEEN = "all => all.filter(each => each.getClientRects().length).map(each => each.textContent.trim())"
NOTEBOOK = """async ([code, film, sheet]) => {
  const blob = new Blob([code], {type: "text/javascript"});
  const {default: player} = await import(URL.createObjectURL(blob));
  const bytes = text => Uint8Array.from(atob(text), char => char.charCodeAt(0));
  const told = {film: bytes(film), sheet, face: "", step: 12, height: 620, replies: {}, given: {}};
  const model = {get: name => told[name], set() {}, save_changes() {}, on() {}, off() {}};
  await player.render({model, el: document.querySelector("main")});
}"""
"""Shows a film as a notebook does: a widget whose model has it."""


@pytest.fixture(scope="module")
def varied() -> Variation:
    return vary("expression", a=(1, 5, 2), b=(2, 4, 0.5), within=600)


def texts(page: Any, kind: str) -> list[str]:
    """What is seen on the parts of a kind."""
    found: list[str] = page.locator(f"svg.graph [data-part].{kind}").evaluate_all(SEEN)
    return [text for text in found if text]


def reasons(page: Any) -> list[str]:
    return page.locator("svg.graph [data-part$='?']").evaluate_all(SEEN)  # type: ignore[no-any-return]


def test_one_key_after_a_node_begins_to_run_shows_why_it_will_send_what_it_sends(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=9", reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    assert page.locator(".count").inner_text() == "step 10 of 26"
    assert reasons(page) == ["1 × d = 4", "1 × c = 5"]
    page.keyboard.press("End")
    assert [text for text in reasons(page) if text] == []


def test_what_if_a_were_5_is_typed(open_page: Opener, varied: Variation) -> None:
    page = open_page(varied, "step=26")
    field = page.get_by_role("textbox", name="a, as a number")
    field.fill("5")
    field.press("Enter")
    assert told(page)[0] == "5 4" and told(page)[1].startswith("3 1"), "a, and b whose gradient is 12"
    assert "a=5" in address(page)
    assert not page.locator(".told").is_visible()


def test_a_number_without_a_run_is_the_nearest_and_that_is_said(open_page: Opener, varied: Variation) -> None:
    page = open_page(varied, "step=26")
    field = page.get_by_role("textbox", name="b, as a number")
    for typed, value, said in [
        ("3,4", "3.5", "There is no run with b = 3,4: this is the nearest, b = 3.5."),
        ("many", "3.5", "b = many is no number; there are runs from 2.0 to 4.0."),
        ("2", "2.0", ""),
    ]:
        field.fill(typed)
        field.press("Enter")
        assert (field.input_value(), page.locator(".told").text_content()) == (value, said)


def test_an_address_that_asks_for_another_number_is_answered(open_page: Opener, varied: Variation) -> None:
    page = open_page(varied, "step=26&a=2.9")
    assert page.locator(".told").inner_text() == "There is no run with a = 2.9: this is the nearest, a = 3.0."
    assert page.get_by_role("slider", name="a", exact=True).input_value() == "2", "the third of 1, 2, 3 and 5"


def test_of_nothing_selected_one_key_tells_what_happens_now(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=10", reduced_motion="reduce")
    page.keyboard.press("w")
    assert "self: 1.0 × 4.0 = 4.0" in page.locator(".reason").inner_text()
    assert page.locator(".count").inner_text() == "step 10 of 26", "nobody goes anywhere"


def test_who_asks_why_is_told_of_whatever_is_clicked_then(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=26", reduced_motion="reduce")
    page.locator("[data-part=b1]").click(position={"x": 20, "y": 20})
    page.keyboard.press("w")
    assert page.locator(".reason").inner_text().startswith("b.grad = ")
    page.locator("[data-part='o0-o2#']").click()
    assert "to c" in page.locator(".reason").inner_text()
    page.keyboard.press("Escape")
    page.locator("[data-part=b0]").click(position={"x": 20, "y": 20})
    assert not page.locator(".reason").is_visible(), "who has stopped asking is not told"


@pytest.mark.parametrize(
    ("name", "word", "title"),
    [
        ("expression", "saved", "slot"),
        ("expression", "freed", "slot"),
        ("inplace", "failed", "node"),
        ("expression", "y", "node"),
    ],
)
def test_a_state_is_found_where_it_is_so(open_page: Opener, name: str, word: str, title: str) -> None:
    page = open_page(example(name), "step=3", reduced_motion="reduce")
    page.keyboard.press("/")
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    assert page.locator(".inspector h3").inner_text().startswith(title)
    assert not page.locator(".missed").is_visible()


def test_space_plays_after_a_button_was_clicked(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=3")
    page.get_by_role("button", name="follow").click()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    assert page.get_by_role("button", name="follow").get_attribute("aria-pressed") == "true"


def test_a_headline_tells_no_number_before_it_has_arrived(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=22")
    head = page.locator("h2")
    before = head.inner_text()
    page.evaluate("""() => {
      const root = document.querySelector(".autograd-lab").shadowRoot;
      window.heads = [];
      const look = () => {
        const slider = root.querySelector("input[type=range]");
        window.heads.push([+slider.value, root.querySelector("h2").textContent]);
        requestAnimationFrame(look);
      };
      look();
    }""")
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="a.grad = 4").wait_for()
    seen = page.evaluate("window.heads")
    assert {text for time, text in seen if time <= 22.4} == {before}


def test_on_a_phone_pockets_have_names_and_the_drawer_leaves_the_timeline_free(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=8", **PHONE)
    assert [text.split()[0] for text in texts(page, "pocket")] == ["d", "c"]
    page.get_by_role("button", name="More").tap()
    drawer, timeline = page.locator(".rest").bounding_box(), page.locator(".timeline").bounding_box()
    assert drawer["y"] + drawer["height"] <= timeline["y"] + 1
    page.get_by_role("button", name="Keys").tap()
    assert page.locator("dialog h3").first.inner_text() == "Touch and mouse"
    assert page.locator("dialog .list-words").is_visible()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of_in_a_notebook(chromium: Any, scheme: str) -> None:
    context = chromium.new_context(
        viewport={"width": 1088, "height": 700}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_content('<html lang="en"><title>A notebook</title><main><h1>A notebook</h1></main></html>')
    film = base64.b64encode(packed(film_of(make_scene(example("expression"))))).decode()
    page.evaluate(NOTEBOOK, [PLAYER.read_text(encoding="utf-8"), film, player_style()])
    page.locator(".player").press("w")
    found = complaints(page)
    context.close()
    assert found == []
