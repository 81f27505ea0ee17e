"""A vote that somebody wants to spoil, or that is ended in the middle: honest votes count, and none is lost."""

from __future__ import annotations

import os
import random
import resource
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")
pytest.importorskip("segno")

from starlette.testclient import TestClient  # noqa: E402

from autograd_lab.classroom.vote.ballots import Kept, Unkept  # noqa: E402
from autograd_lab.classroom.vote.headers import HEADERS  # noqa: E402
from autograd_lab.classroom.vote.poll import Poll  # noqa: E402
from autograd_lab.classroom.vote.roll import HOUSES, Refused, Roll, household  # noqa: E402
from autograd_lab.classroom.vote.room import Room  # noqa: E402
from tests.classroom.test_vote import QUESTIONS, voter  # noqa: E402

CAMPUS, STRANGER = "10.1.1.1", "10.9.9.9"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def serving(folder: Path, *options: str, files: int | None = None) -> Iterator[tuple[Any, str, str, str]]:
    """The command, with the addresses that it prints: of the server, for the teacher, for students."""
    command = [sys.executable, "-m", "autograd_lab", "demo", "arriving-at-b", "--vote", "--port", "0", *options]

    def limit() -> None:
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a shell's background jobs ignore

    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=folder, env=unbuffered, stdout=-1, stderr=-1, text=True, preexec_fn=limit
    ) as run:
        try:
            teacher, students = (run.stdout.readline().split()[1] for _ in range(2))
            yield run, teacher.split("/")[2], teacher, students
        finally:
            run.kill()


def vote(students: str, choice: int, me: str | None = None) -> int:
    body = {"voter": me or voter(), "number": 0, "round": 1, "choice": choice}
    return httpx.post(f"{students}vote", json=body, timeout=30).status_code


def do(teacher: str, wish: str, value: Any = None) -> Any:
    return httpx.post(f"{teacher}do", json={"wish": wish, "value": value}, timeout=30).json()


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither signal")
def test_a_vote_that_is_killed_goes_on_with_every_vote_at_the_same_addresses(tmp_path: Path) -> None:
    me = voter()
    with serving(tmp_path) as (run, _, teacher, students):
        do(teacher, "open")
        assert [vote(students, choice) for choice in (0, 2, 2, 3)] + [vote(students, 1, me)] == [200] * 5
        run.send_signal(signal.SIGKILL)
        run.wait()
    path, key = students.split("/")[3], teacher.split("/")[3]
    with serving(tmp_path) as (run, _, teacher, students):
        assert (students.split("/")[3], teacher.split("/")[3]) == (path, key)
        seen = httpx.get(f"{teacher}state").json()
        assert (seen["counts"], seen["phase"], seen["voters"]) == ([1, 1, 2, 1], "open", 5)
        assert vote(students, 2, me) == 200  # changes the vote from before
        run.send_signal(signal.SIGTERM)
        rest = run.stdout.read().splitlines()
        assert run.wait(20) == 0 and run.stderr.read() == ""
    assert "a) 4: 1  b) 5: 0  c) 9: 3  d) 20: 1" in rest[1] and "goes on with the vote" in rest[-1]
    with serving(tmp_path) as (run, _, teacher, _):
        assert httpx.get(f"{teacher}state").json()["counts"] == [1, 0, 3, 1]
        assert (tmp_path / "arriving-at-b.votes").stat().st_mode & 0o777 == 0o600
        run.send_signal(signal.SIGINT)
        run.wait(20)
    assert list(tmp_path.iterdir()) == []  # the vote is over, and nothing is kept


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count open files in another way")
def test_a_hundred_and_fifty_silent_connections_do_not_lock_anybody_out_where_few_files_may_be_open(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, files=128) as (run, host, teacher, students), ExitStack() as silent:
        name, port = host.split(":")
        for number in range(150):
            line = silent.enter_context(socket.create_connection((name, int(port)), timeout=10))
            if number % 2:
                line.sendall(b"POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1")
        do(teacher, "open")
        assert [vote(students, 1) for _ in range(3)] == [200] * 3
        assert httpx.get(f"{teacher}state", timeout=30).json()["counts"] == [0, 3, 0, 0]
        run.send_signal(signal.SIGTERM)
        assert run.stderr.read() == ""


def test_a_line_that_says_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from autograd_lab.classroom.vote import line
    from tests.classroom.test_vote import serve_in_thread

    monkeypatch.setattr(line, "PATIENCE", 0.3)
    with serve_in_thread(Room(Poll(QUESTIONS))) as address:
        name, port = address.removeprefix("http://").split(":")
        for said in (b"", b"GET / HTTP/1.1\r\nX: ", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n1"):
            with socket.create_connection((name, int(port)), timeout=10) as silent:
                silent.sendall(said)
                began = time.monotonic()
                with pytest.raises(ConnectionResetError):
                    while silent.recv(4096):
                        pass
                    raise ConnectionResetError
                assert time.monotonic() - began < 5


def rooms(size: int = 200, clock: Callable[[], float] | None = None) -> Room:
    room = Room(Poll(QUESTIONS))
    room.poll.roll = Roll(size, clock or Clock())
    room.poll.do("open")
    return room


def client(room: Room, host: str = CAMPUS) -> Any:
    return TestClient(room.app, client=(host, 50000), base_url="http://testserver")


def sent(line: Any, room: Room, choice: int = 0, me: str | None = None) -> int:
    body = {"voter": me or voter(), "number": 0, "round": 1, "choice": choice}
    return int(line.post(f"/{room.students}/vote", json=body).status_code)


def test_two_thousand_made_up_voters_keep_no_honest_one_out_and_the_teacher_has_a_remedy() -> None:
    clock = Clock()
    room = rooms(30, clock)
    campus, stranger = client(room), client(room, STRANGER)
    honest = [voter() for _ in range(10)]
    for _ in range(5):  # phones that go on asking
        assert all(campus.get(f"/{room.students}/state", params={"voter": me}).status_code == 200 for me in honest)
        clock.now += 1
    for _ in range(1900):
        room.poll.vote(voter(), 0, 1, 0, STRANGER)
    assert {sent(stranger, room) for _ in range(100)} == {200}
    assert sum(room.poll.now.counts()) <= 30
    newcomers = [voter() for _ in range(20)]
    assert [sent(campus, room, 1, me) for me in honest + newcomers] == [200] * 30
    assert sent(stranger, room, 1) == 200  # also from the address where voters are made up
    seen = room.poll.for_teacher()
    assert seen["voters"] > seen["size"] and (STRANGER, 30) in seen["addresses"]
    teacher = client(room, "127.0.0.1")
    answer = teacher.post(f"/{room.teacher}/do", json={"wish": "shut out", "value": STRANGER}).json()
    assert (answer["counts"], answer["voters"], answer["shut"]) == ([0, 30], 30, [STRANGER])
    assert sent(stranger, room) == 409


def test_thirty_phones_behind_one_address_all_vote_and_a_larger_class_after_the_teacher_has_made_room() -> None:
    clock = Clock()
    room = rooms(30, clock)
    campus = client(room)
    phones = [voter() for _ in range(30)]
    for _ in range(5):
        assert [sent(campus, room, 1, me) for me in phones] == [200] * 30
        clock.now += 1
    assert sent(campus, room) == 409
    assert sent(client(room, STRANGER), room) == 200
    assert client(room).post(f"/{room.teacher}/do", json={"wish": "size", "value": 31}).json()["size"] == 31
    assert sent(campus, room) == 200
    assert room.poll.now.counts() == [2, 30]


def test_a_new_code_puts_everybody_out_and_keeps_what_was_voted_on_other_questions() -> None:
    room = rooms()
    room.address = f"http://here/{room.students}/"
    line, me = client(room), voter()
    assert sent(line, room, 1, me) == 200
    room.poll.do("next")
    room.poll.do("open")
    old = room.students
    seen = line.post(f"/{room.teacher}/do", json={"wish": "new code"}).json()
    assert seen["voters"] == 0 and seen["counts"] == [0, 0, 0] and seen["address"] == f"http://here/{room.students}/"
    assert line.get(f"/{old}/").status_code == 404 and line.get(f"/{room.students}/").status_code == 200
    assert room.poll.asked[0].counts() == [0, 1]


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("ab"), st.integers(0, 5)), max_size=120))
def test_an_address_holds_a_class_at_most_and_whoever_has_settled_is_never_put_out(asking: list[Any]) -> None:
    clock = Clock()
    roll = Roll(4, clock)
    first: dict[str, float] = {}
    for number, address, pause in asking:
        clock.now += pause
        name = f"{number}{address}"
        try:
            gone = roll.admit(name, address)
        except Refused:
            continue
        first.setdefault(name, clock.now)
        for one in gone:
            assert one != name
            del first[one]
        assert set(first) == {who for who in first if who in roll} and len(roll) == len(first) <= 4 * HOUSES
        assert max(roll.by_address().values()) <= 4


def test_addresses_of_one_household_are_one() -> None:
    assert household("2001:db8:1:2:aaaa::1") == household("2001:db8:1:2::9") != household("2001:db8:1:3::9")
    assert household("::ffff:10.0.0.1") == household("10.0.0.1") == "10.0.0.1"
    assert household("testclient") == "testclient" and household("fe80::1%eth0") == household("fe80::2")


def test_the_teachers_key_is_in_no_address_that_is_seen_and_in_no_page() -> None:
    room = Room(Poll(QUESTIONS), b"film")
    line = client(room)
    led = line.get(f"/{room.teacher}/", follow_redirects=False)
    assert led.status_code == 303 and led.headers["location"] == "/teacher/"
    assert "httponly" in led.headers["set-cookie"].lower() and "samesite=strict" in led.headers["set-cookie"].lower()
    assert [line.get(f"/teacher/{name}").status_code for name in ("", "state", "film", "door.svg")] == [200] * 4
    assert not any(
        room.teacher in line.get(f"/teacher/{name}").text for name in ("", "state", "teacher.js", "door.svg")
    )
    assert [client(room).get(f"/teacher/{name}").status_code for name in ("", "state", "film", "door.svg")] == [404] * 4


@pytest.mark.parametrize("origin", ["http://elsewhere", "null", "http://testserver.elsewhere", "http://testserver:99"])
def test_a_page_from_elsewhere_can_neither_vote_nor_lead_the_vote(origin: str) -> None:
    room = Room(Poll(QUESTIONS))
    line = client(room)
    line.get(f"/{room.teacher}/")
    for path, body in ((f"/{room.students}/vote", {}), ("/teacher/do", {"wish": "open"})):
        assert line.post(path, json=body, headers={"Origin": origin}).status_code == 403
    assert room.poll.now.phase == "waiting"
    assert line.post("/teacher/do", json={"wish": "open"}, headers={"Origin": "http://testserver"}).status_code == 200


def test_every_answer_has_the_headers_that_keep_pages_to_themselves() -> None:
    room = Room(Poll(QUESTIONS))
    line = client(room)
    answers = [
        line.get("/"),
        line.get("/nobody/x/y"),
        line.put(f"/{room.students}/vote"),
        line.get(f"/{room.students}/no"),
    ]
    answers += [line.get(f"/{room.students}/"), line.post(f"/{room.students}/vote", content=b"no")]
    assert [answer.status_code for answer in answers] == [404, 404, 405, 404, 200, 400]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from("abcd"), st.integers(0, 1)),
            st.sampled_from(["open", "close", "again", "reveal", "next", "back"]),
        )
    )
)
def test_what_is_kept_is_the_poll(doings: list[Any]) -> None:
    kept = Kept()
    poll = Poll(QUESTIONS, kept)
    for doing in doings:
        try:
            if isinstance(doing, str):
                poll.do(doing)
            else:
                poll.vote(doing[0], poll.at, len(poll.now.rounds), doing[1])
        except Refused:
            continue
    again = Poll(QUESTIONS, kept)
    assert (again.asked, again.at, len(again.roll)) == (poll.asked, poll.at, len(poll.roll))


def test_a_file_that_holds_no_votes_or_others_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("mine " * 1000)
    with pytest.raises(Unkept, match="no file of votes"):
        Kept(text)
    assert text.read_text() == "mine " * 1000
    kept = Kept(tmp_path / "a.votes")
    Poll(QUESTIONS, kept)
    with pytest.raises(Unkept, match="another vote uses it"):
        Kept(tmp_path / "a.votes")
    with pytest.raises(Unkept, match="other questions"):
        Poll(QUESTIONS[2:], kept)
    for facts in ({"at": 9}, {"at": None}, {"asked": [["odd", 1]] * 2}, {"size": "x"}, {"asked": 1}, {"shut": 3}):
        damaged = Kept()
        Poll(QUESTIONS, damaged)
        damaged.set(**facts)
        with pytest.raises(Unkept, match="damaged"):
            Poll(QUESTIONS, damaged)
    with pytest.raises(Unkept, match="it is no file"):
        Kept(tmp_path)
    with pytest.raises(Unkept, match="No such file"):
        Kept(tmp_path / "nowhere" / secrets.token_hex(4))


@pytest.mark.parametrize("seed", range(16))
def test_a_damaged_file_of_votes_is_refused_or_goes_on_without_a_mistake(tmp_path: Path, seed: int) -> None:
    rng, path = random.Random(seed), tmp_path / "a.votes"
    kept = Kept(path)
    poll = rooms_of(kept).poll
    poll.do("open")
    for choice in (0, 1, 1):
        poll.vote(voter(), 0, 1, choice, CAMPUS)
    kept.close()
    if seed % 2:
        content = bytearray(path.read_bytes())
        for _ in range(rng.randint(1, 30)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)
    else:
        odd = rng.choice(["[1", "7", '"\\ud800"', '"x"', "[" * 3000, "9" * 5000, '[["open", 1000000000000]]', b"\xff"])
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("UPDATE facts SET value = ? WHERE name = ?", (odd, FACTS[seed // 2 % len(FACTS)]))
    try:
        again = rooms_of(Kept(path))
    except Unkept:
        return
    answers = [
        client(again).get(f"/{token}/state", params={"voter": voter()}) for token in (again.teacher, again.students)
    ]
    assert all(answer.status_code < 500 or "cannot be kept" in answer.text for answer in answers)


FACTS = ("questions", "asked", "at", "size", "shut", "students", "teacher", "cookie")


def rooms_of(kept: Kept) -> Room:
    return Room(Poll(QUESTIONS, kept))
