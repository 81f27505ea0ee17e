"""A class votes over HTTP: each voter once a round, whatever happens to phones, and nobody else."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.classroom.demos.demo import load
from autograd_lab.classroom.demos.folder import presenter_page
from autograd_lab.classroom.demos.lesson_questions import lesson_vote
from autograd_lab.classroom.demos.questions import Choice, Question
from autograd_lab.display.target import Misuse
from autograd_lab.lessons.registry import find
from autograd_lab.view.languages.pairs import pairs
from autograd_lab.view.languages.speaking import spoken_in

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")
pytest.importorskip("segno")

from autograd_lab.classroom.vote.ballots import Kept, Unkept  # noqa: E402
from autograd_lab.classroom.vote.poll import Poll  # noqa: E402
from autograd_lab.classroom.vote.rates import Rates  # noqa: E402
from autograd_lab.classroom.vote.roll import AWAY, Refused, Roll  # noqa: E402
from autograd_lab.classroom.vote.room import LONGEST, Room  # noqa: E402
from autograd_lab.classroom.vote.serve import address_of, listen, serve  # noqa: E402

QUESTIONS = [
    Question((1, 3), "Which?", (Choice("<b>one</b>", False, "a belief"), Choice("two", True, "so it is"))),
    Question((5, 5), "Only asked"),
    Question((7, 9), "And now?", (Choice("yes"), Choice("no"), Choice("who knows"))),
]


def test_a_phone_is_told_after_the_reveal_what_its_own_answer_reveals() -> None:
    poll = Poll(QUESTIONS)
    poll.do("open")
    poll.vote(one := voter(), 0, 1, 0)
    assert "reveals" not in poll.for_voter(one)
    poll.do("close")
    poll.do("reveal")
    assert poll.for_voter(one)["reveals"] == "Who says so a belief."
    assert poll.for_voter(voter())["reveals"] is None


def test_a_phone_shows_the_program_down_to_what_is_asked_about_and_not_what_comes_after() -> None:
    poll = Poll(load("layer-and-swish").questions)
    program = poll.for_voter(voter())["program"].splitlines()
    assert program[0] == "import autograd_lab as torch" and program[-1].strip() == "print(error)"
    assert "out = swish(y)" not in program, "the remedy"
    first, second, third = load("three-ways-to-add-one").questions
    assert first.program.endswith("x.data += 1") and third.program.startswith(second.program)


@pytest.mark.parametrize("name", ["L3.P1", "l0", "L9"])
def test_a_class_votes_on_questions_of_a_lesson_each_with_its_truth_and_its_beliefs(name: str) -> None:
    demo = lesson_vote(name)
    assert demo is not None and len(demo.questions) == {"L3.P1": 1}.get(name, len(demo.asked)) > 0
    assert all(each.answer is not None and each.choices[0].reveals for each in demo.questions)
    assert "`" not in "".join(each.text for each in demo.questions)
    room = Room(Poll(demo.questions), presenter_page(demo))
    assert room.poll.asked[0].question.text.startswith(name.upper().partition(".")[0])


def test_a_class_is_asked_in_its_language_and_told_why_an_answer_is_wrong_or_right() -> None:
    said = pairs("es", "lessons")
    with spoken_in("es"):
        demo = lesson_vote("L3.P1")
    assert demo is not None
    [asked] = demo.questions
    choices = find("L3.P1").choices
    wrong, says, right = said[choices[2].belief], said[choices[2].says], said[choices[1].belief]
    assert "¿Qué gradiente" in asked.text and demo.title == said["Lesson 3 · Backward, one node at a time"]
    assert asked.choices[2].told == f"Detrás suele estar la idea de que {wrong}. {says}".replace("`", "")
    assert asked.choices[2].reveals.startswith(f"la idea que hay detrás: {wrong}. ")
    assert asked.choices[1].right and asked.choices[1].reveals.startswith(f"porque: {right}. ")


def test_each_question_of_a_lesson_stops_where_it_asks_and_those_of_another_program_have_no_graph() -> None:
    demo = lesson_vote("L3")
    assert demo is not None
    kinds = [type(event).__name__ for event in demo.trace]
    first, second, third, *others = demo.asked
    both_sent = [place + 1 for place, kind in enumerate(kinds) if kind == "GradientSent"][1]
    assert (first.step, first.shows) == (kinds.index("NodeEvaluated"), both_sent)
    assert second.step is not None and kinds[: second.step + 1].count("NodeVisited") == 2
    assert (third.step, third.shows) == (second.shows, len(demo.trace)), "nobody goes back"
    assert not (first.alone or second.alone or third.alone) and all(each.alone for each in others)
    assert "record()" not in str(demo.trace.files)


@pytest.mark.parametrize("name", ["L3", "L4", "L5.P1"])
def test_the_program_on_the_wall_begins_on_its_first_line_and_each_event_stands_on_its_own(name: str) -> None:
    demo = lesson_vote(name)
    assert demo is not None
    lines = {file: text.splitlines() for file, text in demo.trace.files.items()}
    assert all(text[0].strip() for text in lines.values())
    told = [event.where for event in demo.trace if event.where is not None and event.where.file in lines]
    assert told and all(lines[each.file][each.line - 1].strip() == each.text.strip() for each in told)


def test_votes_on_other_questions_are_refused_with_what_to_do(tmp_path: Path) -> None:
    Poll(QUESTIONS, kept := Kept(tmp_path / "L3.votes"))
    kept.close()
    with pytest.raises(Unkept, match=r"L3\.votes has the votes on other questions; .*--votes other\.votes"):
        Poll(QUESTIONS[:1], Kept(tmp_path / "L3.votes"))


def test_a_single_question_is_asked_of_its_own_run() -> None:
    branches = lesson_vote("L4.P2")
    assert branches is not None and "z = p + q" in str(branches.trace.files)
    assert branches.asked[0].shows == len(branches.trace) and not branches.asked[0].alone
    minus = lesson_vote("L3.P4")
    assert minus is not None and minus.asked[0].alone


def test_a_lesson_is_shown_by_a_run_that_one_of_its_questions_is_asked_of() -> None:
    fan_out = lesson_vote("L4")
    assert fan_out is not None and "z = p + q" in str(fan_out.trace.files)
    assert [each.alone for each in fan_out.asked][:3] == [True, False, True]


def test_a_question_about_another_program_comes_before_the_film_or_after_it_and_has_the_graph_of_its_program() -> None:
    fan_out = lesson_vote("L4")
    assert fan_out is not None
    powers, branches, square, difference, *others = fan_out.asked
    assert powers.step == 0, "before the film, which another question is about"
    assert branches.shows == len(fan_out.trace) and not branches.pictures
    assert all(each.step == len(fan_out.trace) for each in (square, difference, *others))
    for each, leaf in ((powers, 33.0), (square, 10.0), (difference, -1.0)):
        asked, told = each.pictures
        assert texts_of(told) - texts_of(asked) >= {f"{leaf:g}.0".replace("-", "\N{MINUS SIGN}")}, "the gradient"
    assert not any(each.pictures for each in others)


@pytest.mark.parametrize("number", range(21))
def test_no_picture_on_the_wall_tells_the_answer_of_its_question_before_its_truth(number: int) -> None:
    demo = lesson_vote(f"L{number}")
    assert demo is not None
    for each, question in zip(demo.asked, demo.questions, strict=True):
        if each.pictures and question.answer is not None:
            assert question.choices[question.answer].text not in texts_of(each.pictures[0])


def texts_of(svg: str) -> set[str]:
    return {text.strip() for text in ElementTree.fromstring(svg).itertext()}


def test_a_question_that_a_lesson_has_not_is_told_with_those_that_it_has() -> None:
    with pytest.raises(Misuse, match=r"there are L3\.P1, L3\.P2"):
        lesson_vote("L3.P99")
    assert lesson_vote("lecture.py") is None


def voter() -> str:
    return secrets.token_hex(16)


@pytest.fixture
def room() -> Room:
    return Room(Poll(QUESTIONS), b"<!doctype html><title>film</title>")


@contextmanager
def serve_in_thread(room: Room) -> Iterator[str]:
    """A real server on loopback; it has to stop when it is told to."""
    listening = listen("127.0.0.1", 0)
    servers: list[Any] = []
    thread = threading.Thread(target=serve, args=(room, listening, servers.append))
    thread.start()
    try:
        yield address_of(listening)
    finally:
        servers[0].should_exit = True
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def address(room: Room) -> Iterator[str]:
    with serve_in_thread(room) as address:
        yield address


@given(
    st.lists(st.one_of(st.tuples(st.integers(0, 5), st.integers(0, 1)), st.sampled_from(["open", "close", "again"])))
)
def test_each_voter_counts_once_a_round_with_the_last_vote_before_the_close(doings: list[Any]) -> None:
    poll = Poll(QUESTIONS)
    expected: dict[str, int] = {}
    phase = "waiting"
    for doing in doings:
        if isinstance(doing, str):
            try:
                poll.do(doing)
            except Refused:
                continue
            if doing == "again" or (doing == "open" and phase == "waiting"):
                expected = {}
            phase = {"open": "open", "again": "open", "close": "closed"}[doing]
        else:
            who, choice = str(doing[0]), doing[1]
            try:
                poll.vote(who, 0, poll.for_voter(who)["round"], choice)
            except Refused:
                assert phase != "open"
            else:
                expected[who] = choice
    assert poll.now.phase == phase
    assert poll.now.counts() == [list(expected.values()).count(choice) for choice in (0, 1)]


def test_a_vote_for_a_round_that_is_over_is_refused_and_a_second_round_keeps_the_first_to_compare() -> None:
    poll = Poll(QUESTIONS)
    poll.do("open")
    poll.vote("anna", 0, 1, 0)
    poll.do("again")
    with pytest.raises(Refused, match="gone on"):
        poll.vote("ben", 0, 1, 0)
    poll.vote("anna", 0, 2, 1)
    seen = poll.for_teacher()
    assert (seen["before"], seen["counts"]) == ([1, 0], [0, 1])


def test_a_phone_that_was_closed_is_no_longer_waited_for_unless_it_has_voted_and_counts_again_when_it_is_back() -> None:
    poll, now = Poll(QUESTIONS), [0.0]
    poll.roll = Roll(clock=lambda: now[0])
    poll.do("open")
    for each in ("anna", "ben", "carl"):
        poll.meet(each)
    poll.vote("anna", 0, 1, 0)
    assert poll.for_teacher()["voters"] == 3
    now[0] += AWAY - 1
    poll.meet("ben")
    now[0] += 2
    seen = poll.for_teacher()
    assert (seen["voters"], seen["places"]) == (2, 3), "carl is away; anna has voted, and ben has just asked"
    poll.do("again")
    assert poll.for_teacher()["voters"] == 1
    poll.meet("carl")
    assert poll.for_teacher()["voters"] == 2


def test_voters_see_neither_counts_nor_the_answer_before_the_teacher_reveals_them() -> None:
    poll = Poll(QUESTIONS)
    for wish in ("open", "close"):
        poll.do(wish)
        assert not {"counts", "answer", "reveals"} & poll.for_voter("anna").keys()
    poll.do("reveal")
    assert poll.for_voter("anna")["answer"] == 1
    assert poll.for_voter("anna")["reveals"] is None, "she has not voted"
    assert poll.for_teacher()["reveals"] == ["a belief", "so it is"]


def test_a_question_without_choices_is_not_voted_on_and_one_without_an_answer_has_none_to_reveal() -> None:
    poll = Poll(QUESTIONS)
    assert poll.for_teacher()["questions"] == 2
    for wish in ("next", "open", "reveal"):
        poll.do(wish)
    assert poll.for_voter("anna")["answer"] is None
    with pytest.raises(Refused, match="nothing to vote on"):
        Poll(QUESTIONS[1:2])


def test_a_bucket_fills_with_time() -> None:
    now = [0.0]
    rates = Rates(burst=2, per_second=1, clock=lambda: now[0])
    assert [rates.allows("a") for _ in range(3)] == [True, True, False]
    assert rates.allows("b")
    now[0] = 1.0
    assert [rates.allows("a") for _ in range(2)] == [True, False]


def test_two_hundred_phones_vote_at_once_lose_their_line_and_come_back(room: Room, address: str) -> None:
    """Each has a connection of its own, votes, drops it, votes again over a new one, and is counted once."""
    room.poll.do("open")

    def new_line() -> Any:
        return httpx.AsyncClient(base_url=f"{address}/{room.students}/", timeout=60, verify=False, trust_env=False)

    async def phone(number: int) -> None:
        me = voter()
        for choice in (0, number % 2):
            async with new_line() as line:
                seen = (await line.get("state", params={"voter": me})).json()
                vote = {"voter": me, "number": seen["number"], "round": seen["round"], "choice": choice}
                assert (await line.post("vote", json=vote)).status_code == 200
        async with new_line() as line:
            assert (await line.post("vote", json=vote)).json()["mine"] == number % 2  # sent again: still one
            assert (await line.get("state", params={"voter": me})).json()["mine"] == number % 2

    async def everybody() -> None:
        await asyncio.gather(*map(phone, range(200)))

    with ThreadPoolExecutor(1) as aside:  # in this thread a browser of other tests may have a loop of its own
        aside.submit(lambda: asyncio.run(everybody())).result()
    seen = httpx.get(f"{address}/{room.teacher}/state", timeout=60).json()
    assert (seen["counts"], seen["voters"]) == ([100, 100], 200)


def test_who_asks_too_often_is_told_to_wait(room: Room, address: str) -> None:
    with httpx.Client(base_url=f"{address}/{room.students}/") as line:
        me, codes = voter(), [0]
        while codes[-1] != 429 and len(codes) < 1000:  # a slow machine asks less often
            codes.append(line.get("state", params={"voter": me}).status_code)
        assert codes[1] == 200 and codes[-1] == 429
        assert line.get("state", params={"voter": voter()}).status_code == 200


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"x" * (LONGEST + 1), "more than"),
        (b"no", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"{}", "32 hexadecimal digits"),
        (b'{"voter": "../../etc/passwd"}', "32 hexadecimal digits"),
        (b'{"voter": "%s", "number": 0, "round": 1, "choice": "0"}' % (b"a" * 32), "whole numbers"),
        (b'{"voter": "%s", "number": 0, "round": 1, "choice": true}' % (b"a" * 32), "whole numbers"),
        (b'{"voter": "%s", "number": 0, "round": 1, "choice": 9}' % (b"a" * 32), "no such choice"),
    ],
)
def test_what_is_no_vote_is_refused_with_its_reason(room: Room, address: str, body: bytes, said: str) -> None:
    room.poll.do("open")
    answer = httpx.post(f"{address}/{room.students}/vote", content=body)
    assert answer.status_code in (400, 409)
    assert said in answer.json()["error"]
    assert room.poll.now.counts() == [0, 0]


def test_only_who_has_the_token_gets_in_and_students_can_do_nothing_of_the_teachers(room: Room, address: str) -> None:
    assert httpx.get(f"{address}/").status_code == 404
    assert httpx.get(f"{address}/guess/").status_code == 404
    students = f"{address}/{room.students}"
    assert httpx.post(f"{students}/do", json={"wish": "open"}).status_code == 403
    assert [httpx.get(f"{students}/{name}").status_code for name in ("film", "door.svg", "teacher.html")] == [404] * 3
    assert httpx.get(f"{students}/..%2f..%2froom.py").status_code == 404
    assert room.poll.now.phase == "waiting"
    teacher = f"{address}/{room.teacher}"
    assert httpx.post(f"{teacher}/do", json={"wish": "open"}).json()["phase"] == "open"
    assert httpx.post(f"{teacher}/do", json={"wish": "dance"}).status_code == 409
    assert "film" in httpx.get(f"{teacher}/film").text
    assert httpx.get(f"{teacher}/door.svg").headers["content-type"].startswith("image/svg+xml")


def test_pages_load_nothing_from_elsewhere_and_are_kept_nowhere(room: Room, address: str) -> None:
    for token in (room.students, room.teacher):
        page = httpx.get(f"{address}/{token}/")
        assert "http" not in page.text
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in page.headers["content-security-policy"]


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to whole consoles only")
def test_the_command_serves_on_loopback_and_ctrl_c_ends_it_with_the_counts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "autograd_lab", "demo", "arriving-at-b", "--vote", "--port", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a shell's background jobs ignore
    ) as run:  # fmt: skip
        assert run.stdout is not None
        teacher, students = (run.stdout.readline().split()[1] for _ in range(2))
        assert teacher.startswith("http://127.0.0.1:")
        assert (
            httpx.post(f"{teacher}do", json={"wish": "open"}).json()["question"] == "What is b.grad after y.backward()?"
        )
        vote = {"voter": voter(), "number": 0, "round": 1, "choice": 2}
        assert httpx.post(f"{students}vote", json=vote).json()["mine"] == 2
        run.send_signal(signal.SIGINT)
        rest = run.stdout.read()
        assert run.wait(10) == 0
    assert rest.splitlines()[-1] == "What is b.grad after y.backward()?  a) 4: 0  b) 5: 0  c) 9: 1  d) 20: 0"


def test_a_port_that_is_taken_is_told_before_anything_else() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "autograd_lab", "demo", "arriving-at-b", "--vote", "--port", port]
        said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 2
    assert f"cannot listen at 127.0.0.1:{port}" in said.stderr
