"""Open the door: serve a poll at an address of the teacher's choice until it is interrupted."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from contextlib import suppress

import segno
import uvicorn

from autograd_lab.classroom.vote.room import Room

ANYWHERE = ("", "0.0.0.0", "::")
Started = Callable[[uvicorn.Server], None]
LOOPBACK = "127.0.0.1"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is any free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=512)


def address_of(listening: socket.socket) -> str:
    """How others reach it: `http://host:port`; of a machine that listens everywhere, its address in the network."""
    host, port = listening.getsockname()[:2]
    if host in ANYWHERE:
        host = _own_address()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(room: Room, listening: socket.socket, started: Started = lambda server: None) -> None:
    """Answer until Ctrl-C, or until `should_exit` of the server that `started` is given is set."""
    room.address = f"{address_of(listening)}/{room.students}/"
    room.door = _door(room.address)
    config = uvicorn.Config(
        room.app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_keep_alive=10,
        timeout_graceful_shutdown=3,
    )
    server = uvicorn.Server(config)
    started(server)
    with suppress(KeyboardInterrupt):  # uvicorn has closed everything by then
        server.run(sockets=[listening])


def _door(url: str) -> bytes:
    """A picture of the address for the cameras of phones, as SVG."""
    out = io.BytesIO()
    segno.make(url, error="m", micro=False).save(out, kind="svg", scale=8, border=2, light="#fff")
    return out.getvalue()


def _own_address() -> str:
    """The address by which this machine goes out to the network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address kept for documentation
            return str(asking.getsockname()[0])
        except OSError:
            return LOOPBACK
