"""Headline, picture and controls are on one screen, however small; the rest can be reached, by hand, too."""

from __future__ import annotations

from functools import cache

import pytest

import autograd_lab as torch
from autograd_lab.view.scene import Scene, make_scene
from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener
from tests.browser.test_page_in_chromium import example as trace_of

SIZES = [(1366, 768), (1920, 1080), (1024, 768), (390, 844), (360, 620), (600, 620), (904, 620), (1280, 620)]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "reduced_motion": "reduce"}
Points = list[tuple[float, float]]
"""Where fingers are."""
SEEN = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const shown = name => [...root.querySelectorAll(name)].filter(each => each.checkVisibility());
  const rect = each => each.getBoundingClientRect();
  const box = each => [rect(each).left, rect(each).top, rect(each).right, rect(each).bottom];
  const pane = root.querySelector("svg.graph").getBoundingClientRect();
  const sizes = [...root.querySelectorAll("svg.graph text")].filter(text => text.checkVisibility()).map(text => {
    const {left, right} = text.getBoundingClientRect(), size = parseFloat(getComputedStyle(text).fontSize);
    return right > pane.left && left < pane.right ? size * text.getScreenCTM().a : 99;
  });
  return {
    screen: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
    boxes: [".title h2", ".caption", ".picture", ".foot input", ".bar button"].flatMap(shown).map(box),
    buttons: shown(".bar button").map(each => [each.offsetWidth, each.offsetHeight, box(each)[1]]),
    cut: shown(".line .text, h2").filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent),
    pane: [pane.width, pane.height],
    least: Math.min(...sizes),
  };
}"""
"""What is on the screen: its size, where things are, the buttons, texts that are cut, the size of the smallest text."""
MAP = "svg.minimap:not(.hidden)"


@cache
def example(name: str) -> Scene:
    """An example, laid out once for all that is tried with it."""
    return make_scene(trace_of(name))


EACH = [(name, size) for name in ("expression", "mlp") for size in SIZES]
SOME = [(name, size) for name in ("inplace", "rnn") for size in SIZES[::3]]


@pytest.mark.parametrize(("name", "size"), [*EACH, *SOME])
def test_all_that_one_needs_is_on_the_screen_and_can_be_read(
    open_page: Opener, name: str, size: tuple[int, int]
) -> None:
    width, height = size
    page = open_page(example(name), "", viewport={"width": width, "height": height}, reduced_motion="reduce")
    seen = page.evaluate(SEEN)
    assert seen["screen"] == [width, height]
    for left, top, right, bottom in seen["boxes"]:
        assert 0 <= left < right <= width and 0 <= top < bottom <= height
    assert seen["least"] >= 11.9
    assert seen["cut"] == []
    assert seen["pane"][1] > 0.4 * height, "the picture has most of it"
    if width <= 600:
        assert len({top for *_, top in seen["buttons"]}) == 1, "one row"
        assert min(min(size) for *size, _ in seen["buttons"]) >= 40


def test_charts_of_a_training_run_are_read_without_scrolling_sideways(open_page: Opener) -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.record(iterations="last", model=model) as trace:
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
    page = open_page(make_scene(trace), "")
    for width in (390, 600, 1000, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        boxes = page.locator(".course svg:visible").evaluate_all("each => each.map(svg => svg.getBoundingClientRect())")
        assert len(boxes) == 3 and all(box["left"] >= 0 and box["right"] <= width for box in boxes)
        sizes = page.locator(".course text:visible").evaluate_all("all => all.map(text => 13 * text.getScreenCTM().a)")
        assert min(sizes) > 9.5
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_a_phone_the_program_and_what_is_needed_less_are_in_drawers(open_page: Opener) -> None:
    page = open_page(example("mlp"), "step=30", **PHONE)
    before = page.locator(".code").bounding_box()
    assert page.locator(".line[aria-current]").is_visible()
    page.get_by_role("button", name="Program").click()
    assert page.get_by_role("button", name="Program").get_attribute("aria-expanded") == "true"
    code = page.locator(".code").bounding_box()
    assert code["height"] > 5 * before["height"]
    page.locator("button.line").first.click()
    assert page.locator(".count").inner_text() != "step 30 of 78"
    page.get_by_role("button", name="Program").click()
    assert page.locator(".code").bounding_box() == before
    assert not page.get_by_role("searchbox").is_visible() and not page.locator(".legend").is_visible()
    page.get_by_role("button", name="More").click()
    assert page.get_by_role("searchbox").is_visible() and page.locator(".legend .entry:visible").count() > 0


def test_what_is_selected_on_a_phone_is_beside_the_inspector_and_as_large_as_before(open_page: Opener) -> None:
    page = open_page(example("mlp"), "step=78", **PHONE)
    for part in ("b2", "b3", "b4"):
        before = page.locator(f"[data-part={part}] .rim").bounding_box()
        page.evaluate(f"location.hash = '#step=78&select={part}'")
        page.locator(".inspector").wait_for()
        page.wait_for_timeout(200)
        over, after = page.locator(".inspector").bounding_box(), page.locator(f"[data-part={part}] .rim").bounding_box()
        assert after["y"] >= over["y"] + over["height"]
        assert (after["width"], after["height"]) == pytest.approx((before["width"], before["height"]), abs=0.1)
        page.keyboard.press("Escape")


def test_what_a_slot_held_is_said_beside_other_cards_on_a_phone(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=14&select=o2.s0", **PHONE)
    said = page.locator(".light text")
    assert said.text_content() == "4.0, freed by line 10"
    words, card = said.bounding_box(), page.locator("[data-part=o2] .shape").bounding_box()
    assert words["y"] > card["y"] + card["height"]


def test_a_small_map_shows_which_piece_is_seen_and_one_can_drag_there(open_page: Opener) -> None:
    page = open_page(example("rnn"), "step=78", viewport={"width": 820, "height": 620}, reduced_motion="reduce")
    assert page.locator(MAP).get_attribute("aria-hidden") == "true"
    pane, small = page.locator("svg.graph").bounding_box(), page.locator(MAP).bounding_box()
    assert small["width"] < 0.5 * pane["width"] and small["height"] < 0.5 * pane["height"]

    def leftmost() -> float:
        return min(card.bounding_box()["x"] for card in page.locator("[data-part].card").all())

    page.mouse.move(small["x"] + small["width"] - 2, small["y"] + 10)
    page.mouse.down()
    at_the_end = leftmost()
    page.mouse.move(small["x"] + 2, small["y"] + 10, steps=3)
    page.mouse.up()
    assert at_the_end < leftmost() - 20 and leftmost() >= pane["x"] - 4
    assert page.locator(".inspector").is_hidden(), "a drag selects nothing"
    page.get_by_role("button", name="All of it").click()
    assert page.locator(MAP).count() == 0


def test_there_is_no_map_where_all_is_in_sight(open_page: Opener) -> None:
    page = open_page(example("expression"), "")
    assert page.locator("svg.minimap").count() == 1 and page.locator(MAP).count() == 0
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.locator(MAP).wait_for()


def test_two_fingers_come_closer_one_drags_then_and_a_swipe_is_an_arrow_key(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=8", **PHONE)
    box = page.locator("svg.graph").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    count = page.locator(".count")

    hand = page.context.new_cdp_session(page)

    def touch(kind: str, points: Points) -> None:
        places = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def go(*way: Points) -> None:
        for number, points in enumerate(way):
            touch("touchMove" if number else "touchStart", points)
        touch("touchEnd", [])
        page.wait_for_timeout(100)

    def place() -> tuple[float, float, float]:
        found = page.locator("[data-part=b1] .rim").bounding_box()
        return found["x"], found["y"], found["width"]

    before = place()
    go([(x + 60, y)], [(x, y)], [(x - 60, y + 4)])
    assert count.inner_text() == "step 9 of 26" and place() == before
    words = page.locator(".caption").bounding_box()
    go([(100, words["y"] + 5)], [(160, words["y"] + 5)], [(220, words["y"] + 5)])
    assert count.inner_text() == "step 8 of 26"
    go([(x - 40, y), (x + 40, y)], [(x - 60, y), (x + 60, y)], [(x - 80, y), (x + 80, y)])
    near = place()
    assert near[2] == pytest.approx(2 * before[2], rel=0.2)
    go([(x, y)], [(x + 30, y + 10)], [(x + 60, y + 20)])
    assert place() == pytest.approx((near[0] + 60, near[1] + 20, near[2]), abs=3)
    assert count.inner_text() == "step 8 of 26"


STATES: list[tuple[str, str, list[str]]] = [
    ("mlp", "step=30", []),
    ("mlp", "step=30&select=b3", []),
    ("mlp", "step=30", ["More"]),
    ("mlp", "step=30", ["Program"]),
    ("inplace", "", ["w"]),
    ("mlp", "step=30", ["?"]),
]


@needs_axe
@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ((1366, 768), "light"),
        ((1366, 768), "dark"),
        ((904, 620), "light"),
        ((390, 844), "light"),
        ((390, 844), "dark"),
        ((360, 620), "light"),
    ],
)
def test_axe_finds_nothing_on_any_screen(open_page: Opener, size: tuple[int, int], scheme: str) -> None:
    width, height = size
    for name, fragment, actions in STATES:
        options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "bypass_csp": True}
        page = open_page(example(name), fragment, reduced_motion="reduce", **options)
        for action in actions:
            opener = page.get_by_role("button", name=action, exact=True)
            if len(action) == 1:
                page.keyboard.press(action)
            elif opener.is_visible():
                opener.click()
        assert complaints(page) == [], (name, actions)
        page.context.close()
