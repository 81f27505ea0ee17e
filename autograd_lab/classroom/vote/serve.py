"""Open the door: serve a poll at an address of the teacher's choice until it is interrupted."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from autograd_lab.classroom.vote.line import PATIENCE, Line
from autograd_lab.classroom.vote.room import Room

ANYWHERE = ("", "0.0.0.0", "::")
Started = Callable[[uvicorn.Server], None]
LOOPBACK = "127.0.0.1"
BACKLOG, ACCEPTED_AT_ONCE = 512, 16
MOST_LINES, OTHER_FILES = 1000, 64
"""How many connections there may be, and how many files may be open besides."""
ENDING = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is any free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


def address_of(listening: socket.socket) -> str:
    """How others reach it: `http://host:port`; of a machine that listens everywhere, its address in the network."""
    host, port = listening.getsockname()[:2]
    if host in ANYWHERE:
        host = _own_address()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(room: Room, listening: socket.socket, started: Started = lambda server: None) -> bool:
    """Answer until Ctrl-C, or until `should_exit` of the server that `started` is given is set.

    Says whether it was Ctrl-C; otherwise somebody else ended it (SIGTERM, SIGHUP), and the vote may go on later.
    """
    room.address = f"{address_of(listening)}/{room.students}/"
    Line.most = max(16, min(_descriptors() - OTHER_FILES, MOST_LINES))
    config = uvicorn.Config(
        room.app,
        http=Line,
        loop="asyncio",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # who asks is who is connected, whatever it says of itself
        lifespan="off",
        backlog=ACCEPTED_AT_ONCE,
        timeout_keep_alive=int(PATIENCE),
        timeout_graceful_shutdown=3,
    )
    server = Server(config)
    started(server)
    with _ended_by_others(server) as ended:
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:  # uvicorn has closed everything by then
            return not ended
    return False


class Server(uvicorn.Server):
    """Takes few connections at once, so that there is room for each, and lets many wait at the door."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(BACKLOG)


@contextmanager
def _ended_by_others(server: uvicorn.Server) -> Iterator[list[int]]:
    """Signals other than Ctrl-C that ended the server; uvicorn sends those that it got once more when it has closed."""
    ended: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield ended
        return

    def end(number: int, _: object) -> None:
        ended.append(number)
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in ENDING}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs have it ignored
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _descriptors() -> int:
    """How many files this process may have open, after asking for as many as a class needs."""
    try:
        import resource
    except ImportError:  # Windows
        return MOST_LINES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_LINES + OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _own_address() -> str:
    """The address by which this machine goes out to the network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address kept for documentation
            return str(asking.getsockname()[0])
        except OSError:
            return LOOPBACK
