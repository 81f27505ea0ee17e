"""The page in a real Chromium, from a disk and offline: it shows what Python says, however one comes to a step."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.events import NodeVisited
from autograd_lab.trace import Trace
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.part import Part
from autograd_lab.view.pages.film_graphs import READABLE, drawn_at_origin, height_of
from autograd_lab.view.pages.layouts import Layout, layouts_of
from autograd_lab.view.pages.members import Members
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener
from tests.traces import programs, run
from tests.view.graph.test_folding import trained
from tests.view.pages.test_player import HOSTILE, drawn_texts, hostile_trace

WATCH = """() => {
  window.places = [];
  const look = () => {
    const root = document.querySelector(".autograd-lab").shadowRoot;
    const number = root.querySelector('[data-part="o0-o2#"].flying');
    if (number) window.places.push(number.getAttribute("transform"));
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
"""Notes from then on where the first number that leaves the product is, frame by frame."""
PLACES = "[...new Set(window.places)]"

BUSY = "for (const end = performance.now() + 200; performance.now() < end;)"
"""Nothing else happens for a while, as under load."""
FOCUSED = """() => document.querySelector(".autograd-lab").shadowRoot.activeElement.dataset.part"""

READ = """
steps => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const slider = root.querySelector("input[type=range]");
  return steps.map(step => {
    slider.value = step;
    slider.dispatchEvent(new Event("input"));
    const parts = [...root.querySelectorAll("svg.graph [data-part]:not([data-part$='?'])")].map(part => [
      part.dataset.part,
      part.getAttribute("class").split(" "),
      [...part.querySelectorAll("text")].map(text => text.textContent),
    ]);
    return [root.querySelector(".caption").textContent, Object.fromEntries(parts.map(([id, ...rest]) => [id, rest]))];
  });
}
"""
"""Goes to each step by the slider, and reads the caption and every part from the DOM."""

IN_SIGHT = """
([step, places]) => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  if (step !== null) {
    const slider = root.querySelector("input[type=range]");
    slider.value = step;
    slider.dispatchEvent(new Event("input"));
  }
  const window = root.querySelector(".picture").getBoundingClientRect();
  const matrix = root.querySelector("svg.graph > g").getScreenCTM();
  return places.map(([id, x, y, width, height]) => {
    const part = root.querySelector(`[data-part="${id}"]`);
    const [left, top] = [matrix.a * x + matrix.e, matrix.d * y + matrix.f];
    const [right, bottom] = [left + matrix.a * width, top + matrix.d * height];
    const across = left < window.right && right > window.left, down = top < window.bottom && bottom > window.top;
    const texts = [...part?.querySelectorAll("text") ?? []].map(text => text.textContent);
    return [across && down, part !== null, part?.getAttribute("class").split(" "), texts];
  });
}
"""
"""Goes to a step, if it is given one; for each part: whether it could be seen there, is drawn, and how it is drawn."""


@cache
def example(name: str) -> Trace:
    return run_script(find_script(name)).trace


def recorded(trace: Trace, **options: Any) -> RecordedScene:
    scene = make_scene(trace, **options)
    assert isinstance(scene, RecordedScene)
    return scene


PANE = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const {width, height} = root.querySelector("svg.graph").getBoundingClientRect();
  return [width, height];
}"""
"""Width and height of the pane of the graph."""
ROOM = 10
"""So much is left free around all of a picture, px."""


def shown_in(page: Any, layouts: list[Layout]) -> Layout:
    """The first picture that can be read as a whole in the pane, of those with nothing open."""
    width, height = page.evaluate(PANE)
    bases = [layout for layout in layouts if layout.view == layouts[0].view and layout.opened is None]
    sizes = [(round(each.picture.choice.placed.width), round(height_of(each.picture))) for each in bases]
    scales = [min(width / (wide + 2 * ROOM), height / (high + 2 * ROOM)) for wide, high in sizes]
    found = (each for each, scale in zip(bases, scales, strict=True) if scale >= READABLE)
    return next(found, bases[scales.index(max(scales))])


class Said:
    """What Python says of the parts of a picture, by the names that a page has for them."""

    def __init__(self, scene: RecordedScene, layout: Layout) -> None:
        self.scene, self.picture = scene, layout.picture
        self.names = {part.id: Members(layout.picture).name(part) for part in layout.picture.parts}

    def at(self, step: int) -> dict[str, tuple[set[str], list[str]]]:
        """Class names and texts of each."""
        state = self.scene.state(step)
        return {self.names[part.id]: self._said(part, state) for part in self.picture.parts}

    def _said(self, part: Part, state: Any) -> tuple[set[str], list[str]]:
        look = self.picture.look(part, state)
        drawn = "" if "hidden" in look.classes else drawn_at_origin(self.picture, part, look)
        texts = drawn_texts(drawn)
        return ({*look.classes} if re.search("<(?!/?g)", drawn) else {"hidden"}), texts


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(program=programs, jumps=st.lists(st.floats(0, 1), max_size=8))
def test_the_browser_shows_at_each_step_what_python_says_of_it(
    open_page: Opener, program: list[Any], jumps: list[float]
) -> None:
    trace = run(program)
    try:
        scene = recorded(trace)
    except NothingToDraw:
        return
    page = open_page(trace)
    said = Said(scene, shown_in(page, layouts_of(scene)))
    steps = list(range(scene.steps + 1))
    way = [*steps, *reversed(steps), *(round(jump * scene.steps) for jump in jumps)]
    wanted = {step: said.at(step) for step in steps}
    for step, (caption, shown) in zip(way, page.evaluate(READ, way), strict=True):
        assert caption == scene.caption(step)
        assert shown.keys() == wanted[step].keys()
        for name, (classes, texts) in shown.items():
            names, written = wanted[step][name]
            assert names <= set(classes), (step, name)
            assert ("hidden" in classes) == ("hidden" in names), (step, name)
            assert texts == written, (step, name)
    page.context.close()


def long_trace() -> Trace:
    with record() as trace:
        y = torch.tensor(0.5, requires_grad=True)
        for _ in range(100):
            y = (y * 1.01).tanh()
        y.backward()
    return trace


def test_of_a_large_graph_all_that_can_be_seen_is_drawn_as_python_says(open_page: Opener) -> None:
    scene = recorded(long_trace(), fold=False)
    page = open_page(scene)
    layouts = layouts_of(scene)
    layout = shown_in(page, layouts)
    said = Said(scene, layout)
    parts = film_of(scene)["graphs"][layouts.index(layout)]["parts"]
    places = [[part[0], *part[4:8]] for part in parts if part[1] != "reason"]
    assert len(places) > 400
    step = 0
    for turn, go in enumerate((0, scene.steps, None, 40, 41, None, scene.steps // 2, 700, None, 30)):
        step = step if go is None else go
        if go is None:
            page.mouse.move(600, 300)
            page.mouse.down()
            page.mouse.move(600 - 400 * (-1) ** turn, 280, steps=4)
            page.mouse.up()
        parts = said.at(step)
        read = page.evaluate(IN_SIGHT, [go, places])
        for (name, *_), (in_sight, drawn, classes, texts) in zip(places, read, strict=True):
            assert drawn or not in_sight, (step, name)
            if in_sight:
                assert parts[name][0] <= set(classes), (step, name)
                assert texts == parts[name][1], (step, name)
        assert sum(in_sight for in_sight, *_ in read) > 3
        assert not all(drawn for _, drawn, *_ in read)
        drawn_parts = page.locator("svg.graph [data-part]:not([data-part$='?'])")
        in_page = drawn_parts.evaluate_all("parts => parts.map(part => part.dataset.part)")
        assert in_page == [name for (name, *_), (_, drawn, *_) in zip(places, read, strict=True) if drawn]


def test_the_arrow_keys_lead_through_a_large_graph_thing_by_thing(open_page: Opener) -> None:
    scene = recorded(long_trace(), fold=False)
    page = open_page(scene)
    layout = shown_in(page, layouts_of(scene))
    said = Said(scene, layout)
    there = said.at(scene.steps)
    things = [said.names[part.id] for part in layout.picture.parts if part.kind not in ("link", "drop")]
    page.keyboard.press("End")
    for name in [name for name in things if "hidden" not in there[name][0]][:60]:
        page.keyboard.press("ArrowDown")
        assert page.evaluate(FOCUSED) == name


def nested(layouts: list[Layout], layout: Layout) -> tuple[Layout, Layout]:
    """A picture with a card of this one open, and one with a card in that open."""
    opened = (layouts[number] for number in layout.opens.values())
    first = next(each for each in opened if each.opens)
    return first, layouts[next(iter(first.opens.values()))]


def deep() -> Trace:
    """A model of models of models."""
    torch.manual_seed(0)

    def layer() -> nn.Module:
        return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh())

    model = nn.Sequential(*(nn.Sequential(layer(), layer(), layer()) for _ in range(3)))
    with record() as trace:
        model(torch.ones(2, 4)).sum().backward()
    return trace


def test_a_card_opens_to_what_python_says_of_it_and_the_cards_in_it_do_too(open_page: Opener) -> None:
    trace = deep()
    scene = recorded(trace)
    page = open_page(trace, f"step={scene.steps}", reduced_motion="reduce")
    layouts = layouts_of(scene)
    base = shown_in(page, layouts)
    first, second = nested(layouts, base)
    for before, layout in ((base, first), (first, second)):
        assert layout.opened is not None
        card = Members(before.picture).card(layout.opened[0].id)
        page.locator(".player").focus()
        page.keyboard.press("0")
        page.locator(f"[data-part='{card}'] .shape").first.dblclick()
        assert page.locator("[data-part$='.opened']").is_visible()
        steps = [0, scene.steps // 3, scene.steps // 2, scene.steps]
        for step, (_, seen) in zip(steps, page.evaluate(READ, steps), strict=True):
            for name, (classes, texts) in Said(scene, layout).at(step).items():
                assert classes <= set(seen[name][0]), (step, name)
                assert texts == seen[name][1], (step, name)
    page.locator(".player").focus()
    for layout in (first, base):
        page.keyboard.press("Escape")
        page.keyboard.press("o")
        names = page.evaluate(READ, [scene.steps])[0][1].keys()
        assert names == Said(scene, layout).at(scene.steps).keys()
    assert not page.get_by_role("button", name="‹ close").is_visible()


def test_an_opened_card_is_closed_by_a_button_and_what_was_opened_is_selected_again(open_page: Opener) -> None:
    page = open_page(example("mlp"), "step=78&select=o2")
    inspector = page.get_by_role("region", name="Inspector")
    folded = inspector.get_by_role("heading").first.inner_text()
    inspector.get_by_role("button", name="open", exact=True).click()
    assert page.locator("[data-part$='.opened']").count() == 1
    page.get_by_role("button", name="‹ close").click()
    assert page.locator("[data-part$='.opened']").count() == 0
    assert inspector.get_by_role("heading").first.inner_text() == folded


def test_search_opens_the_card_that_hides_what_it_finds(open_page: Opener) -> None:
    page = open_page(trained(12))
    page.keyboard.press("/")
    page.keyboard.type("sigmoid")
    page.keyboard.press("Enter")
    inspector = page.get_by_role("region", name="Inspector")
    assert "Sigmoid" in inspector.get_by_role("heading").first.inner_text()
    assert page.locator("[data-part$='.opened']").count() > 0


def test_the_same_graph_is_shown_while_captions_take_more_room_or_less(open_page: Opener) -> None:
    trace = example("mlp")
    page = open_page(trace, viewport={"width": 390, "height": 844})
    graphs = {frozenset(shown) for _, shown in page.evaluate(READ, list(range(len(trace.events) + 1)))}
    assert len(graphs) == 1


def test_in_another_pane_another_graph_is_shown_of_which_all_can_be_read(open_page: Opener) -> None:
    scene = recorded(example("mlp"))
    page = open_page(scene, "step=50&select=o7")
    for width, height in [(1280, 800), (1024, 768), (390, 844), (1920, 1080)]:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(500)
        layout = shown_in(page, layouts_of(scene))
        [[_, seen]] = page.evaluate(READ, [50])
        assert seen.keys() == Said(scene, layout).at(50).keys()
        assert (
            page.evaluate("document.querySelector('.autograd-lab').shadowRoot.querySelector('svg.graph>g').getCTM().a")
            >= 1
        )
        assert page.get_by_role("region", name="Inspector").is_visible(), "what was selected is so still"


LOOKS = """() => [...document.querySelector(".autograd-lab").shadowRoot.querySelectorAll("svg.graph [data-part]")]
  .map(part => part.getAttribute("class") + part.innerHTML).join()"""
"""How all parts look."""


@pytest.mark.parametrize("name", ["expression", "inplace", "mlp"])
def test_a_page_opens_on_a_picture_and_its_beginning_is_one_too(open_page: Opener, name: str) -> None:
    page = open_page(example(name), "")
    assert page.locator(".count").inner_text().split()[1] == str(film_of(recorded(example(name)))["start"])
    cards = page.locator("svg.graph [data-part].card")
    there = cards.locator("visible=true").count()
    assert there == cards.count() > 3
    if name == "inplace":
        assert page.locator("button.line.saved, button.line.overwritten").count() == 2
    page.keyboard.press("Home")
    assert page.locator("svg.graph [data-part].card.coming").locator("visible=true").count() == there
    assert page.locator("h2.headline").inner_text().startswith("Before the first line")


def test_each_arrow_changes_the_picture_and_with_shift_it_is_one_event(open_page: Opener) -> None:
    trace = example("mlp")
    page = open_page(trace, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page.get_by_text("All 8 ops are folded").wait_for()
    step, looks, presses = 0, page.evaluate(LOOKS), 0
    while True:
        page.keyboard.press("ArrowRight")
        after = int(page.locator(".count").inner_text().split()[1])
        if after == len(trace):
            break
        assert after > step
        assert page.evaluate(LOOKS) != looks, after
        step, looks, presses = after, page.evaluate(LOOKS), presses + 1
    assert 20 < presses < len(trace) - 10
    for key, count in [("Home", 0), ("Shift+ArrowRight", 1), ("Shift+ArrowRight", 2), ("Shift+ArrowLeft", 1)]:
        page.keyboard.press(key)
        assert page.locator(".count").inner_text() == f"step {count} of {len(trace)}"


def test_by_pass_one_key_goes_through_all_of_forward_and_a_pause_leaves_it_between(open_page: Opener) -> None:
    page = open_page(example("expression"))
    page.get_by_label("Grain").select_option(label="by pass")
    page.locator(".player").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".count").inner_text() == "step 7 of 26"
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_timeout(500)
    page.keyboard.press(" ")
    place = "() => Number(document.querySelector('.autograd-lab').shadowRoot.querySelector('input').value)"
    paused = page.evaluate(place)
    assert 0 < paused < 7
    page.wait_for_timeout(200)
    assert page.evaluate(place) == paused


def test_every_button_goes_where_it_says(open_page: Opener) -> None:
    page = open_page(example("expression"))
    count = page.locator(".count")
    for button, step in [
        ("Step forward", 1),
        ("Step forward", 2),
        ("Step back", 1),
        ("Last step", 26),
        ("First step", 0),
    ]:
        page.get_by_role("button", name=button).click()
        assert count.inner_text() == f"step {step} of 26"
    page.get_by_role("button", name="Next of this kind").click()
    assert "is ready" in page.get_by_role("status").inner_text()
    page.get_by_label("Jump to").select_option("save")
    page.get_by_role("button", name="Previous of this kind").click()
    assert "saves" in page.get_by_role("status").inner_text()


def test_every_key_does_what_the_list_of_keys_says(open_page: Opener) -> None:
    page = open_page(example("expression"))
    for key, step in [("ArrowRight", 1), ("End", 26), ("ArrowLeft", 25), ("Home", 0), ("n", 9), ("n", 14), ("N", 9)]:
        page.keyboard.press(key)
        assert page.locator(".count").inner_text() == f"step {step} of 26", key
    page.keyboard.press("ArrowDown")
    assert page.get_by_role("region", name="Inspector").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("region", name="Inspector").is_visible()
    page.keyboard.press("m")
    page.wait_for_url("**view=maths")
    page.keyboard.press("m")
    page.wait_for_url("**view=engine")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()


def test_one_key_says_why_there_is_no_gradient_and_lights_the_way_to_the_cut(open_page: Opener) -> None:
    with record() as trace:
        w = torch.tensor(2.0, requires_grad=True)
        v = torch.tensor(3.0, requires_grad=True)
        ((w * v).detach() - v).backward()
    page = open_page(trace)
    page.keyboard.press("w")
    reason = page.locator(".reason")
    assert reason.inner_text().startswith("tensor w · no .grad: on the path to where backward began, detach on line")
    assert page.locator(".count").inner_text().startswith("step 6 of")
    assert page.locator(".way path").count() == 1
    assert page.locator(".way text").text_content() == "✂"
    assert page.evaluate(FOCUSED) == "b0"
    page.keyboard.press("m")
    assert page.locator(".way path").count() == 1
    page.keyboard.press("Escape")
    assert not reason.is_visible() and page.locator(".way path").count() == 0


def test_one_key_leads_to_the_slot_that_stopped_backward_and_to_what_overwrote_it(open_page: Opener) -> None:
    page = open_page(example("inplace"))
    page.keyboard.press("w")
    assert page.locator(".phase-name").inner_text() == "Stopped by an error"
    assert "line 9 has overwritten it" in page.locator(".reason").inner_text()
    assert page.locator(".way rect").count() == 3
    page.get_by_role("button", name="why?").click()
    assert "tensor x · no .grad: backward stopped at MulBackward0" in page.locator(".reason").inner_text()


def test_the_inspector_shows_tables_bars_and_edges_as_they_are_at_the_step(open_page: Opener) -> None:
    with record() as trace:
        x = torch.tensor([[1.0, 2.0], [3.0, 4.5]], requires_grad=True)
        big = torch.ones(20, 20, requires_grad=True) * torch.arange(20.0)
        (x.sum() * big.sum()).backward()
    page = open_page(trace, "step=1&select=b0")
    inspector = page.get_by_role("region", name="Inspector")
    assert inspector.locator("table").first.locator("tr").all_inner_texts() == ["0\t1.0\t2.0", "1\t3.0\t4.5"]
    assert inspector.locator("figure").last.inner_text().split() == [".grad", "None"]
    page.keyboard.press("End")
    stored = inspector.locator("figure").filter(has_text=".grad")
    assert stored.inner_text().split()[:4] == [".grad", "0", "3800.0", "3800.0"]
    page.get_by_role("searchbox").fill("big")
    page.keyboard.press("Enter")
    label = inspector.get_by_role("img").first.get_attribute("aria-label")
    assert label.startswith("Histogram of 16 bars from 0.0 to 19.0, counts 40, 20, 20")
    page.evaluate("location.hash = '#select=o3.u0'")
    inspector.get_by_role("heading", name="edge 0 of MulBackward0").wait_for()


def test_the_inspector_says_what_is_so_at_the_step_that_was_jumped_to(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=8&select=o2")
    said = page.get_by_role("region", name="Inspector").locator(".now-texts")
    for key, state in (("Home", "not there yet"), ("End", "; done"), ("Home", "not there yet")):
        page.keyboard.press(key)
        said.filter(has_text=state).wait_for()


def test_one_goes_on_until_a_node_is_visited(open_page: Opener) -> None:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        y = a.exp()
        (y * a).backward(retain_graph=True)
        y.backward()
    node, steps = recorded(trace).history.ops["o0"].node, enumerate(trace.events, 1)
    visits = [step for step, event in steps if isinstance(event, NodeVisited) and event.node == node]
    assert len(visits) == 2
    page = open_page(trace)
    page.keyboard.press("End")
    page.locator("[data-part=o0]").click()
    for step in (*visits, visits[0]):
        page.keyboard.press("u")
        assert page.locator(".count").inner_text().startswith(f"step {step} of")
    page.get_by_role("button", name="until visited").click()
    assert page.locator(".count").inner_text().startswith(f"step {visits[1]} of")


def test_it_plays_only_when_asked_stops_where_asked_and_at_the_end(open_page: Opener) -> None:
    page = open_page(example("expression"))
    assert page.get_by_role("button", name="Play", exact=True).is_visible()
    assert page.locator(".count").inner_text() == "step 0 of 26"
    page.get_by_label("Speed").select_option("8")
    page.get_by_label("Jump to").select_option("save")
    page.get_by_label("stop there").check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Play", exact=True).wait_for()
    assert "saves" in page.get_by_role("status").inner_text()
    page.get_by_label("stop there").uncheck()
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_text("step 26 of 26").wait_for()
    page.get_by_role("button", name="Play", exact=True).wait_for()


def test_a_link_opens_at_its_step_with_its_part_in_its_view(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=14&select=o2&view=maths")
    assert page.locator(".count").inner_text() == "step 14 of 26"
    assert page.get_by_role("region", name="Inspector").get_by_role("heading").first.inner_text() == "node MulBackward0"
    page.evaluate("location.hash = '#step=3'")
    page.get_by_text("step 3 of 26").wait_for()


def test_what_is_put_into_the_address_wins_over_a_step_that_waits_to_be_written_there(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=3")
    page.keyboard.press("ArrowRight")
    page.evaluate(f"() => {{{BUSY}; location.hash = '#step=9&select=o2'}}")
    page.get_by_text("step 9 of 26").wait_for()
    page.wait_for_function("() => location.hash === '#step=9&select=o2&view=engine'")
    assert page.locator(".inspector").is_visible()


@pytest.mark.parametrize("fragment", ["step=abc", "step=-4", "step="])
def test_a_link_to_a_step_that_there_is_not_opens_the_beginning(open_page: Opener, fragment: str) -> None:
    page = open_page(example("expression"), fragment)
    assert page.locator(".count").inner_text() == "step 0 of 26"


@pytest.mark.parametrize("fragment", ["view=nonsense&select=nothing", "%E0%A4%A", "=&=&"])
def test_a_broken_link_opens_what_the_page_opens_at(open_page: Opener, fragment: str) -> None:
    page = open_page(example("expression"), fragment)
    assert page.locator(".count").inner_text() == "step 8 of 26"


def test_hostile_texts_are_texts(open_page: Opener) -> None:
    page = open_page(hostile_trace(), "step=2", title=HOSTILE[0])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    assert page.evaluate("window.pwned") is None
    assert page.title() == HOSTILE[0]
    assert page.locator("noscript img, .autograd-lab img").count() == 0


def test_a_line_of_the_program_goes_through_its_steps(open_page: Opener) -> None:
    page = open_page(example("expression"))
    line = page.get_by_role("button", name=re.compile("c = a"))
    line.click()
    assert page.locator(".count").inner_text() == "step 3 of 26"
    assert line.get_attribute("aria-current") == "step"


def test_the_lines_that_saved_and_overwrote_are_lit_before_backward(open_page: Opener) -> None:
    trace = example("inplace")
    page = open_page(trace, f"step={make_scene(trace).moments['forward']}")
    notes = page.locator(".line .note").all_inner_texts()
    assert {"saved here", "overwritten here"} <= {part for note in notes for part in note.split(" · ")}


def test_a_click_on_a_part_tells_its_life_and_a_click_there_goes_to_it(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=26")
    page.locator("[data-part=b1]").click()
    inspector = page.get_by_role("region", name="Inspector")
    assert inspector.get_by_role("heading").first.inner_text() == "tensor b"
    inspector.locator(".life button").first.click()
    assert page.locator(".count").inner_text() == "step 2 of 26"


def test_search_finds_by_name_and_by_op(open_page: Opener) -> None:
    page = open_page(example("expression"))
    for wanted, title in [("y", "node MulBackward0"), ("a", "tensor a"), ("mulback", "node MulBackward0")]:
        page.get_by_role("searchbox").fill(wanted)
        page.get_by_role("searchbox").press("Enter")
        assert page.get_by_role("region", name="Inspector").get_by_role("heading").first.inner_text() == title


def test_a_search_without_a_hit_says_so_until_something_else_is_typed(open_page: Opener) -> None:
    page = open_page(example("expression"))
    field, told = page.get_by_role("searchbox"), page.get_by_role("alert")
    field.fill("zebra")
    field.press("Enter")
    assert told.inner_text() == "nothing found"
    field.fill("y")
    assert not told.is_visible()


BOXES = """() => Object.fromEntries(["picture", "camera", "legend", "code", "held-now", "held svg"].map(name => {
  const box = document.querySelector(".autograd-lab").shadowRoot.querySelector("." + name).getBoundingClientRect();
  return [name, [box.left, box.top, box.right, box.bottom]];
}))"""
"""Where things on the screen are: left, top, right, bottom."""

SIZES = [(1024, 768), (1280, 800), (1920, 1080)]


def overlap(one: list[float], other: list[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("size", SIZES)
def test_nothing_lies_over_the_picture_nor_over_the_curve_of_bytes(open_page: Opener, size: tuple[int, int]) -> None:
    width, height = size
    boxes = open_page(example("mlp"), viewport={"width": width, "height": height}).evaluate(BOXES)
    assert not overlap(boxes["camera"], boxes["picture"])
    assert not overlap(boxes["held-now"], boxes["held svg"])


@pytest.mark.parametrize("size", SIZES)
def test_the_legend_keeps_its_height_so_that_the_program_stays_where_it_is(
    open_page: Opener, size: tuple[int, int]
) -> None:
    width, height = size
    trace = example("mlp")
    page = open_page(trace, viewport={"width": width, "height": height})
    seen = []
    for _ in range(0, len(trace.events) + 1, 6):
        seen.append(page.evaluate(BOXES))
        for _ in range(6):
            page.keyboard.press("ArrowRight")
    assert len({tuple(boxes["code"]) for boxes in seen}) == 1
    (code, legend) = (seen[0][name] for name in ("code", "legend"))
    assert (legend[3] - legend[1]) % 28 == 0, "no row is cut"
    assert code[3] - code[1] > legend[3] - legend[1]


@pytest.mark.parametrize("size", SIZES)
def test_a_part_that_is_selected_by_an_address_is_in_sight_beside_the_inspector(
    open_page: Opener, size: tuple[int, int]
) -> None:
    width, height = size
    page = open_page(example("mlp"), viewport={"width": width, "height": height}, reduced_motion="reduce")
    for thing in ("o0", "o7", "b3"):
        page.evaluate(f"location.hash = '#step=78&select={thing}'")
        page.locator(".inspector").wait_for()
        page.wait_for_timeout(100)
        left, top, right, bottom = page.evaluate(BOXES)["picture"]
        box = page.locator(".ring").bounding_box()
        assert left <= box["x"] and box["x"] + box["width"] <= right, thing
        assert top <= box["y"] and box["y"] + box["height"] <= bottom, thing


def test_keys_are_listed_where_they_can_do_something_and_marks_are_explained(open_page: Opener) -> None:
    with record() as forward:
        torch.tensor(2.0, requires_grad=True).exp()
    folded = trained(12)
    for trace, listed in [(forward, {"w"}), (example("expression"), {"u", "w"}), (folded, {"o", "u", "w"})]:
        page = open_page(trace)
        page.keyboard.press("?")
        names = page.locator("dialog dt").all_inner_texts()
        assert {"o", "u", "w"} & set(names) == listed
    explained = page.locator("dialog li").all_inner_texts()
    assert {"saved value", "visit of a node", "gradient stored"} <= set(explained)
    assert page.locator("dialog li svg path").count() == len(explained)


def test_a_phase_is_named_whole_or_not_at_all(open_page: Opener) -> None:
    page = open_page(example("mlp"))
    shown = page.locator(".phase").all_inner_texts()
    assert [text for text in shown if text] == ["forward", "backward", "after the update"]
    page.locator(".phase").first.hover()
    assert page.locator(".label").inner_text() == "before the first line, steps 0 to 1"


def test_on_landscape_paper_the_picture_has_what_the_words_and_the_legend_leave(open_page: Opener) -> None:
    page = open_page(example("mlp"), viewport={"width": 1046, "height": 717})
    page.emulate_media(media="print")
    boxes = page.evaluate(BOXES)
    picture, legend, code = (boxes[name] for name in ("picture", "legend", "code"))
    assert picture[3] - picture[1] > 450
    assert picture[3] <= legend[1] and legend[3] <= code[1]
    assert legend[3] < 717, "on the first sheet"


def test_motion_is_left_out_for_whoever_does_not_want_it(open_page: Opener) -> None:
    for wish, moves in [("no-preference", True), ("reduce", False)]:
        page = open_page(example("expression"), "step=11", reduced_motion=wish)
        page.evaluate(WATCH)
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(1200)
        assert (len(page.evaluate(PLACES)) > 1) == moves


def test_a_number_rides_its_line_and_what_it_changes_waits_for_it(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=12")
    slider, number = page.get_by_role("slider", name="Step"), page.locator('[data-part="o0-o2#"]')
    receiver = page.locator('[data-part="o0"]')

    def scrub(time: float) -> tuple[float, bool]:
        slider.evaluate("(slider, time) => { slider.value = time; slider.dispatchEvent(new Event('input')); }", time)
        box = number.bounding_box()
        return box["x"] + box["width"] / 2, "4.0" in (receiver.text_content() or "")

    rest = scrub(12)
    on = [scrub(time) for time in (12.1, 12.2, 12.3, 12.4)]
    assert [knows for _, knows in (rest, *on)] == [False] * 5
    assert [x for x, _ in (rest, *on)] == sorted((x for x, _ in (rest, *on)), reverse=True)
    assert scrub(13)[1]
    assert [scrub(time) for time in (12.4, 12.3, 12.2, 12.1, 12)] == [*reversed(on), rest], "backward it is the same"
    assert page.locator(".count").inner_text() == "step 12 of 26"


def test_a_key_goes_on_from_between_two_steps_and_interrupts_what_moves(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=11.5")
    assert page.locator(".count").inner_text() == "step 12 of 26"
    page.keyboard.press("ArrowRight")
    assert page.locator(".count").inner_text() == "step 12 of 26"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator(".count").inner_text() == "step 15 of 26", "a line says what it will bring"
    page.wait_for_timeout(1500)
    assert page.evaluate("document.querySelector('.autograd-lab').shadowRoot.querySelector('input').value") == "15"
    assert page.locator(".riders > *").count() == 0
    page.keyboard.press("ArrowLeft")
    assert page.locator(".count").inner_text() == "step 14 of 26"


def test_without_javascript_there_are_pictures(open_page: Opener) -> None:
    page = open_page(example("inplace"), java_script_enabled=False)
    assert page.locator("noscript svg").first.is_visible()
    assert "overwritten here" in (page.locator("noscript").text_content() or "")


def selectors(sheet: str) -> set[str]:
    return {each.strip() for rule in re.findall(r"([^{}]+){", sheet) for each in rule.split(",")}


def test_a_rule_that_the_pictures_without_javascript_do_without_matches_nothing_in_them(open_page: Opener) -> None:
    page = open_page(example("inplace"), java_script_enabled=False)
    left_out = selectors(language_sheet("light")) - selectors(page.locator("noscript style").text_content() or "")
    assert len(left_out) > 20
    assert page.locator(", ".join(f"noscript {each}" for each in left_out)).count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
def test_all_controls_are_on_the_screen(open_page: Opener, size: tuple[int, int], scheme: str) -> None:
    width, height = size
    page = open_page(
        example("mlp"), "step=50&select=o0", viewport={"width": width, "height": height}, color_scheme=scheme
    )
    for button in page.locator(".bar button:visible, .camera button").all():
        box = button.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] >= 0 and box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["step=0", "step=12&select=o2", "step=26&select=b0&view=maths"])
def test_axe_finds_nothing_to_complain_of(open_page: Opener, scheme: str, fragment: str) -> None:
    page = open_page(example("expression"), fragment, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    assert complaints(page) == []
