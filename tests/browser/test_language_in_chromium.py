"""The new picture in a real Chromium: one drawing follows the theme, and its texts are as wide as was measured."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from autograd_lab.view.kit.font import page_face, text_width
from autograd_lab.view.kit.language import page_language
from autograd_lab.view.kit.palette import THEMES
from tests.view.kit.specimen.__main__ import SHEETS

PAGE = """<!doctype html><meta charset="utf-8"><style>{face}</style><div id="host"></div><script>
document.getElementById("host").attachShadow({{mode: "open"}}).innerHTML = {inner};
</script>"""
SIZES = """() => [...document.getElementById("host").shadowRoot.querySelectorAll("text")].map(text => {
  const style = getComputedStyle(text);
  return [text.textContent, parseFloat(style.fontSize), style.fontWeight, style.fontFamily,
          text.getComputedTextLength(), text.querySelector("tspan") !== null];
})"""
FILL = """what => getComputedStyle(document.getElementById("host").shadowRoot.querySelector(what)).fill"""


@pytest.fixture
def show(chromium: Any) -> Iterator[Any]:
    pages = []

    def shown(svg: str, theme: str = "light", **media: str) -> Any:
        drawing = re.sub(r"<style>.*?</style>", "", svg, count=1, flags=re.S)
        page = chromium.new_page()
        pages.append(page)
        page.emulate_media(**media)
        page.set_content(PAGE.format(face=page_face(), inner=json.dumps(f"<style>{page_language()}</style>{drawing}")))
        page.evaluate("theme => { document.getElementById('host').dataset.theme = theme; }", theme)
        page.evaluate("document.fonts.load('600 15px \"Autograd Sans\"').then(() => document.fonts.ready)")
        return page

    yield shown
    for page in pages:
        page.close()


@pytest.mark.parametrize("name", SHEETS)
def test_a_text_is_as_wide_as_it_was_measured(show: Any, name: str) -> None:
    wrong = []
    for text, size, weight, family, length, mixed in show(SHEETS[name]("light")).evaluate(SIZES):
        if mixed or "Mono" in family or not text.isascii():
            continue
        measured = text_width(text, size, bold=weight == "600")
        if abs(measured - length) > 0.01 * measured + 0.3:
            wrong.append((text, measured, length))
    assert wrong == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_drawing_follows_the_theme(show: Any, theme: str) -> None:
    page = show(SHEETS["cards"]("light"), theme)
    for part, colour in (
        (".card.running > .shape", "plus"),
        (".card.done > .shape", "plus_soft"),
        (".values > .p3", "value_plus3"),
    ):
        red, green, blue = (round(255 * one) for one in _as_shown(THEMES[theme][colour]))
        assert page.evaluate(FILL, part) == f"rgb({red}, {green}, {blue})"


def _as_shown(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def test_forced_colours_leave_ink_and_paper_and_show_the_minus_marks_of_small_cells(show: Any) -> None:
    page = show(SHEETS["edges-tiles"]("light"), forced_colors="active")
    assert page.evaluate(FILL, ".wire.sent > .tip") == page.evaluate(FILL, ".wire.minus > .tip")
    seen = "what => getComputedStyle(document.getElementById('host').shadowRoot.querySelector(what)).display"
    assert page.evaluate(seen, ".tile > .tiny") == "inline"
    assert show(SHEETS["edges-tiles"]("light")).evaluate(seen, ".tile > .tiny") == "none"
