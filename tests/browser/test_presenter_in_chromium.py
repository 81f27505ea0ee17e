"""The wall of a class room: keys alone, a class that votes before it sees, and a teacher who sees more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_lab.classroom.demos.demo import BUNDLED, load
from autograd_lab.classroom.demos.folder import presenter_page
from autograd_lab.classroom.demos.lesson_questions import lesson_vote
from tests.browser.axe import complaints, needs_axe

Opener = Callable[..., Any]


@pytest.fixture
def present(chromium: Any, tmp_path: Path) -> Iterator[Opener]:
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_(name: str, fragment: str = "") -> Any:
        file = tmp_path / f"{name}.html"
        file.write_bytes(presenter_page(lesson_vote(name) or load(name)))
        context = chromium.new_context(viewport={"width": 1024, "height": 768}, offline=True, bypass_csp=True)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{file.as_uri()}#{fragment}")
        page.locator(".caption").wait_for()
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


LETTERS = """() => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const size = text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  return Math.min(...[...root.querySelectorAll("svg.graph text")].filter(text => text.checkVisibility()).map(size));
}"""
"""How large the smallest text of the graph is, px."""


def press(page: Any, keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def counts(page: Any) -> list[str]:
    return [text.split()[0] for text in page.locator(".hands .number").all_inner_texts()]


def test_space_stops_at_the_question_until_the_class_has_voted(present: Opener) -> None:
    page = present("arriving-at-b")
    press(page, " " * 12)
    assert page.locator(".place").inner_text() == "step 7 of 26"
    press(page, "1133334")
    page.keyboard.press("Backspace")
    assert counts(page) == ["2", "0", "4", "0"]
    press(page, "  ")
    assert page.locator(".place").inner_text() == "step 8 of 26"
    assert page.locator(".hands").count() == 0


def test_the_first_round_stands_beside_the_second_and_the_answer_comes_when_it_is_asked_for(present: Opener) -> None:
    page = present("arriving-at-b", "step=7")
    press(page, " r13 v333 ")
    assert page.locator(".hands .right").count() == 0
    assert [text.split()[-1] for text in page.locator(".hands small").all_inner_texts()] == ["1", "0", "1", "0"]
    page.keyboard.press("r")
    assert "9" in page.locator(".hands .right").inner_text()
    assert page.locator(".hands .right b.number").inner_text().startswith("✓ right 3")


def test_an_address_brings_back_step_votes_and_what_is_hidden(present: Opener) -> None:
    page = present("three-ways-to-add-one", "step=30&votes=counted_1.2.3.0~skipped_0.0.0.0~revealed_4.0.1.0&hide=code")
    assert page.locator(".place").inner_text() == "step 30 of 37"
    assert not page.locator(".code").is_visible()
    press(page, "q")
    assert counts(page) == ["4", "0", "✓", "0"]
    press(page, "b")
    page.wait_for_url("**black=1**")
    assert "votes=counted_1.2.3.0~skipped_0.0.0.0~revealed_4.0.1.0" in page.url.replace("%7E", "~")
    assert page.locator(".black").is_visible()


def test_what_an_address_makes_up_is_left_alone(present: Opener) -> None:
    page = present("arriving-at-b", "step=20&votes=counted_9.-1.x.2&hide=everything")
    assert page.locator(".place").inner_text() == "step 7 of 26 · a question waits"


def test_notes_answers_and_the_next_step_stand_in_the_teachers_window_alone(present: Opener) -> None:
    page = present("arriving-at-b", "step=6")
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    notes = opened.value
    notes.get_by_text("Payoff: gradients that meet are added").wait_for()
    assert notes.locator("li.right").inner_text().startswith("c) 9")
    upcoming = notes.locator("h2:has-text('Next') + p").inner_text()
    assert "Payoff" not in page.locator(".present").inner_text()
    page.keyboard.press(" ")
    page.get_by_text(upcoming, exact=True).wait_for()  # as soon as what it tells of has happened
    notes.keyboard.press("ArrowLeft")
    assert page.locator(".place").inner_text() == "step 6 of 26"


def test_letters_on_the_wall_are_large_and_the_graph_is_seen_whole(present: Opener) -> None:
    page = present("arriving-at-b", "step=26&votes=counted_0.0.1.0")
    page.wait_for_timeout(300)
    assert page.locator(".caption").evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 26
    frame = page.locator("svg.graph").bounding_box()
    for part in page.locator("svg.graph [data-part]:not(.hidden)").all():
        box = part.bounding_box()
        assert box["x"] >= frame["x"] - 1 and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1


def test_a_question_the_graph_and_the_program_are_seen_together_and_the_graph_stays_as_large(present: Opener) -> None:
    page = present("arriving-at-b", "step=7")
    page.wait_for_timeout(300)
    before = page.locator("svg.graph").bounding_box()
    press(page, " 1")
    page.wait_for_timeout(300)
    assert page.locator("svg.graph").bounding_box() == before
    assert page.evaluate(LETTERS) >= 24
    assert page.locator(".hands").is_visible() and page.locator(".line[aria-current]").is_visible()
    side = page.locator(".side").bounding_box()
    assert side["x"] + side["width"] <= before["x"], "beside it"


def outside(page: Any, kind: str = "") -> list[str]:
    """What is there, but not all of it within the frame of the graph."""
    page.wait_for_timeout(400)
    frame = page.locator("svg.graph").bounding_box()
    parts = page.locator(f"svg.graph [data-part]:not(.hidden){kind}").all()
    boxes = [(part.get_attribute("data-part"), part.bounding_box()) for part in parts]
    return [
        name
        for name, box in boxes
        if box["x"] < frame["x"] - 1
        or box["y"] < frame["y"] - 1
        or box["x"] + box["width"] > frame["x"] + frame["width"] + 1
        or box["y"] + box["height"] > frame["y"] + frame["height"] + 1
    ]


def test_a_class_that_thinks_about_a_question_sees_all_that_is_there_also_when_the_counts_take_room(
    present: Opener,
) -> None:
    page = present("three-ways-to-add-one", "step=28&votes=counted_1.2.3.0~counted_1.0.0.0")
    for keys in (" ", "112223 ", "v13 ", "r"):
        press(page, keys)
        assert outside(page) == []


@pytest.mark.parametrize("name", BUNDLED)
def test_the_last_row_can_read_the_graph_at_every_step_and_sees_what_the_step_did(present: Opener, name: str) -> None:
    votes = "~".join(["skipped_0.0.0.0", "skipped_0.0.0"][len(one.choices) == 3] for one in load(name).asked)
    page = present(name, f"votes={votes}")
    for step in range(0, load(name).scene.steps, 9):
        page.evaluate("step => { location.hash = location.hash.replace(/step=[0-9]+/, '') + '&step=' + step }", step)
        page.locator(".place", has_text=f"step {step} of").wait_for()
        assert page.evaluate(LETTERS) >= 24
        assert outside(page, ".now.pill, svg.graph [data-part].now.box") == []


@needs_axe
def test_axe_finds_nothing_to_complain_of_in_the_presenter(present: Opener) -> None:
    page = present("arriving-at-b", "step=7")
    press(page, " 123 ")
    assert complaints(page) == []


def test_a_lesson_stops_where_it_asks_goes_to_its_truth_and_asks_of_other_programs_without_the_graph(
    present: Opener,
) -> None:
    page = present("L3")
    press(page, " " * 9)
    assert page.locator(".place").inner_text() == "step 9 of 26 · a question waits"
    press(page, " 23 ")
    assert "send to c" in page.locator(".hands").inner_text() and page.locator("svg.graph").is_visible()
    page.keyboard.press("r")
    assert page.locator(".place").inner_text() == "step 13 of 26", "where the truth of it is seen"
    right = page.locator(".choice.right .why").inner_text()
    assert "That is why the product saved both factors" in right, "in the box of the right choice"
    [why] = page.locator(".choice:not(.right) .why").all_inner_texts()
    assert why.startswith("Behind it there is often the idea that"), "of the wrong choice that most were for"
    press(page, "  " + " " * 3 + "2 r" + "  " + "3 r")
    assert page.locator(".place").inner_text() == "step 26 of 26"
    page.keyboard.press(" ")
    assert "Now y = (a + b) * (b - 1)" in page.locator(".hands").inner_text()
    assert not page.locator("svg.graph").is_visible() and not page.locator(".caption").is_visible()


def test_a_question_about_another_program_has_its_own_graph_below_it_and_with_its_truth_the_graph_of_the_end(
    present: Opener,
) -> None:
    """In lesson 4 the first question is asked before the film, which is of the second one; the third after it."""
    page = present("L4")
    own = page.locator(".hands .own")
    for keys, place, id in ((" ", "step 0 of 23", "L4.P1"), (" " * 13 + "1  r" + " " * 20, "step 23 of 23", "L4.P3")):
        press(page, keys)
        own.wait_for()
        assert page.locator(".place").inner_text() == place
        assert id in page.locator(".hands h3").inner_text() and not page.locator(".stage .picture").is_visible()
        box, asked = own.bounding_box(), own.get_attribute("src")
        assert box["y"] + box["height"] <= 768 and box["height"] > 250
        press(page, "1 r")
        assert own.get_attribute("src") != asked
