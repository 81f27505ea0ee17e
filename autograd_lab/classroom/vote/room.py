"""What browsers get: the students' page and the teacher's, the state of the poll as JSON, and an ear for votes.

Students have one token in their address, the teacher another one. Pages ask again and again rather than wait on a line
that is kept open: a phone that slept, or changed its network, has nothing to mend then.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from autograd_lab.classroom.vote.poll import Poll, Refused
from autograd_lab.classroom.vote.rates import Rates

PAGES = Path(__file__).parent / "pages"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
VOTER = re.compile(r"[0-9a-f]{32}")
LONGEST = 500
"""Bytes of a request's body: a vote takes sixty."""

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{what} {whence}" for what, whence in POLICY.items()),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}

Answer = Callable[[Request], Awaitable[Response]]


class Room:
    """The web application of one poll. `film` is the page that plays the demo; `address` is where students go, and
    `door` a picture of it for their cameras."""

    def __init__(self, poll: Poll, film: bytes = b"") -> None:
        self.poll = poll
        self.film = film
        self.address, self.door = "", b""
        self.students, self.teacher = secrets.token_urlsafe(8), secrets.token_urlsafe(16)
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
        self.app = Starlette(routes=[Route(path, self._guarded(answer), methods=[how]) for path, how, answer in routes])

    def _guarded(self, answer: Answer) -> Answer:
        """Only for who has a token, not too often, and with what headers every answer has."""

        async def guarded(request: Request) -> Response:
            response = await self._admitted(request, answer)
            response.headers.update({name: text for name, text in HEADERS.items() if name not in response.headers})
            return response

        return guarded

    async def _admitted(self, request: Request, answer: Answer) -> Response:
        address = request.client.host if request.client else ""
        if not self._of_address.allows(address):
            return _no(429, "too many requests; wait a moment")
        if not (self._is(request, self.students) or self._is(request, self.teacher)):
            return _no(404 if self._misses.allows(address) else 429, "there is no vote here; is the address complete?")
        try:
            return await answer(request)
        except Refused as refused:
            return _no(409, str(refused))
        except ValueError as error:
            return _no(400, str(error))

    def _is(self, request: Request, token: str) -> bool:
        return secrets.compare_digest(request.path_params["token"].encode(), token.encode())

    async def _page(self, request: Request) -> Response:
        return _sent("teacher.html" if self._is(request, self.teacher) else "student.html")

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name == "door.svg" and self._is(request, self.teacher):
            return Response(self.door, media_type=KINDS[".svg"])
        known = {path.name for path in PAGES.iterdir() if path.suffix != ".html"}
        return _sent(name) if name in known else _no(404, "there is no such page")

    async def _film(self, request: Request) -> Response:
        if not (self.film and self._is(request, self.teacher)):
            return _no(404, "there is no such page")
        own = {"Content-Security-Policy": "frame-ancestors 'none'"}  # the rest stands in the page
        return Response(self.film, media_type="text/html", headers=own)

    async def _state(self, request: Request) -> Response:
        if self._is(request, self.teacher):
            return JSONResponse(self._for_teacher())
        voter = _voter(request.query_params.get("voter"))
        if not self._of_voter.allows(voter):
            return _no(429, "too many requests; wait a moment")
        self.poll.meet(voter)
        return JSONResponse(self.poll.for_voter(voter))

    async def _vote(self, request: Request) -> Response:
        sent = await _body(request)
        voter = _voter(sent.get("voter"))
        if not self._of_voter.allows(voter):
            return _no(429, "too many requests; wait a moment")
        numbers = [sent.get(name) for name in ("number", "round", "choice")]
        if not all(type(number) is int for number in numbers):
            raise ValueError("a vote has whole numbers: number, round, choice")
        self.poll.vote(voter, *numbers)  # type: ignore[arg-type]  # that they are numbers has just been seen
        return JSONResponse(self.poll.for_voter(voter))

    async def _do(self, request: Request) -> Response:
        if not self._is(request, self.teacher):
            return _no(403, "only the teacher can do that")
        self.poll.do(str((await _body(request)).get("wish")))
        return JSONResponse(self._for_teacher())

    def _for_teacher(self) -> dict[str, Any]:
        return self.poll.for_teacher() | {"address": self.address}


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


def _voter(text: Any) -> str:
    if not isinstance(text, str) or VOTER.fullmatch(text) is None:
        raise ValueError("a voter is 32 hexadecimal digits")
    return text


def _sent(name: str) -> Response:
    path = PAGES / name
    return Response(path.read_bytes(), media_type=KINDS[path.suffix])


def _no(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status_code=status)
