"""The timeline in a real Chromium: a click goes to the n-th node of a pass, one can come closer, and nothing melts."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import nn, optim, record
from autograd_lab.events import BackwardStarted, NodeVisited
from autograd_lab.trace import Trace
from tests.browser.conftest import Opener
from tests.browser.test_page_in_chromium import example
from tests.view.graph.test_folding import trained

COUNT = ".count"
SEEN = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const {width, height} = root.querySelector(".timeline").getBoundingClientRect();
  return height;
}"""
MELTED = """() => {
  const marks = document.querySelector(".autograd-lab").shadowRoot.querySelector(".timeline svg.marks");
  const boxes = [...marks.querySelectorAll(".mark, text")].map(each => each.getBoundingClientRect());
  const touching = boxes.flatMap((one, i) => boxes.slice(i + 1).filter(other =>
    one.left < other.right - 0.5 && other.left < one.right - 0.5));
  return [boxes.length, touching.length];
}"""
"""How many marks and counts there are on the timeline, and how many of them touch another one."""


def trained_turns(turns: int) -> Trace:
    with record() as trace:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        for _ in range(turns):
            optimizer.zero_grad()
            model(torch.ones(4, 2)).square().mean().backward()
            optimizer.step()
    return trace


def test_a_click_goes_to_the_third_node_of_backward_and_says_so_before(open_page: Opener) -> None:
    trace = example("expression")
    visits = [step for step, event in enumerate(trace, 1) if isinstance(event, NodeVisited)]
    page = open_page(trace)
    third = page.locator(".visits .visit", has_text="3")
    third.hover()
    assert page.locator(".label").inner_text() == f"pass 1, node 3: AddBackward0, step {visits[2]}"
    third.click()
    assert page.locator(COUNT).inner_text() == f"step {visits[2]} of {len(trace)}"
    assert "on" in (third.get_attribute("class") or "").split()
    page.mouse.move(0, 0)
    assert not page.locator(".label").is_visible()


def test_the_keyboard_goes_from_node_to_node_and_a_screen_reader_says_which(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=3")
    band = page.get_by_role("slider", name="Node visits")
    assert band.get_attribute("aria-valuetext") == "no node runs now"
    band.focus()
    for key, said in [
        ("ArrowRight", "pass 1, node 1: MulBackward0, step 9"),
        ("ArrowRight", "pass 1, node 2: AddBackward0, step 14"),
        ("End", "pass 1, node 5: AccumulateGrad of b, step 24"),
        ("ArrowLeft", "pass 1, node 4: AccumulateGrad of a, step 22"),
        ("Home", "pass 1, node 1: MulBackward0, step 9"),
    ]:
        page.keyboard.press(key)
        assert band.get_attribute("aria-valuetext") == said == page.locator(".label").inner_text(), key
        assert page.locator(COUNT).inner_text().startswith(said.split(", ")[-1])


def test_nodes_are_counted_anew_in_each_pass(open_page: Opener) -> None:
    trace = trained_turns(2)
    visits = sum(isinstance(event, NodeVisited) for event in trace)
    page = open_page(trace)
    band = page.get_by_role("slider", name="Node visits")
    band.focus()
    page.keyboard.press("End")
    assert band.get_attribute("aria-valuenow") == str(visits)
    said = band.get_attribute("aria-valuetext")
    assert said.startswith(f"pass 2, node {visits // 2}: AccumulateGrad of model.0.weight")


def times(page: Any) -> tuple[float, float]:
    """The first and the last step that the timeline shows."""
    slider = page.get_by_role("slider", name="Step")
    return float(slider.get_attribute("min")), float(slider.get_attribute("max"))


def test_one_comes_closer_by_the_wheel_goes_along_by_dragging_and_back_by_a_double_click(open_page: Opener) -> None:
    trace = trained_turns(3)
    page = open_page(trace)
    box = page.locator(".visits").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 5
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    assert times(page) == (0, len(trace)), "without Ctrl the page scrolls"
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    page.get_by_role("button", name="show all").wait_for()
    first, last = times(page)
    assert first > 0 and last < len(trace) and last - first == pytest.approx(len(trace) / 2.718, rel=0.01)
    page.mouse.down()
    page.mouse.move(x + 100, y, steps=5)
    page.mouse.up()
    assert times(page)[0] == pytest.approx(first - 100 * (last - first) / box["width"], abs=0.6)
    assert page.locator(COUNT).inner_text().startswith("step 0 "), "who drags does not click"
    assert page.locator(".timeline .cursor").get_attribute("d") == "", "step 0 is out of sight"
    page.mouse.dblclick(x, y)
    assert times(page) == (0, len(trace))


def test_keys_come_closer_too_and_the_timeline_goes_along_with_the_film(open_page: Opener) -> None:
    trace = trained_turns(3)
    page = open_page(trace, "step=100")
    page.get_by_role("slider", name="Step").focus()
    scale = page.evaluate("document.querySelector('.autograd-lab').shadowRoot.querySelector('svg.graph>g').getCTM().a")
    for key, part in [("+", 2), ("+", 4), ("-", 2), ("+", 4)]:
        page.keyboard.press(key)
        first, last = times(page)
        assert last - first == len(trace) / part and first < 100 < last
    page.keyboard.press("End")
    first, last = times(page)
    assert last == len(trace) and last - first == len(trace) / 4
    page.keyboard.press("0")
    assert times(page) == (0, len(trace))
    after = page.evaluate("document.querySelector('.autograd-lab').shadowRoot.querySelector('svg.graph>g').getCTM().a")
    assert scale == after, "the picture has keys of its own"


def test_it_shows_which_module_runs_and_which_iteration_it_is(open_page: Opener) -> None:
    page = open_page(trained_turns(3), "step=90", viewport={"width": 1920, "height": 1080})
    names = page.locator(".loops .phase").all_inner_texts()
    assert [name for name in names if name] == ["iteration 1", "iteration 2", "iteration 3"]
    boxes = page.locator(".modules .phase")
    boxes.first.hover()
    assert page.locator(".label").inner_text().startswith("model.0, steps ")
    assert page.locator(".modules").count() == 1
    said = page.get_by_role("slider", name="Step").get_attribute("aria-valuetext")
    assert ", iteration 2, model." in said


def test_a_column_of_gradient_flow_leads_to_the_backward_of_its_iteration(open_page: Opener) -> None:
    trace = trained_turns(4)
    passes = [step for step, event in enumerate(trace, 1) if isinstance(event, BackwardStarted)]
    page = open_page(trace, viewport={"width": 1366, "height": 768})
    flow = page.get_by_role("slider", name="Gradient flow")
    box = flow.locator("svg").bounding_box()
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 3)
    assert page.locator(COUNT).inner_text() == f"step {passes[2]} of {len(trace)}"
    assert page.locator(".label").inner_text().startswith("iteration 3, model.0.weight: ‖grad‖ ")
    assert flow.get_attribute("aria-valuetext").startswith("iteration 3: ‖grad‖ from ")
    flow.press("ArrowLeft")
    assert page.locator(COUNT).inner_text() == f"step {passes[1]} of {len(trace)}"
    assert flow.get_attribute("aria-valuenow") == "2"
    flow.press("End")
    assert page.locator(COUNT).inner_text() == f"step {passes[3]} of {len(trace)}"


@pytest.mark.parametrize("width", [1366, 1024, 390])
def test_without_modules_and_iterations_it_is_no_higher_than_a_few_lines(open_page: Opener, width: int) -> None:
    page = open_page(example("expression"), viewport={"width": width, "height": 768})
    assert page.locator(".loops, .modules").count() == 0
    assert page.evaluate(SEEN) <= (96 if width > 620 else 68)


@pytest.mark.parametrize("width", [1366, 390])
def test_marks_never_melt(open_page: Opener, width: int) -> None:
    page = open_page(trained(30), viewport={"width": width, "height": 768})
    count, touching = page.evaluate(MELTED)
    assert count > 4 and touching == 0
    bundle = page.locator(".timeline svg.marks text").first
    page.mouse.move(bundle.bounding_box()["x"], bundle.bounding_box()["y"] + 4)
    assert page.locator(".label").inner_text().startswith(f"{bundle.text_content()} × ")
    narrow = page.locator(".visit").evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
    assert min(narrow[:-1]) >= 3, "each can be hit"


def test_a_click_on_a_mark_goes_to_it(open_page: Opener) -> None:
    page = open_page(example("expression"))
    page.locator(".timeline svg.marks .mark-free").click(force=True)
    assert "lets go of what it saved" in page.get_by_role("status").inner_text()
