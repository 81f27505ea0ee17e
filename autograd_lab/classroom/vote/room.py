"""What browsers get: the students' page and the teacher's, the state of the poll as JSON, and an ear for votes.

Students have a token in their address. The teacher's key is in an address once: what answers there sets a cookie and
leads on to a page whose address has no key, since that page is on the wall. Programs may use the address with the key.
Pages ask again and again rather than wait on a line that is kept open: a phone that slept, or changed its network, has
nothing to mend then.
"""

from __future__ import annotations

import io
import json
import re
import secrets
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
import segno
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from autograd_lab.classroom.vote.headers import Headers
from autograd_lab.classroom.vote.poll import Poll
from autograd_lab.classroom.vote.rates import Rates
from autograd_lab.classroom.vote.roll import Refused, household
from autograd_lab.classroom.vote.spoken_page import in_language, script_of_pairs
from autograd_lab.view.languages.texts import worded

PAGES = Path(__file__).parent / "pages"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
VOTER = re.compile(r"[0-9a-f]{32}")
Token = Annotated[str, msgspec.Meta(pattern=r"^[\w-]{8,64}$")]
LONGEST = 500
"""Bytes of a request's body: a vote takes sixty."""

DESK = "teacher"
"""Where the teacher's page is, once a cookie says who asks."""

Answer = Callable[[Request], Awaitable[Response]]


class Room:
    """The web application of one poll. `film` is the page that plays the demo; `address` is where students go."""

    def __init__(self, poll: Poll, film: bytes = b"") -> None:
        self.poll = poll
        self.film = film
        self.address = ""
        kept = poll.kept
        self.students = kept.get("students", Token | None) or secrets.token_urlsafe(8)
        self.teacher = kept.get("teacher", Token | None) or secrets.token_urlsafe(16)
        self._cookie = (
            kept.get("cookie", Token | None) or f"vote-{secrets.token_hex(4)}"
        )  # all ports of a machine share one jar
        kept.set(students=self.students, teacher=self.teacher, cookie=self._cookie)
        self._of_address = Rates(burst=2000, per_second=1000)  # a class may come from behind one address
        self._of_voter = Rates(burst=20, per_second=4)
        self._misses = Rates(burst=20, per_second=1)
        routes = [
            ("/{token}/", "GET", self._page),
            ("/{token}/state", "GET", self._state),
            ("/{token}/vote", "POST", self._vote),
            ("/{token}/do", "POST", self._do),
            ("/{token}/film", "GET", self._film),
            ("/{token}/{name}", "GET", self._file),
        ]
        made = [Route(path, self._guarded(answer), methods=[how]) for path, how, answer in routes]
        self.app = Starlette(routes=made, middleware=[Middleware(Headers)])

    def _guarded(self, answer: Answer) -> Answer:
        """Only for who has a token, not too often, and not by a page from elsewhere."""

        async def guarded(request: Request) -> Response:
            address = _address(request)
            if not self._of_address.allows(address):
                return _no(429, worded("too many requests; wait a moment"))
            if not (self._is_student(request) or self._is_teacher(request)):
                why = worded("there is no vote here; is the address complete?")
                return _no(404 if self._misses.allows(address) else 429, why)
            if request.method == "POST" and not _of_own_page(request):
                return _no(403, "a page from elsewhere asked for this")
            try:
                return await answer(request)
            except TooOften as often:
                return _no(429, str(often))
            except Refused as refused:
                return _no(409, str(refused))
            except ValueError as error:
                return _no(400, str(error))
            except sqlite3.Error as error:
                return _no(503, worded("votes cannot be kept on the teacher's disk ({})", error))

        return guarded

    def _is_student(self, request: Request) -> bool:
        return _same(request.path_params["token"], self.students)

    def _is_teacher(self, request: Request) -> bool:
        token = request.path_params["token"]
        return _same(request.cookies.get(self._cookie, "") if token == DESK else token, self.teacher)

    async def _page(self, request: Request) -> Response:
        if not self._is_teacher(request):
            return _sent("student.html")
        if request.path_params["token"] == DESK:
            return _sent("teacher.html")
        onward = RedirectResponse(f"/{DESK}/", 303)
        onward.set_cookie(self._cookie, self.teacher, path=f"/{DESK}/", httponly=True, samesite="strict")
        return onward

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name == "door.svg" and self._is_teacher(request):
            return Response(_door(self.address), media_type=KINDS[".svg"])
        if name == "pairs.js":
            return Response(script_of_pairs(), media_type=KINDS[".js"])
        known = {path.name for path in PAGES.iterdir() if path.suffix != ".html"}
        return _sent(name) if name in known else _no(404, "there is no such page")

    async def _film(self, request: Request) -> Response:
        if not (self.film and self._is_teacher(request)):
            return _no(404, "there is no such page")
        own = {"Content-Security-Policy": "frame-ancestors 'none'"}  # the rest stands in the page
        return Response(self.film, media_type="text/html", headers=own)

    async def _state(self, request: Request) -> Response:
        if self._is_teacher(request):
            return JSONResponse(self._for_teacher())
        voter = self._voter(request.query_params.get("voter"))
        self.poll.meet(voter, _address(request))
        return JSONResponse(self.poll.for_voter(voter))

    async def _vote(self, request: Request) -> Response:
        sent = await _body(request)
        voter = self._voter(sent.get("voter"))
        numbers = [sent.get(name) for name in ("number", "round", "choice")]
        if not all(type(number) is int for number in numbers):
            raise ValueError("a vote has whole numbers: number, round, choice")
        number, round_, choice = map(int, numbers)  # type: ignore[arg-type]  # numbers, as just seen
        self.poll.vote(voter, number, round_, choice, _address(request))
        return JSONResponse(self.poll.for_voter(voter))

    def _voter(self, text: Any) -> str:
        if not isinstance(text, str) or VOTER.fullmatch(text) is None:
            raise ValueError("a voter is 32 hexadecimal digits")
        if not self._of_voter.allows(text):
            raise TooOften(worded("too many requests; wait a moment"))
        return text

    async def _do(self, request: Request) -> Response:
        if not self._is_teacher(request):
            return _no(403, "only the teacher can do that")
        sent = await _body(request)
        self._grant(str(sent.get("wish")), sent.get("value"))
        return JSONResponse(self._for_teacher())

    def _grant(self, wish: str, value: Any) -> None:
        if wish == "size" and type(value) is int:
            self.poll.resize(value)
        elif wish == "shut out" and isinstance(value, str):
            self.poll.shut_out(value)
        elif wish == "let in" and isinstance(value, str):
            self.poll.let_in(value)
        elif wish == "new code":
            self._renew()
        else:
            self.poll.do(wish)

    def _renew(self) -> None:
        """Another address for students; who has only the old one is out."""
        old, self.students = self.students, secrets.token_urlsafe(8)
        self.poll.kept.set(students=self.students)
        self.address = self.address.replace(f"/{old}/", f"/{self.students}/")
        self.poll.begin_anew()

    def _for_teacher(self) -> dict[str, Any]:
        return self.poll.for_teacher() | {"address": self.address}


class TooOften(Exception):
    """Somebody asks more often than a phone does."""


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _address(request: Request) -> str:
    return household(request.client.host if request.client else "")


def _of_own_page(request: Request) -> bool:
    """Browsers say of which page a request is; programs do not."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object that was sent. Raises ValueError for anything else, and for too much of it."""
    taken = b""
    async for piece in request.stream():
        taken += piece
        if len(taken) > LONGEST:
            raise ValueError(f"more than {LONGEST} bytes")
    try:
        found = json.loads(taken)
    except ValueError:
        raise ValueError("not JSON") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found


def _door(url: str) -> bytes:
    """A picture of the address for the cameras of phones, as SVG."""
    out = io.BytesIO()
    segno.make(url, error="m", micro=False).save(out, kind="svg", scale=8, border=2, light="#fff")
    return out.getvalue()


def _sent(name: str) -> Response:
    path = PAGES / name
    text = path.read_text(encoding="utf-8")
    return Response(in_language(text) if path.suffix == ".html" else text, media_type=KINDS[path.suffix])


def _no(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status_code=status)
