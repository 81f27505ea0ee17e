"""A comparison of two training runs on a screen of 1280 x 800: nothing is hidden or cut off where it opens."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.display.side_by_side import compare
from autograd_lab.trace import Trace
from autograd_lab.view.compare.both import Both
from tests.browser.conftest import Opener

SIZES = [(1280, 800), (1024, 768), (390, 844)]
HIDDEN = """() => [...document.querySelector(".autograd-lab").shadowRoot.querySelectorAll(".picture")].map(picture => {
  const rect = each => each.getBoundingClientRect(), pane = rect(picture.querySelector("svg.graph"));
  const map = picture.querySelector("svg.minimap"), over = rect(map);
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const all = [...picture.querySelectorAll("[data-part] text")].filter(each => each.checkVisibility());
  const texts = all.map(rect).filter(each => each.width && meet(each, pane));
  return map.checkVisibility() ? texts.filter(text => meet(text, over)).length : -1;
})"""
"""For each pane: how many texts its map lies on; -1, where there is no map."""
CUT = """() => [...document.querySelector(".autograd-lab").shadowRoot.querySelectorAll(".picture")].flatMap(picture => {
  const pane = picture.getBoundingClientRect();
  const seen = [...picture.querySelectorAll("[data-mark], [data-part] .card, [data-part].card")];
  return seen.filter(each => getComputedStyle(each).visibility === "visible" && each.checkVisibility())
    .map(each => each.getBoundingClientRect())
    .filter(({top, bottom, width}) => width && bottom > pane.top && top < pane.top + 1)
    .map(({top}) => top - pane.top);
})"""
"""What reaches beyond the upper edge of its pane."""
FIRST = """() => [...document.querySelector(".autograd-lab").shadowRoot.querySelectorAll(".code")].map(code => {
  const {top} = code.getBoundingClientRect();
  const torn = [...code.querySelectorAll(".line")].map(line => line.getBoundingClientRect())
    .filter(line => line.top < top - 1 && line.bottom > top + 2);
  return [torn.length, code.scrollLeft, code.scrollWidth - code.clientWidth];
})"""
"""Of each program, how many lines begin above what is seen, and how far it is scrolled to the side, or can be."""


@cache
def losses() -> Both:
    """Two runs with two linear layers, of which the second has one call more."""
    return compare(trained(1.0), trained(2.0), titles=("plain", "scaled")).both


def trained(scale: float) -> Trace:
    with record() as told:
        torch.manual_seed(0)
        x, target = torch.randn(16, 3), torch.randn(16, 1)
        hidden = nn.Linear(3, 4)
        out = nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*hidden.parameters(), *out.parameters()], lr=0.1)
        prediction = out(torch.relu(hidden(x)))
        loss = ((prediction - target) ** 2).mean()
        if scale != 1.0:
            loss = loss * scale
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return told


@cache
def unfolded() -> Both:
    """The same, op by op: more than there is room for."""
    return compare(trained(1.0), trained(2.0), titles=("plain", "scaled"), fold=False).both


def opened(open_page: Opener, both: Both, size: tuple[int, int]) -> Any:
    width, height = size
    return open_page(both, "", viewport={"width": width, "height": height}, reduced_motion="reduce")


@pytest.mark.parametrize("size", SIZES)
def test_the_map_lies_on_no_text_of_a_small_pane_at_any_step(open_page: Opener, size: tuple[int, int]) -> None:
    page = opened(open_page, unfolded(), size)
    seen = []
    for _ in range(24):
        page.keyboard.press("ArrowRight")
        seen += page.evaluate(HIDDEN)
    assert max(seen) == 0, "it is there at times, and then in a free corner"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("both", [losses, unfolded])
def test_no_card_and_no_mark_is_cut_off_above_where_it_opens(
    open_page: Opener, both: Any, size: tuple[int, int]
) -> None:
    assert opened(open_page, both(), size).evaluate(CUT) == []


@pytest.mark.parametrize("size", SIZES)
def test_a_program_begins_with_a_whole_line_wherever_one_goes(open_page: Opener, size: tuple[int, int]) -> None:
    page = opened(open_page, losses(), size)
    for key in ["", *["ArrowRight"] * 12, "End", "ArrowLeft", "ArrowLeft"]:
        if key:
            page.keyboard.press(key)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate(FIRST) == [[0, 0, 0], [0, 0, 0]], key
