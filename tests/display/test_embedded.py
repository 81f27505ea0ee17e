"""The HTML of traces, players and comparisons: a page in a frame that may run scripts alone, on a picture."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab.display import embedded
from autograd_lab.display.side_by_side import compare
from autograd_lab.notebook import show
from autograd_lab.trace import Trace
from autograd_lab.view.pages.film_question import Asked
from tests.view.pages.test_player import hostile_trace


class Elements(HTMLParser):
    """The elements of some HTML, with their attributes as a browser reads them."""

    def __init__(self, html: str | None) -> None:
        super().__init__()
        self.found: dict[str, dict[str, str | None]] = {}
        self.texts: list[str] = []
        self.feed(html or "")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found[tag] = dict(attributes)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def recorded() -> Trace:
    with torch.record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        (a * a).backward()
    return trace


@pytest.mark.parametrize("look", [lambda told: told, show, lambda told: compare(told, recorded())])
def test_it_is_a_page_in_a_frame_on_a_picture_with_words(look: Callable[[Trace], Any]) -> None:
    found = Elements(look(recorded())._repr_html_()).found
    assert list(found) == ["div", "img", "iframe"]
    assert found["iframe"]["sandbox"] == "allow-scripts"
    assert (found["iframe"]["srcdoc"] or "").startswith("<!doctype html>")
    assert (found["img"]["src"] or "").startswith("data:image/png;base64,")
    assert found["img"]["alt"] and found["img"]["alt"] == found["iframe"]["title"]


def test_no_text_of_a_program_gets_out_of_its_attribute() -> None:
    elements = Elements(hostile_trace()._repr_html_())
    assert list(elements.found) == ["div", "img", "iframe"]
    assert set(elements.found["iframe"]) == {"title", "sandbox", "loading", "srcdoc", "style"}
    assert "".join(elements.texts).strip() == ""


def test_a_trace_without_a_graph_is_shown_in_words_alone() -> None:
    with torch.record() as trace:
        torch.tensor(1.0)
    assert trace._repr_html_() is None


def test_a_player_whose_answers_the_kernel_has_is_a_picture_there() -> None:
    known, unknown = (Asked("Q", "What?", ("1", "2"), 3, right) for right in (1, None))
    for asked, tags in ((known, ["div", "img", "iframe"]), (unknown, ["div", "img"])):
        player = show(recorded())
        player.asked = [asked]
        assert list(Elements(player._repr_html_()).found) == tags


def test_a_page_that_is_too_large_for_a_notebook_is_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "MOST", 1000)
    assert list(Elements(recorded()._repr_html_()).found) == ["div", "img"]
