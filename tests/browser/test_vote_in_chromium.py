"""The vote as a class sees it: two phones, one of which loses its line, and the teacher's screen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from autograd_lab.classroom.demos.demo import Demo, load
from autograd_lab.classroom.demos.folder import presenter_page
from autograd_lab.classroom.demos.lesson_questions import lesson_vote

pytest.importorskip("uvicorn")
pytest.importorskip("segno")

from autograd_lab.classroom.vote.poll import Poll
from autograd_lab.classroom.vote.room import Room
from autograd_lab.classroom.vote.serve import address_of, listen, serve
from tests.browser.axe import complaints as axe_complaints

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True}


SMALLEST = """() => Math.min(...[...document.querySelectorAll("#question, .choice .words, .choice .letter")]
  .map(text => parseFloat(getComputedStyle(text).fontSize)))"""
"""How large the smallest letter of question and choices is, px."""

SAID = """() => {
  window.said_since = [];
  const status = document.getElementById("said");
  new MutationObserver(() => said_since.push(status.textContent)).observe(status, { childList: true });
}"""
"""From now on, note down what the teacher's page says."""


@pytest.fixture
def room() -> Iterator[Room]:
    with served(load("arriving-at-b")) as made:
        yield made


@contextmanager
def served(demo: Demo) -> Iterator[Room]:
    made = Room(Poll(demo.questions), presenter_page(demo))
    listening = listen("127.0.0.1", 0)
    servers: list[Any] = []
    thread = threading.Thread(target=serve, args=(made, listening, servers.append))
    thread.start()
    made.address = f"{address_of(listening)}/{made.students}/"
    yield made
    servers[0].should_exit = True
    thread.join(10)


def test_a_class_votes_loses_its_line_votes_again_and_sees_the_answer(chromium: Any, room: Room) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    teachers = room.address.replace(room.students, room.teacher)

    def open_(address: str, **options: Any) -> Any:
        page = chromium.new_context(**options).new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        page.get_by_role("heading", name="What is b.grad").wait_for()
        return page

    phone, second = open_(room.address, **PHONE), open_(room.address, **PHONE)
    desk = open_(teachers, viewport={"width": 1024, "height": 768})
    assert phone.get_by_role("radio", name="c) 9").is_disabled()
    last = phone.get_by_role("region", name="The program")
    assert last.inner_text().splitlines()[-1] == "y.backward()" and last.evaluate(
        "e => e.scrollTop > 0 || e.clientHeight == e.scrollHeight"
    )
    for size in ((1024, 768), (1280, 720)):
        desk.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        assert desk.evaluate(SMALLEST) >= 24 and desk.evaluate("document.documentElement.scrollHeight <= innerHeight")
    desk.keyboard.press("o")
    phone.get_by_role("radio", name="c) 9", disabled=False).check()
    phone.get_by_role("status").get_by_text("Counted: c) 9.").wait_for()

    second.get_by_role("radio", name="a) 4", disabled=False).wait_for()
    second.context.set_offline(True)
    for key in ("Tab", "Tab", "Space"):  # the program can be scrolled by keys, too
        second.keyboard.press(key)
    second.get_by_role("status").get_by_text("Your vote is kept").wait_for()
    assert room.poll.now.counts() == [0, 0, 1, 0]
    second.context.set_offline(False)
    second.get_by_role("status").get_by_text("Counted: a) 4.").wait_for()
    second.reload()
    second.get_by_role("status").get_by_text("Counted: a) 4.").wait_for()
    assert room.poll.now.counts() == [1, 0, 1, 0]

    desk.get_by_role("status").get_by_text("2 of 2 voted").wait_for()
    assert desk.locator(".count").count() == 0
    desk.keyboard.press("c")
    desk.locator(".count").first.wait_for()
    desk.get_by_role("button", name="Reveal").click()
    desk.locator(".reveals").first.wait_for()
    assert desk.evaluate("document.documentElement.scrollHeight <= innerHeight")
    second.get_by_role("status").get_by_text("You said a)").wait_for()
    second.locator(".choice.right", has_text="9").get_by_text("1 right").wait_for()
    for page in (phone, desk):
        assert axe_complaints(page, rules=None) == []
    assert complaints == []
    assert {url.split("/")[2] for url in asked if url.startswith("http")} == {room.address.split("/")[2]}
    for page in (phone, second, desk):
        page.context.close()


HARM = "<img src=x onerror='document.title = 1'><script>document.title = 1</script>"


def test_no_text_of_a_question_is_markup_on_a_phone_or_on_the_desk(chromium: Any, room: Room) -> None:
    asked = room.poll.now
    choices = tuple(replace(each, text=f"{HARM} {at}", reveals=HARM) for at, each in enumerate(asked.question.choices))
    asked.question = replace(asked.question, text=HARM, choices=choices)
    room.poll.do("open")
    vote_by_phone(room, [0, 1])
    room.poll.do("reveal")
    for address in (f"{room.address}", room.address.replace(room.students, room.teacher)):
        with chromium.new_page() as page:
            page.goto(address)
            page.locator(".choice", has_text="onerror").first.wait_for()
            assert page.locator("img[src=x], script:not([src])").count() == 0
            assert page.title() != "1"
            assert HARM in page.locator("#question").inner_text()


def vote_by_phone(room: Room, choices: list[int]) -> None:
    for number, choice in enumerate(choices):
        room.poll.vote(f"{number:032x}", room.poll.at, len(room.poll.now.rounds), choice)


def test_the_wall_leads_the_vote_and_shows_what_phones_said_once_it_is_closed(chromium: Any, room: Room) -> None:
    context = chromium.new_context(viewport={"width": 1024, "height": 768})
    complaints: list[str] = []
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    desk = context.new_page()
    desk.goto(room.address.replace(room.students, room.teacher))
    desk.get_by_role("status").get_by_text("The vote is waiting").wait_for()
    with context.expect_page() as opened:
        desk.get_by_role("link", name="play the demo").click()
    wall = opened.value
    wall.locator(".caption").wait_for()
    for key in " " * 8:
        wall.keyboard.press(key)
    desk.get_by_role("status").get_by_text("The vote is open").wait_for()
    vote_by_phone(room, [0, 2, 2, 3])
    wall.locator(".hands .said").get_by_text("4 of 4 voted.").wait_for()
    assert wall.locator(".hands .number").count() == 0
    wall.keyboard.press("1")
    wall.keyboard.press(" ")
    wall.locator(".hands .number").first.wait_for()
    assert wall.locator(".hands .number").all_inner_texts() == ["1", "0", "2", "1"]
    wall.keyboard.press("v")
    wall.locator(".hands .said").get_by_text("0 of 4 voted.").wait_for()
    vote_by_phone(room, [2, 2, 2, 2])
    desk.get_by_role("status").get_by_text("4 of 4 voted").wait_for()
    desk.keyboard.press("r")
    assert "✓ right 4 before: 2" in wall.locator(".hands .right").inner_text().replace("\n", " ")
    desk.close()
    for key in "  ":
        wall.keyboard.press(key)
    wall.locator(".place").get_by_text("step 9 of 26").wait_for()
    assert complaints == []
    context.close()


def test_the_wall_follows_to_the_question_of_a_lesson_that_is_opened_on_the_desk(chromium: Any) -> None:
    demo = lesson_vote("L3")
    assert demo is not None
    with served(demo) as room:
        context = chromium.new_context(viewport={"width": 1024, "height": 768})
        desk = context.new_page()
        desk.goto(room.address.replace(room.students, room.teacher))
        with context.expect_page() as opened:
            desk.get_by_role("link", name="play the demo").click()
        wall = opened.value
        wall.locator(".caption").wait_for()
        desk.keyboard.press("o")
        wall.locator(".place").get_by_text("step 9 of 26").wait_for()
        desk.keyboard.press("r")
        wall.locator(".place").get_by_text("step 13 of 26").wait_for()
        assert "of a class" not in desk.locator("summary").inner_text(), "nobody has said how large it is"
        desk.locator(".reveals").get_by_text(
            "the idea behind it: each factor gets its own value. If c grows"
        ).wait_for()
        wall.keyboard.press("ArrowLeft")
        wall.locator(".place").get_by_text("step 12 of 26").wait_for()
        room.poll.meet("0" * 32)
        desk.locator("summary").get_by_text("1 take part").wait_for()
        wall.wait_for_timeout(100)
        assert wall.locator(".place").inner_text() == "step 12 of 26", "who joins moves nobody"
        context.close()


def test_an_answer_that_comes_late_does_not_take_back_what_was_done_since(chromium: Any, room: Room) -> None:
    desk = chromium.new_context().new_page()
    desk.goto(room.address.replace(room.students, room.teacher))
    desk.keyboard.press("o")
    desk.get_by_role("status").get_by_text("The vote is open").wait_for()
    late: list[tuple[Any, Any]] = []
    desk.route("**/state", lambda route: late.append((route, route.fetch())), times=1)
    while not late:
        desk.wait_for_timeout(50)
    desk.evaluate(SAID)
    desk.keyboard.press("r")
    desk.wait_for_timeout(300)
    for route, response in late:
        route.fulfill(response=response)
    desk.get_by_role("status").get_by_text("The vote is revealed").wait_for()
    desk.wait_for_timeout(1200)
    assert ["open" in said for said in desk.evaluate("() => said_since")] == [False]
    desk.context.close()


def test_counts_are_shown_while_voting_only_as_long_as_that_is_asked_for(chromium: Any, room: Room) -> None:
    desk = chromium.new_context().new_page()
    complaints: list[str] = []
    desk.on("pageerror", lambda error: complaints.append(str(error)))
    desk.goto(room.address.replace(room.students, room.teacher))
    desk.keyboard.press("o")
    desk.get_by_role("status").get_by_text("The vote is open").wait_for()
    vote_by_phone(room, [0, 2])
    desk.get_by_role("status").get_by_text("2 of 2 voted").wait_for()
    button = desk.get_by_role("button", name="Counts while voting")
    button.click()
    desk.locator(".count").first.wait_for()
    desk.keyboard.press("h")
    desk.locator(".count").first.wait_for(state="detached")
    assert button.get_attribute("aria-pressed") == "false" and complaints == []
    desk.context.close()
