"""`autograd-lab demo`: what the command line says and does about demos."""

from __future__ import annotations

from pathlib import Path

import typer

from autograd_lab.demos.demo import BUNDLED, Demo, load, make, run, title_of
from autograd_lab.demos.questions import QuestionError
from autograd_lab.script import TorchMissing
from autograd_lab.target import Misuse
from autograd_lab.view.page import to_page

LOOPBACK = "127.0.0.1"
"""The address that only this machine itself can reach."""


def listing() -> str:
    """The demos that come along, one a line, with their titles."""
    width = max(map(len, BUNDLED))
    return "\n".join(f"{name:{width}}  {title_of(name)}" for name in BUNDLED)


def demo_of(program: str, arguments: list[str], torch: bool) -> Demo:
    """A demo that comes along, or one made of a program. Raises Misuse, OSError."""
    try:
        if program in BUNDLED:
            return run(program, torch=True) if torch else load(program)
        path = Path(program)
        if not path.is_file():
            raise Misuse(f"there is no file {program}; demos that come along are {', '.join(BUNDLED)}")
        return make(path, arguments, torch)
    except (QuestionError, SyntaxError, UnicodeDecodeError) as error:
        raise Misuse(f"{program}: {error}") from None
    except TorchMissing as error:
        raise Misuse(str(error)) from None


def hold_vote(demo: Demo, host: str, port: int) -> None:
    """Let a class vote on the questions of a demo until Ctrl-C. Raises Misuse."""
    try:
        from autograd_lab.vote.poll import Poll, Refused
        from autograd_lab.vote.room import Room
        from autograd_lab.vote.serve import address_of, listen, serve
    except ImportError as error:
        raise Misuse(f"a vote needs more packages ({error.name}): pip install 'autograd-lab[vote]'") from None
    try:
        room = Room(Poll(demo.questions), to_page(demo.scene, demo.title).encode("utf-8", "replace"))
    except Refused as error:
        raise Misuse(str(error)) from None
    try:
        listening = listen(host, port)
    except OSError as error:
        why = error.strerror or error
        raise Misuse(f"cannot listen at {host}:{port}: {why}; choose with --host and --port") from None
    address = address_of(listening)
    typer.echo(f"You:      {address}/{room.teacher}/\nStudents: {address}/{room.students}/\nCtrl-C ends the vote.")
    serve(room, listening)
    typer.echo("\n".join(room.poll.summary()))
