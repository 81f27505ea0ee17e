"""Numbers that are dragged in a real Chromium: by slider, keyboard and card, and all that follows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from autograd_lab import vary
from autograd_lab.display.variation import Variation
from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener

READ = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const cards = [...root.querySelectorAll("svg.graph [data-part].card")].filter(({ariaLabel}) => ariaLabel);
  const said = [root.querySelector("h2").textContent, ...cards.map(({ariaLabel}) => ariaLabel)];
  return said.map(text => text.replace("−", "-"));
}"""
"""The headline, and what is said of each card."""


@pytest.fixture(scope="module")
def expression() -> Variation:
    return vary("expression", a=(1, 3, 0.5), b=(2, 4, 0.1), within=600)


def expected(a: float, b: float) -> list[str]:
    """Of c, d, y, a and b, PyTorch's values and gradients."""
    torch = pytest.importorskip("torch")
    leaves = a_, b_ = [torch.tensor(it, requires_grad=True) for it in (a, b)]
    made = c, d = a_ + b_, b_ + 1
    y = c * d
    for tensor in (*made, y):
        tensor.retain_grad()
    y.backward()
    return [f"{tensor.item():.6g} {tensor.grad.item():.6g}" for tensor in (*leaves, *made, y)]


def assert_tells(page: Any, a: float, b: float) -> None:
    """That the cards come to say what PyTorch says: they are written anew when the browser gets to it."""
    for _ in range(300):
        if told(page) == expected(a, b):
            return
        page.wait_for_timeout(100)
    assert told(page) == expected(a, b)


def told(page: Any) -> list[str]:
    """What the cards say of a, b, c, d and y: the value and the gradient."""
    _, *cards = page.evaluate(READ)
    found = []
    for name in "abcdy":
        said = next(card for card in cards if re.match(rf"\w+ {name}\b", card))
        value, grad = re.search(r"(?:^|, )(-?[\d.]+)(?:,|$|;)", said), re.search(r"(?:∂|\.grad) (-?[\d.]+)", said)
        assert value is not None and grad is not None, said
        found.append(f"{float(value[1]):.6g} {float(grad[1]):.6g}")
    return found


def slider(page: Any, name: str) -> Any:
    return page.get_by_role("slider", name=name, exact=True)


def address(page: Any) -> str:
    """What stands behind the # in the address, once it has been written."""
    return str(page.evaluate("new Promise(done => setTimeout(() => done(location.hash), 300))"))


def drag(page: Any, part: str, px: float) -> None:
    """Drag a card to the right."""
    box = page.locator(f"svg.graph [data-part='{part}']").bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 3
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + px, y, steps=8)
    page.mouse.up()


def test_dragging_the_card_of_b_from_3_to_4_changes_all_numbers_to_pytorchs(
    open_page: Opener, expression: Variation
) -> None:
    page = open_page(expression, "step=26")
    assert_tells(page, 2.0, 3.0)
    drag(page, "b1", 180)
    assert slider(page, "b").input_value() == "20"
    assert_tells(page, 2.0, 4.0)
    assert page.evaluate(READ)[0] == "b.grad = 11: two gradients arrive, and add"
    line = page.get_by_role("button", name=re.compile("b = torch.tensor"))
    assert line.text_content().endswith("tensor(4.0, requires_grad=True)")
    assert "b=4.0" in address(page)


def test_keys_move_the_slider_that_has_the_focus_and_step_the_player_elsewhere(
    open_page: Opener, expression: Variation
) -> None:
    page = open_page(expression, "step=26")
    b = slider(page, "b")
    b.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert_tells(page, 2.0, 4.0)
    assert b.get_attribute("aria-valuetext") == "4.0. b.grad = 11: two gradients arrive, and add"
    page.keyboard.press("Home")
    assert_tells(page, 2.0, 2.0)
    assert page.evaluate("document.querySelector('.autograd-lab').shadowRoot.activeElement.ariaLabel") == "b"
    page.keyboard.press("m")
    assert "view=maths" in address(page)
    page.get_by_role("button", name="b = 3.0, as in the program").click()
    assert_tells(page, 2.0, 3.0)


def test_step_selection_and_zoom_stay_and_the_inspector_follows(open_page: Opener, expression: Variation) -> None:
    page = open_page(expression, "step=12&select=b0")
    page.get_by_role("button", name="Closer").click()
    before = place(page)
    slider(page, "a").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".count").text_content() == "step 12 of 26"
    assert page.locator(".inspector h3").text_content() == "tensor a"
    assert "torch.tensor(1.5" in page.locator(".inspector").text_content()
    assert place(page) == before


def place(page: Any) -> str:
    """Where the graph is seen, once it stays there."""
    world = page.locator("svg.graph > g")
    before, now = None, world.get_attribute("transform")
    while before != now:
        page.wait_for_timeout(200)
        before, now = now, world.get_attribute("transform")
    return now


def test_one_number_stays_where_it_is_while_another_is_dragged(open_page: Opener, expression: Variation) -> None:
    page = open_page(expression, "step=26&a=1.5")
    assert_tells(page, 1.5, 3.0)
    slider(page, "b").focus()
    page.keyboard.press("End")
    assert_tells(page, 1.5, 4.0)
    assert slider(page, "a").get_attribute("aria-valuetext").startswith("1.5. ")


def test_a_click_on_a_card_selects_it_and_moves_nothing(open_page: Opener, expression: Variation) -> None:
    page = open_page(expression, "step=26")
    drag(page, "b0", 2)
    assert page.locator(".inspector h3").text_content() == "tensor a"
    assert_tells(page, 2.0, 3.0)


def test_at_a_kink_another_graph_is_shown_and_one_comes_back_to_the_step(open_page: Opener) -> None:
    page = open_page(vary("positive", x=(-2, 2, 1), within=600), "step=4")
    here = page.locator(".caption").text_content()
    x = slider(page, "x")
    x.focus()
    page.keyboard.press("Home")
    assert any(card.startswith("op h") and "exp" in card for card in page.evaluate(READ))
    page.keyboard.press("End")
    assert page.locator(".caption").text_content() == here
    assert page.locator(".count").text_content().startswith("step 4 of ")


def test_a_run_that_raises_shows_its_error(open_page: Opener, tmp_path: Path) -> None:
    script = tmp_path / "root.py"
    script.write_text(
        "import autograd_lab as torch\nx = torch.tensor(1.0, requires_grad=True)\nh = x * 2\n"
        "if h < 0:\n    raise ValueError('no <b>root</b>')\nh.sqrt().backward()\n"
    )
    page = open_page(vary(script, x=(-1, 1, 2)), "step=99")
    slider(page, "x").focus()
    page.keyboard.press("Home")
    assert "no <b>root</b>" in page.locator(".words").text_content()


def test_a_finger_drags_a_card_on_a_phone(open_page: Opener, expression: Variation) -> None:
    page = open_page(expression, "step=26", viewport={"width": 390, "height": 844}, has_touch=True)
    box = page.locator("svg.graph [data-part='b1']").bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 3
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", x, y)
    for moved in range(20, 181, 20):
        touch("touchMove", x + moved, y + 10)
    touch("touchEnd")
    assert_tells(page, 2.0, 4.0)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == 390


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(open_page: Opener, expression: Variation, scheme: str) -> None:
    page = open_page(expression, "step=26&select=b0&b=4.0", color_scheme=scheme, bypass_csp=True)
    assert complaints(page) == []
