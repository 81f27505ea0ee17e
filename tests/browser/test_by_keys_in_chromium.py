"""The eight questions that learners ask of a page are answered by keys alone, in two actions at most.

An action is a key, or a word that is typed for the field that a key led to.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import autograd_lab as torch
from autograd_lab import record, vary
from autograd_lab.trace import Trace
from tests.browser.conftest import Opener
from tests.browser.test_page_in_chromium import example
from tests.browser.test_vary_in_chromium import told

STILL: dict[str, Any] = {"reduced_motion": "reduce"}
FOCUSED = "() => document.querySelector('.autograd-lab').shadowRoot.activeElement?.textContent"


@cache
def two_passes() -> Trace:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        (x * x).sin().backward()
        (x * x).cos().backward()
    return trace


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def find(page: Any, word: str) -> None:
    press(page, "/")
    page.keyboard.type(word)
    press(page, "Enter")


def lit_lines(page: Any) -> list[str]:
    return page.locator(".line.lit .text").all_inner_texts()  # type: ignore[no-any-return]


def test_why_the_gradient_of_b_is_9(open_page: Opener) -> None:
    page = open_page(example("expression"), "", **STILL)
    press(page, "End", "w")
    assert page.locator(".reason").inner_text() == "b.grad = 1·4 + 1·5 = 9: two paths arrive and add"
    assert sorted(page.locator(".light .factor").all_text_contents()) == ["×1", "×1", "×4", "×5"]


def test_which_line_freed_what_was_saved(open_page: Opener) -> None:
    page = open_page(example("expression"), "", **STILL)
    find(page, "freed")
    assert lit_lines(page) == ["y = c * d", "y.backward()"], "which saved it, and which freed it"
    assert "freed\nby line 10, when MulBackward0 had run backward" in page.locator(".inspector").inner_text()


def test_what_a_product_has_saved_also_once_it_is_freed(open_page: Opener) -> None:
    page = open_page(example("expression"), "", **STILL)
    press(page, "End")
    find(page, "mul")
    said = page.locator(".inspector").inner_text()
    assert "saves\n2 values, 8 B" in said and "_saved_other" in said
    assert page.locator(".figures figure.gone").all_inner_texts() == [
        "_saved_other\n4.0\nfreed by line 10",
        "_saved_self\n5.0\nfreed by line 10",
    ]


def test_where_the_gradient_of_a_weight_comes_from(open_page: Opener) -> None:
    page = open_page(example("mlp"), "", **STILL)
    find(page, "w1")
    press(page, "w")
    assert page.locator(".inspector h3").inner_text() == "tensor w1"
    assert page.locator(".reason").inner_text() == "w1.grad has norm 0.63: it arrives from MmBackward0"
    assert page.locator("[data-part][data-on].link").count() >= 3, "its way through the graph is lit"


def test_what_the_third_node_of_backward_is(open_page: Opener) -> None:
    page = open_page(example("expression"), "", **STILL)
    press(page, "3")
    assert page.locator(".visit.on").inner_text() == "3"
    assert page.locator("h2").inner_text() == "Backward stands at c = a + b: its gradient is 4"
    press(page, "9")
    assert page.locator(".visit.on").inner_text() == "3", "there is no ninth node"


def test_a_node_is_that_of_the_pass_in_which_one_is_or_which_comes(open_page: Opener) -> None:
    page = open_page(two_passes(), "", **STILL)
    found = []
    for key in ("Home", "1", "2", "1", "End", "2"):
        press(page, key)
        found += [page.locator(".visits").get_attribute("aria-valuetext").split(":")[0]] if len(key) == 1 else []
    assert found == ["pass 1, node 1", "pass 1, node 2", "pass 1, node 1", "pass 2, node 2"]


def test_what_if_a_were_5(open_page: Opener) -> None:
    page = open_page(vary("expression", a=(1, 5, 2), b=(2, 4, 0.5), within=600), "step=26", **STILL)
    press(page, "v")
    page.keyboard.type("5")
    press(page, "Enter")
    assert told(page)[0] == "5 4" and told(page)[1].startswith("3 1"), "a, and b whose gradient is 12"


def test_which_cards_a_line_makes_and_which_line_made_a_card(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=9", **STILL)
    press(page, "p", "ArrowUp")
    assert page.evaluate(FOCUSED) == "9y = c * d"
    page.locator(".light > *").first.wait_for(state="attached")
    page = open_page(example("expression"), "step=9", **STILL)
    press(page, "ArrowDown")
    assert lit_lines(page) == ["a = torch.tensor(2.0, requires_grad=True)"]


def test_a_link_to_this_moment_is_copied(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=9", permissions=["clipboard-read", "clipboard-write"], **STILL)
    press(page, "c", "Enter")
    page.get_by_text("Link copied").wait_for()
    assert "step=9" in page.evaluate("navigator.clipboard.readText()")
