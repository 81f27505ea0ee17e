"""Two traces side by side in a real Chromium: linked steps go together, and what Python says differs is marked."""

from __future__ import annotations

import re
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.display.side_by_side import compare
from autograd_lab.notebook import trace
from autograd_lab.trace import Trace
from autograd_lab.view.compare.both import Both, film_of_both
from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener
from tests.view.pages.test_player import HOSTILE, hostile_trace

READ = """
beats => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const slider = root.querySelector("input[type=range]");
  return beats.map(beat => {
    slider.value = beat;
    slider.dispatchEvent(new Event("input"));
    const graphs = [...root.querySelectorAll("svg.graph")].map(graph => [
      [...graph.querySelectorAll("[data-part]")].map(part => part.dataset.part),
      [...graph.querySelectorAll("[data-mark]")].filter(mark => mark.getAttribute("visibility") === "visible")
        .map(mark => [mark.dataset.mark, mark.getAttribute("class")])]);
    return [[...root.querySelectorAll(".count")].map(count => count.textContent), graphs];
  });
}
"""
"""Goes to each beat by the slider, and reads the steps of both sides, and of each graph the parts and the marks that
are to be seen."""


AT_END = """() => {
  const {value, max} = document.querySelector(".autograd-lab").shadowRoot.querySelector("input[type=range]");
  return value === max;
}"""


def branches() -> Both:
    one, other = (run_script(find_script(name)).trace for name in ("positive", "negative"))
    return compare(one, other, titles=("positive", "negative")).both


def twice(retain: bool) -> Trace:
    with record() as told:
        x = torch.tensor(3.0, requires_grad=True)
        y = x * x
        y.backward(retain_graph=retain)
        try:
            y.backward()
        except RuntimeError:
            assert not retain
    return told


def passes() -> Both:
    return compare(twice(True), twice(False), titles=("retained", "freed")).both


def marked(graph: dict[str, Any], film: dict[str, Any], side: int, beat: int) -> dict[str, str]:
    """The marks of a graph: on parts with a thing that differs; a frame, if nothing in a card has a partner."""
    members = film["films"][side]["members"]
    things = {part[0]: members[part[2]] for part in graph["parts"] if part[1] in ("card", "slot")}
    narrow = {part[0] for part in graph["parts"] if part[1] == "slot" and part[6] < 25.5}
    of_side = [mark[1:] for mark in film["marks"] if mark[0] == side]
    holding = [mark for mark in of_side if mark[2] <= beat and (mark[3] is None or beat < mark[3])]
    alone = {thing for named, only, *_ in holding if only for thing in named}
    found = {}
    for thing in (name.removesuffix(".grad") for named, *_ in holding for name in named):
        holders = sorted((part for part, held in things.items() if thing in held), key=lambda part: len(things[part]))
        for part in holders[:1]:
            card = next(each for each in things if thing.split(".")[0] in things[each]) if part in narrow else part
            ops = [each for each in things[card] if re.fullmatch(r"o\d+", each)] or things[card][:1]
            found[card] = "only" if "." not in card and alone.issuperset(ops) else "differs"
    return found


@pytest.mark.parametrize("both", [branches(), passes()], ids=["branches", "passes"])
def test_steps_and_marks_are_at_each_beat_those_of_python(open_page: Opener, both: Both) -> None:
    page, film = open_page(both), film_of_both(both)
    beats = both.pairing.beats
    for beat, (counts, graphs) in enumerate(page.evaluate(READ, list(range(len(beats))))):
        steps = zip(beats[beat], both.scenes, strict=True)
        assert counts == [f"step {step} of {scene.steps}" for step, scene in steps]
        for side, (parts, marks) in enumerate(graphs):
            drawn = [
                graph for graph in film["films"][side]["graphs"] if {part[0] for part in graph["parts"]} == {*parts}
            ]
            assert dict(marks) in [marked(graph, film, side, beat) for graph in drawn], (beat, side)


def test_it_opens_at_the_first_step_that_differs_unless_its_address_says_another(open_page: Opener) -> None:
    both = branches()
    steps = zip(both.pairing.beats[both.differences[0].beat], both.scenes, strict=True)
    expected = [f"step {step} of {scene.steps}" for step, scene in steps]
    assert open_page(both, "").locator(".count").all_inner_texts() == expected != ["step 0 of 22", "step 0 of 26"]
    assert open_page(both, "step=0").locator(".count").all_inner_texts() == ["step 0 of 22", "step 0 of 26"]


def test_stepping_on_one_side_moves_the_other_to_the_linked_step(open_page: Opener) -> None:
    both = branches()
    page = open_page(both)
    counts = page.locator(".count")
    page.get_by_role("group", name="first: positive, program").get_by_role("button", name="return 3 * h + 1").click()
    assert counts.all_inner_texts() == ["step 5 of 22", "step 6 of 26"]
    assert (5, 6) in both.pairing.links
    page.get_by_role("group", name="second: negative, program").get_by_role("button", name="u = -x").click()
    assert counts.all_inner_texts() == ["step 3 of 22", "step 3 of 26"]
    assert page.locator(".move").all_inner_texts() == ["only here", "only here"]


def test_one_side_waits_and_one_has_ended_and_both_say_so(open_page: Opener) -> None:
    both = passes()
    last = len(both.pairing.beats) - 1
    page = open_page(both, f"step={last}")
    assert page.locator(".move").all_inner_texts() == ["only here", "has ended"]
    page = open_page(branches(), "step=5")
    assert page.locator(".move").all_inner_texts() == ["waits", "only here"]


def test_what_differs_is_listed_and_leads_to_its_step(open_page: Opener) -> None:
    both = branches()
    page = open_page(both)
    rows = page.get_by_role("region", name="What differs").locator("li button")
    assert rows.all_inner_texts() == both.told
    rows.nth(2).click()
    assert page.locator(".count").all_inner_texts() == ["step 3 of 22", "step 3 of 26"]
    assert rows.nth(2).get_attribute("class") == "jump"
    assert rows.last.get_attribute("class") == "jump future"


def test_keys_alone_go_everywhere(open_page: Opener) -> None:
    both = branches()
    page = open_page(both)
    slider = page.get_by_role("slider", name="Step")
    first = [each.beat for each in both.differences]
    for key, beat in [("ArrowRight", 1), ("End", len(both.pairing.beats) - 1), ("Home", 0), ("d", first[0])]:
        page.keyboard.press(key)
        assert slider.input_value() == str(beat), key
    page.keyboard.press("d")
    page.keyboard.press("D")
    assert slider.input_value() == str(first[0])
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    assert page.get_by_role("region", name="first: positive, inspector").is_visible()
    assert page.get_by_role("region", name="second: negative, inspector").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("region", name="inspector").count() == 0
    page.keyboard.press("m")
    page.wait_for_url("**view=maths")
    page.keyboard.press("?")
    assert page.get_by_text("next, previous difference").is_visible()


def test_a_part_is_selected_with_its_partner_and_says_what_differs(open_page: Opener) -> None:
    both = branches()
    page = open_page(both, f"step={len(both.pairing.beats) - 1}")
    leaf = page.get_by_role("group", name="first: positive, graph").locator("[data-part='b0']")
    assert "differs: x.grad: 12.0 in “positive”, -22.167 in “negative”." in leaf.get_attribute("aria-label")
    power = page.get_by_role("group", name="first: positive, graph").locator("[data-part=o1]")
    assert power.get_attribute("aria-label").endswith("; only here")
    page.get_by_role("group", name="first: positive, graph").locator("[data-part=o2]").click()
    heads = page.locator(".inspector h3")
    assert heads.all_inner_texts() == ["node MulBackward0", "node MulBackward0"]
    page.wait_for_url("**select=first%3Ao2**")


def test_what_happens_is_read_out_once_where_it_is_the_same(open_page: Opener) -> None:
    both = compare(trace(lambda x: x * 2, 1.0), trace(lambda x: (x * 2).exp(), 1.0), titles=("short", "long")).both
    page = open_page(both, "step=1")
    assert page.get_by_role("status").inner_text() == "Both: x is 1.0; it asks for a gradient."
    alone = next(beat for beat, steps in enumerate(both.pairing.beats) if beat and steps not in both.pairing.links)
    page.get_by_role("slider", name="Step").fill(str(alone))
    assert page.get_by_role("status").inner_text().startswith("long: ")


def test_hostile_texts_are_texts(open_page: Opener) -> None:
    page = open_page(compare(hostile_trace(), hostile_trace(), titles=(HOSTILE[0], "plain")).both, "step=2")
    page.keyboard.press("End")
    assert page.evaluate("window.pwned") is None
    assert page.locator("h2").first.inner_text() == HOSTILE[0]


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
@pytest.mark.parametrize("fragment", ["step=8", "step=8&view=engine&select=first:b0"])
def test_all_of_it_is_on_the_screen(open_page: Opener, size: tuple[int, int], fragment: str) -> None:
    width, height = size
    page = open_page(branches(), fragment, viewport={"width": width, "height": height})
    for element in page.locator(".bar button:visible, .camera button, .picture, .middle, .words").all():
        box = element.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] >= 0 and box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollHeight") <= height


def test_on_a_narrow_screen_the_graphs_stand_one_above_the_other(open_page: Opener) -> None:
    page = open_page(branches(), "step=8", viewport={"width": 600, "height": 800})
    first, second = (picture.bounding_box() for picture in page.locator(".picture").all())
    assert first["y"] + first["height"] <= second["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 600


def test_without_javascript_there_are_both_pictures_and_what_differs(open_page: Opener) -> None:
    both = branches()
    page = open_page(both, java_script_enabled=False)
    assert page.locator("noscript svg").count() == 2
    assert page.locator("noscript li").all_inner_texts() == both.told


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["step=0", "step=8&select=first:o2", "step=26&view=maths"])
def test_axe_finds_nothing_to_complain_of(open_page: Opener, scheme: str, fragment: str) -> None:
    page = open_page(branches(), fragment, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    assert complaints(page) == []


def test_one_goes_through_both_by_node_and_shares_what_is_seen(open_page: Opener) -> None:
    page = open_page(branches(), permissions=["clipboard-read", "clipboard-write"], reduced_motion="reduce")
    grain = page.get_by_role("combobox", name="Grain")
    assert {"by step", "by node", "by pass"} <= set(grain.locator("option").all_inner_texts())
    beats = []
    for wanted in ("by step", "by node", "by pass"):
        page.keyboard.press("Home")
        grain.select_option(wanted)
        page.locator(".player").focus()
        count = 0
        while not page.evaluate(AT_END):
            page.keyboard.press("ArrowRight")
            count += 1
        beats.append(count)
    assert beats[0] > beats[1] > beats[2]
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name="Copy link").click()
    page.get_by_text("Link copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").split("#")[0] == page.url.split("#")[0]


def test_each_side_has_a_box_for_each_node_that_leads_to_it(open_page: Opener) -> None:
    page = open_page(branches(), reduced_motion="reduce")
    for name in ("positive", "negative"):
        band = page.get_by_role("slider", name=f"{name}: Node visits")
        band.focus()
        page.keyboard.press("Home")
        assert (band.get_attribute("aria-valuetext") or "").startswith(f"{name}: pass 1, node 1: ")
